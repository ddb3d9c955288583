"""Chooses the cores that it runs on."""

import os

from playing import tries

tries(lambda: os.sched_setaffinity(0, range(os.cpu_count())))
