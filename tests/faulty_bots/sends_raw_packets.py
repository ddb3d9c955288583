"""Opens a raw socket."""

import socket

from playing import tries

tries(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
