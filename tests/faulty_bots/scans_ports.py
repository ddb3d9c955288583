"""Connects to a port on the host's loopback."""

import socket

from playing import targets, tries


def scan():
    socket.create_connection(("127.0.0.1", targets()["port"]), timeout=5).close()


tries(scan)
