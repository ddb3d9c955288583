"""Connects to a socket that has a name, but no file (of the abstract kind)."""

import socket

from playing import targets, tries


def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + targets()["abstract"])


tries(connect)
