"""The rules of a league: all that decides how its matches are played, and what it may be called."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

NAME_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
"""What a bot or a league may be called."""


Sandboxing = Literal["required", "auto", "off"]


class Settings(BaseModel):
    """Base of all settings: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RatingTable(Settings):
    """What a league changes of TrueSkill's constants; None is the usual one."""

    mu: float | None = None
    sigma: Annotated[float, Field(gt=0)] | None = None
    beta: Annotated[float, Field(gt=0)] | None = None
    tau: Annotated[float, Field(ge=0)] | None = None
    draw_probability: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Of two equal players; else the game's own."""

    def changes(self) -> dict[str, float]:
        """The constants that are changed, by name."""
        return self.model_dump(exclude_none=True)


class LeagueRules(Settings):
    """All that decides how the matches of one league are played; copied into each night and into each job."""

    name: str
    game: str
    """Key of a game of the catalog."""
    options: dict[str, bool | int | float | str | None] = Field(default_factory=dict)
    """Options of the game that differ from its defaults, or all of them."""
    seats: tuple[int, ...] = (2,)
    """The seat counts that are played, ascending."""
    time_control: str = "10+0.1/2"
    """`BASE+INCREMENT/CAP` in seconds: on the clock at the start, added after each turn, most for one turn."""
    startup_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    """From the start of a bot to its `ready`."""
    strikes: Annotated[int, Field(ge=0)] = 0
    """Late answers that are forgiven in one match (the fallback action is played instead)."""
    strike_window_s: Annotated[float, Field(gt=0, le=60)] = 1.0
    """How long after the limit a forgiven answer is still waited for."""
    reuse: bool = True
    """Whether a bot that asks for it stays alive from match to match."""
    reuse_matches: Annotated[int, Field(ge=1)] = 100
    """A kept bot is started afresh after so many matches."""
    untrusted: bool = False
    """Bots of strangers: the night refuses to start unless they can be confined."""
    sandbox: Sandboxing = "auto"
    """`required`: no night without confinement; `auto`: as good as this host can; `off`: none."""
    memory_mb: Annotated[int, Field(ge=16)] = 512
    """Memory of one bot."""
    processes: Annotated[int, Field(ge=1)] = 64
    """Processes and threads of one bot."""
    suspend_after: Annotated[int, Field(ge=1)] = 10
    """Forfeits in a row after which a bot sits out the rest of the night."""
    rating: RatingTable = RatingTable()
    """Constants of the ratings; like game and options they stay as they are from the first night on."""

    @field_validator("seats", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        counts = value if isinstance(value, (list, tuple)) else (value,)
        if all(isinstance(count, int) and not isinstance(count, bool) for count in counts):
            return tuple(sorted(set(counts)))
        return value

    @field_validator("seats")
    @classmethod
    def _at_least_one(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if not value:
            raise ValueError("at least one seat count")
        return value


def name_rule(kind: str, name: str) -> str:
    """Why a name is refused, in one sentence."""
    return (
        f"{name!r} is no name for a {kind}: expected 1 to 32 of a-z, 0-9, '-' and '_', beginning with a letter or digit"
    )
