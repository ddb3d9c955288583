"""Greets people before it greets the arena."""

import sys

print("MegaBot 3000 (c) nobody", flush=True)
sys.stdin.read()
