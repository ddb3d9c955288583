"""Asks for the address of a name."""

import socket

from playing import tries

tries(lambda: socket.getaddrinfo("localhost.invalid", 80))
