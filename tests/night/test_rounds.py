"""Rounds are as their schedule plans them, also if a round was planned ahead."""

from __future__ import annotations

import pytest

from arena.model.records import PlannedMatch
from arena.night.rounds import Rounds
from arena.schedules.base import PlanningContext, Schedule
from arena.schedules.gauntlet import Gauntlet
from arena.schedules.knockout import Knockout
from arena.schedules.ladder import Ladder
from arena.schedules.round_robin import RoundRobin
from arena.schedules.swiss import Swiss

SCHEDULE = RoundRobin((2, 3), encounters=12)


class Bots:
    """A field that changes while the night is played."""

    def __init__(self, *versions: int) -> None:
        self.versions = list(versions)
        self.left: dict[int, int] = {}
        """Version -> the first round without it."""

    def of_round(self, number: int) -> list[int]:
        return [version for version in self.versions if number < self.left.get(version, number + 1)]

    def field(self) -> PlanningContext:
        return PlanningContext(b"a night", self.of_round, lambda _round: ())


def all_rounds(bots: Bots, schedule: Schedule = SCHEDULE) -> list[list[PlannedMatch]]:
    return list(schedule.rounds(bots.field()))


@pytest.mark.parametrize("schedule", [SCHEDULE, Gauntlet((2, 3), 4, encounters=12)], ids=["round robin", "gauntlet"])
def test_a_look_ahead_changes_nothing(schedule: Schedule) -> None:
    """Foreseen or not, once or twice, each round is the same, and so is the end."""
    bots = Bots(*range(1, 8))
    expected = all_rounds(bots, schedule)
    assert len(expected) > 2
    rounds = Rounds(schedule, bots.field())
    for number, matches in enumerate([*expected, []]):
        if number % 2:
            assert rounds.foresee(number) == rounds.foresee(number) == matches
        assert rounds.plan(number) == matches


def test_who_leaves_after_the_look_is_not_in_the_round() -> None:
    """The round is planned anew when the field is no longer what it was foreseen for."""
    bots = Bots(*range(1, 8))
    rounds = Rounds(SCHEDULE, bots.field())
    first = rounds.plan(0)
    assert any(3 in match.seating for match in rounds.foresee(1))
    bots.left[3] = 1
    expected = all_rounds(bots)
    assert first == expected[0]
    for number, matches in enumerate(expected[1:], 1):
        assert rounds.plan(number) == matches
        assert not any(3 in match.seating for match in matches)


def test_a_night_goes_on_in_another_process() -> None:
    """Rounds that were planned before are passed over."""
    bots = Bots(*range(1, 8))
    expected = all_rounds(bots)
    assert Rounds(SCHEDULE, bots.field()).plan(2) == expected[2]
    late = Rounds(SCHEDULE, bots.field())
    assert late.foresee(1) == expected[1]
    assert late.plan(1) == expected[1]


@pytest.mark.parametrize(
    "schedule", [Swiss((2,), 3), Ladder((2,), 3), Knockout((2,), 3)], ids=lambda s: type(s).__name__
)
def test_what_depends_on_results_is_not_foreseen(schedule: Schedule) -> None:
    """A schedule that looks at results is asked for a round only when all before it are played."""
    bots = Bots(1, 2, 3, 4)

    def too_early(number: int) -> tuple[()]:
        raise AssertionError(f"the results of round {number} are not known yet")

    rounds = Rounds(schedule, PlanningContext(b"a night", bots.of_round, too_early))
    assert rounds.plan(0) != []
    assert rounds.foresee(1) == []
