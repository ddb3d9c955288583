"""Says ready and ends."""

from playing import say

say('{"type":"ready"}')
