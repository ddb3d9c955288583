"""Says ready without having read anything, and never reads."""

import time

from playing import say

say('{"type":"ready"}')
time.sleep(3600)
