"""Prints a banner for people before its handshake."""

import sys

print("MegaBot 3000 (c) nobody", flush=True)
sys.stdin.read()
