"""Asks for a lower priority for the arena."""

import os

from playing import targets, tries

tries(lambda: os.setpriority(os.PRIO_PROCESS, targets()["arena"], os.getpriority(os.PRIO_PROCESS, 0)))
