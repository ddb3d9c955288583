"""The plan of a night: its schedule and settings, as the store saves them, and the schedule made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from arena.errors import NightError, UsageError
from arena.schedules.base import DEFAULT_ENCOUNTERS, SEATINGS, PlanningContext, Schedule, Seatings, seatings_of
from arena.schedules.gauntlet import Gauntlet
from arena.schedules.knockout import Knockout
from arena.schedules.ladder import Ladder
from arena.schedules.round_robin import RoundRobin
from arena.schedules.swiss import Swiss, usual_rounds

ScheduleName = Literal["round_robin", "gauntlet", "swiss", "ladder", "knockout"]
SCHEDULES: tuple[ScheduleName, ...] = get_args(ScheduleName)


@dataclass(frozen=True, slots=True)
class NightPlan:
    """The schedule of a night and its settings.

    >>> NightPlan((2, 4), encounters=10).fit(3)
    NightPlan(seats=(2,), encounters=10, repeat=False, schedule='round_robin', seatings='rotations', challenger=None)
    """

    seats: tuple[int, ...]
    encounters: int | None = DEFAULT_ENCOUNTERS
    """Encounters of every bot at each seat count; None plays every set once or is the default of the schedule."""
    repeat: bool = False
    """Whether to play all sets of bots again, on new seeds, if there are fewer sets than encounters."""
    schedule: ScheduleName = "round_robin"
    seatings: Seatings = "rotations"
    challenger: int | None = None
    """Version id of the one bot of a gauntlet."""

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> NightPlan:
        """Return the plan that `as_json` stored. Raises `NightError` if this version cannot read it."""
        try:
            plan = cls(
                tuple(stored["seats"]),
                stored["encounters"],
                stored["repeat"],
                stored["schedule"],
                # Nights of older versions, which had no choice here, store neither.
                stored.get("seatings", "rotations"),
                stored.get("challenger"),
            )
        except (KeyError, TypeError) as error:
            raise NightError(f"the night was planned by another version of the arena: {stored!r}") from error
        if plan.schedule not in SCHEDULES or plan.seatings not in SEATINGS:
            raise NightError(f"the night was planned by another version of the arena: {stored!r}")
        return plan

    def as_json(self) -> dict[str, Any]:
        """Return the plan as JSON for the store."""
        return asdict(self)

    def fit(self, bots: int) -> NightPlan:
        """Return the plan for this number of bots: drop seat counts that they cannot fill, and set default rounds.

        Raises `NightError` if no seat count is left, and `UsageError` if the schedule does not support an option.
        """
        wanted = self.seats
        if self.schedule == "knockout":
            wanted = self._knockout_seats()
        seats = tuple(count for count in wanted if count <= bots)
        if not seats:
            raise NightError(
                f"a night of {_listed(self.seats)} seats needs at least {min(self.seats, default=2)} bots, got {bots}:"
                " submit more with `arena submit`"
            )
        for count in seats:
            seatings_of(count, self.seatings)
        if (self.challenger is None) is (self.schedule == "gauntlet"):
            raise UsageError("a gauntlet, and nothing else, needs a challenger: expected --schedule gauntlet with one")
        encounters = self.encounters
        if encounters is None and self.schedule == "swiss":
            encounters = usual_rounds(bots)
        elif encounters is None and self.schedule in ("ladder", "knockout"):
            encounters = DEFAULT_ENCOUNTERS
        return replace(self, seats=seats, encounters=encounters)

    def check(self, entrants: Sequence[int]) -> None:
        """Raise `UsageError` if the schedule cannot be planned for these entrants; call `fit` first.

        A schedule checks its numbers before it plans the first round. Checking them here refuses a wrong plan before
        its night exists.
        """
        self.make_schedule().rounds(PlanningContext.fixed(b"", entrants))

    def make_schedule(self) -> Schedule:
        """Return the schedule; call `fit` first."""
        encounters = self.encounters or DEFAULT_ENCOUNTERS
        match self.schedule:
            case "gauntlet":
                assert self.challenger is not None, "the plan was fitted"
                return Gauntlet(self.seats, self.challenger, self.encounters, self.repeat, self.seatings)
            case "swiss":
                return Swiss(self.seats, encounters, self.seatings)
            case "ladder":
                return Ladder(self.seats, encounters, self.seatings)
            case "knockout":
                return Knockout(self.seats, encounters)
        return RoundRobin(self.seats, self.encounters, self.repeat, self.seatings)

    def _knockout_seats(self) -> tuple[int, ...]:
        if 2 not in self.seats:
            raise UsageError(
                f"a knockout is played at two seats, and this night would have {_listed(self.seats)}: expected another"
                " --schedule, or a league with 2 among its seats"
            )
        if self.seatings != "rotations":
            raise UsageError("at two seats the rotations are all seatings: a knockout takes no --seatings all")
        return (2,)


def _listed(counts: tuple[int, ...]) -> str:
    return " or ".join(map(str, counts)) or "no"
