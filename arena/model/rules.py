"""The rules of a league: everything that decides how its matches are played, and the rule for its name."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

NAME_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
"""Valid names of bots and leagues."""


MOST_RATING: Final = 1e6
"""Ratings and their constants are at most this large. Beyond, doubles lose the digits that are shown."""

Sandboxing = Literal["required", "auto", "off"]


class Settings(BaseModel):
    """Base of all settings: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RatingTable(Settings):
    """The constants of TrueSkill that a league changes. None means the default."""

    mu: Annotated[float, Field(ge=-MOST_RATING, le=MOST_RATING)] | None = None
    sigma: Annotated[float, Field(gt=0, le=MOST_RATING)] | None = None
    beta: Annotated[float, Field(gt=0, le=MOST_RATING)] | None = None
    tau: Annotated[float, Field(ge=0, le=MOST_RATING)] | None = None
    draw_probability: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Probability of a draw between two equal players; None means the value of the game."""

    def changes(self) -> dict[str, float]:
        """Return the changed constants by name."""
        return self.model_dump(exclude_none=True)


class LeagueRules(Settings):
    """Everything that decides how the matches of one league are played. Each night and each order has a copy."""

    name: str
    game: str
    """Key of a game of the catalog."""
    options: dict[str, bool | int | float | str | None] = Field(default_factory=dict)
    """Options of the game: those that differ from its defaults, or all of them."""
    seats: tuple[int, ...] = (2,)
    """The seat counts of the league's matches, in ascending order."""
    time_control: str = "10+0.1/2"
    """`BASE+INCREMENT/CAP` in seconds: on the clock at the start, added after each turn, and the most for one turn."""
    startup_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    """Time limit from the start of a bot to its `ready`, in seconds."""
    strikes: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Number of late answers that are forgiven in one match. The fallback action is played instead."""
    strike_window_s: Annotated[float, Field(gt=0, le=60)] = 1.0
    """Time after the limit during which the arena still waits for a late answer, in seconds."""
    reuse: bool = True
    """Whether the process of a bot that asks for it is reused for further matches."""
    reuse_matches: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    """Maximum number of matches of one reused process. Then the bot gets a new process."""
    untrusted: bool = False
    """Whether the bots come from untrusted authors. If so, a night starts only if this host can sandbox them."""
    sandbox: Sandboxing = "auto"
    """`required`: no night without a sandbox; `auto`: the best sandbox that this host supports; `off`: none."""
    memory_mb: Annotated[int, Field(ge=16, le=1 << 24)] = 512
    """Memory limit of one bot, in MiB."""
    processes: Annotated[int, Field(ge=1, le=1 << 20)] = 64
    """Maximum number of processes and threads of one bot."""
    suspend_after: Annotated[int, Field(ge=1, le=1_000_000)] = 10
    """Number of forfeits in a row after which a bot is suspended for the rest of the night."""
    rating: RatingTable = RatingTable()
    """Constants of the ratings. Like the game and its options, they are immutable from the first night on."""

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
    """Return one sentence that explains why this name is refused."""
    return (
        f"{name!r} is no name for a {kind}: expected 1 to 32 of a-z, 0-9, '-' and '_', beginning with a letter or digit"
    )
