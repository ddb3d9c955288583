"""Tests of dispatch: each match goes to one worker once, neighbours go to one worker, no worker waits needlessly."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from arena.model.records import PlannedMatch
from arena.night.dispatch import STRETCH, Dispatch


def plan(passes: list[int]) -> list[PlannedMatch]:
    """A round of as many passes, of so many matches each."""
    rotations = [rotation for rotation, length in enumerate(passes) for _ in range(length)]
    return [PlannedMatch(at, 0, at, rotation, (1, 2)) for at, rotation in enumerate(rotations)]


@given(st.lists(st.integers(0, 90), max_size=4), st.integers(1, 5), st.randoms(use_true_random=False))
def test_every_match_is_handed_out_once(passes: list[int], workers: int, chance: object) -> None:
    """Whoever asks in whatever order: each match once, and as long as there is one, every worker gets one."""
    matches = plan(passes)
    dispatch = Dispatch(matches, workers)
    handed_out = []
    for left in range(len(matches), 0, -1):
        assert len(dispatch) == left
        match = dispatch.take(chance.randrange(workers))  # type: ignore[attr-defined]
        assert match is not None
        handed_out.append(match)
    assert sorted(match.position for match in handed_out) == list(range(len(matches)))
    assert all(dispatch.take(slot) is None for slot in range(workers))


def test_a_worker_gets_neighbours() -> None:
    """In a long pass each worker plays stretches of the plan, so that it can keep bots from match to match."""
    dispatch = Dispatch(plan([1000]), workers=2)
    stretches: Counter[int] = Counter()
    last = {0: -1, 1: -1}
    for turn in range(1000):
        slot = turn % 2
        match = dispatch.take(slot)
        assert match is not None
        stretches[slot] += match.position != last[slot] + 1
        last[slot] = match.position
    assert sum(stretches.values()) < 1000 / STRETCH + 20


def test_rotations_are_begun_one_after_the_other() -> None:
    """No worker begins a pass while matches of an earlier one are in nobody's hands."""
    dispatch = Dispatch(plan([40, 40]), workers=2)
    rotations = [match.rotation for match in (dispatch.take(turn % 2) for turn in range(80)) if match is not None]
    assert rotations.index(1) >= 35


def test_what_was_void_comes_first() -> None:
    """A match that is handed back goes to the next who asks."""
    dispatch = Dispatch(plan([6]), workers=1)
    first = dispatch.take(0)
    assert first is not None
    dispatch.again(first)
    assert len(dispatch) == 6
    assert dispatch.take(0) is first
