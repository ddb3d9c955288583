"""Spends much of the start-up limit on its imports, which is allowed."""

import time

from playing import always

time.sleep(0.5)
always('{"action":0}')
