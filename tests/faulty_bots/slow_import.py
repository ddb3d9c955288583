"""Spends longer on its imports than the start-up limit."""

import time

from playing import always

time.sleep(2.5)
always('{"action":0}')
