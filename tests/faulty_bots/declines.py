"""Does not play this game, and says so as it should: at a table that is no handshake."""

import sys

sys.stdin.readline()
print('{"type":"decline"}', flush=True)
sys.stdin.read()
