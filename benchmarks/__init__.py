"""Measured claims: a module is one table of the documentation, run by `python -m benchmarks NAME`.

All of them: `make bench`. Those that say so in their first lines (fairness, calibration, sequential, search) take
options and longer, and are run by `python -m benchmarks.NAME`. What they share is in `measure`, `nights`, `made_up`,
`filled_store`, `simulated`, `bots` and `games`.
Every figure is taken next to what it is compared with, in alternating rounds of one run: machines are noisy, and a
ratio of two figures from different minutes says little.
"""
