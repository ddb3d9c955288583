"""Asks for longer time slices."""

import os

from playing import tries

tries(lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)))
