"""Opens a port of its own, where other bots or the world could reach it."""

import socket

from playing import tries


def listen():
    with socket.create_server(("0.0.0.0", 0)):
        # Inside a network of its own nobody is there to connect: what counts is whether a way leads out.
        return len(socket.if_nameindex()) > 1


tries(listen)
