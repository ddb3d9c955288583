"""The records of a replay, as strict models. A reader accepts exactly these records."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from arena.errors import VerificationError
from arena.model.causes import Cause
from arena.model.records import Outcome
from arena.model.rules import LeagueRules
from arena.model.validation import expectation

FORMAT: Final = 1
"""Version of the replay format, which every header contains."""

By: TypeAlias = Literal["bot", "fallback", "strike"]
"""The chooser of a seat's action: the bot; the arena after a forfeit; the arena after a late answer."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Times(_Record):
    """The measured times of one turn. `remaining_ms` is the time left on the clock, as it was sent to the bot."""

    remaining_ms: int
    wall_s: float | None = None
    excused_s: float | None = None
    cpu_s: float | None = None
    latency_s: float | None = None
    evidence: str = ""


class BotRecord(_Record):
    """The bot of one seat, in a header. `legal` is the mode in its `ready`, or None if it sent no `ready`."""

    name: str
    version: int
    author: str
    digest: str
    legal: Literal["full", "none"] | None


class RulesRecord(_Record):
    """The part of the rules of a league that affects the messages of a match."""

    name: str
    seats: tuple[int, ...]
    time_control: str
    startup_s: float
    memory_mb: int
    strikes: int
    strike_window_s: float


class Header(_Record):
    """The first record: game, seed, rules and bots of the match, and the layers of its sandbox."""

    kind: Literal["header"]
    format: int
    protocol: int
    match: str
    game: str
    game_version: int
    options: dict[str, bool | int | float | str | None]
    seats: int
    seed: str
    rules: RulesRecord
    bots: tuple[BotRecord, ...]
    sandbox: tuple[str, ...]

    @property
    def seed_bytes(self) -> bytes:
        """Return the match seed. Raises `VerificationError` if it is not hex."""
        try:
            return bytes.fromhex(self.seed)
        except ValueError as error:
            raise VerificationError(f"header: expected the seed in hex, got {self.seed[:80]!r}") from error

    @property
    def league_rules(self) -> LeagueRules:
        """Return the rules for the messages of the match. Rules that affect no message have their defaults.

        Raises `VerificationError` if the stored rules are not valid.
        """
        try:
            return LeagueRules(game=self.game, options=self.options, **self.rules.model_dump())
        except ValidationError as error:
            raise VerificationError(f"header: the rules cannot be read: {first_error(error)}") from error


class ChanceRecord(_Record):
    """One outcome of chance."""

    kind: Literal["chance"]
    chance: str
    action: dict[str, Any]


class TurnRecord(_Record):
    """One decision of a seat. `digest` is set if the bot was asked."""

    kind: Literal["turn"]
    turn: int
    seat: int
    action: dict[str, Any]
    by: By
    note: str | None = None
    digest: str | None = None
    times: Times | None = None


class ForfeitRecord(_Record):
    """The forfeit of a seat. `turn` is None before the first turn."""

    kind: Literal["forfeit"]
    seat: int
    turn: int | None
    cause: Cause = Field(strict=False)
    detail: str
    digest: str | None = None
    times: Times | None = None


class Result(_Record):
    """The last record: the result of the match."""

    kind: Literal["result"]
    outcome: Outcome = Field(strict=False)
    reason: Literal["game_over", "forfeits"]
    turns: int
    ranks: tuple[int, ...]
    scores: tuple[float, ...] | None


Record: TypeAlias = ChanceRecord | TurnRecord | ForfeitRecord
LINE: TypeAdapter[Header | Record | Result] = TypeAdapter(
    Annotated[Header | ChanceRecord | TurnRecord | ForfeitRecord | Result, Field(discriminator="kind")]
)


def first_error(error: ValidationError) -> str:
    """Return the place of the first validation error, and what was expected there, in one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    expected = f"expected {expectation(first)}"
    return f"{where}: {expected}" if where else expected
