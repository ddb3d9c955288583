"""Asks to be scheduled before everybody else."""

import os

from playing import tries

tries(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
