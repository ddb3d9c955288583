"""Measured claims: each module is one table of the documentation, run by `python -m benchmarks NAME`.

All of them: `make bench`.
Every figure is taken next to what it is compared with, in alternating rounds of one run: machines are noisy, and a
ratio of two figures from different minutes says little.
"""
