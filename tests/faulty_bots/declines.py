"""Declines this game in the correct form; in a match this is a failed handshake."""

import sys

sys.stdin.readline()
print('{"type":"decline"}', flush=True)
sys.stdin.read()
