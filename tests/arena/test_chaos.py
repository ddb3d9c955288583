"""A night comes out exactly as it should, whatever happens to it. `make chaos` does the same a thousand times."""

from __future__ import annotations

from pathlib import Path

from tests.arena.chaos import DISTURBANCES, NIGHT, Chaos, kinds_in_turn


def test_disturbed_nights_end_as_quiet_ones(tmp_path: Path) -> None:
    """Parent, workers, bots or all of them killed, everything suspended, a full disk, a copy of the database taken
    while its writer stood still, a wall clock that jumps: each at least once, resumed, exact, no process left."""
    chaos = Chaos(tmp_path)
    kinds = kinds_in_turn(1)
    seed = 1
    while chaos.done.total() < len(DISTURBANCES):
        chaos.disturb(seed, kinds)
        seed += 1
    assert set(chaos.done) == {kind.__name__ for kind in DISTURBANCES}
    assert seed <= 2 + 2 * len(DISTURBANCES) // NIGHT
