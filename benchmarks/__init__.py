"""The measurements behind the documentation: each module measures one table, by `python -m benchmarks NAME`.

`make bench` measures all of them. `fairness`, `calibration`, `sequential` and `search` take options and more time, and
run by `python -m benchmarks.NAME`. `measure`, `nights`, `made_up`, `filled_store`, `simulated`, `bots` and `games` are
shared code.

Every case is measured together with the case that it is compared with, in alternating rounds of one run: machines are
noisy, and a ratio of two numbers from different minutes says little.
"""
