"""Writes its answer in two halves with a pause between them, all within the limit, which is allowed."""

import os
import time

from playing import turns

for _ in turns():
    os.write(1, b'{"act')
    time.sleep(0.05)
    os.write(1, b'ion":0}\n')
