"""What a night shall be: its schedule and settings, as the store keeps them, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from arena.errors import NightError
from arena.pairing import DEFAULT_ENCOUNTERS, RoundRobin, Schedule


@dataclass(frozen=True, slots=True)
class NightPlan:
    """The schedule of a night and its settings.

    >>> NightPlan((2, 4), encounters=10).fit(3)
    NightPlan(seats=(2,), encounters=10, repeat=False, schedule='round_robin')
    """

    seats: tuple[int, ...]
    encounters: int | None = DEFAULT_ENCOUNTERS
    """Of every bot at each seat count; None is every set of bots once."""
    repeat: bool = False
    """Where there are fewer sets of bots than that, play them all again on new seeds."""
    schedule: Literal["round_robin"] = "round_robin"

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> NightPlan:
        """The plan that `as_json` gave. Raises `NightError` for one that this version cannot read."""
        try:
            return cls(tuple(stored["seats"]), stored["encounters"], stored["repeat"], stored["schedule"])
        except (KeyError, TypeError) as error:
            raise NightError(f"the night was planned by another version of the arena: {stored!r}") from error

    def as_json(self) -> dict[str, Any]:
        """JSON for the store."""
        return asdict(self)

    def fit(self, bots: int) -> NightPlan:
        """The plan without the seat counts that so few bots cannot fill. Raises `NightError` when none is left."""
        seats = tuple(count for count in self.seats if count <= bots)
        if not seats:
            raise NightError(
                f"a night of {_listed(self.seats)} seats needs at least {min(self.seats, default=2)} bots, got {bots}:"
                " hand in more with `arena submit`"
            )
        return replace(self, seats=seats)

    def make_schedule(self) -> Schedule:
        """The schedule itself."""
        if self.schedule != "round_robin":
            raise NightError(f"the night has an unknown schedule {self.schedule!r}: expected round_robin")
        return RoundRobin(self.seats, self.encounters, self.repeat)


def _listed(counts: tuple[int, ...]) -> str:
    return " or ".join(map(str, counts)) or "no"
