"""The kinds of night beside the round robin, and what they are made of. All are pure; `arena.pairing` is their seam.

`gauntlet` (one bot against the rest), `swiss` (many bots, little time), `ladder` (led by ratings), `knockout`;
`circles` and `sets` are what round robin and gauntlet choose their sets of bots with, `adaptive` what swiss and ladder
share, `tally` what those schedules know that look at results.
"""
