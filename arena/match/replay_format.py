"""The records that a replay is made of, as strict models: what a reader accepts is exactly this."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from arena.errors import Cause, VerificationError
from arena.model.records import Outcome
from arena.model.rules import LeagueRules
from arena.model.validation import expectation

FORMAT: Final = 1
"""Version of the replay's own form, in its header."""

By: TypeAlias = Literal["bot", "fallback", "strike"]
"""Who chose a seat's action: the bot; the arena for a forfeited seat; the arena for an answer that came too late."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Times(_Record):
    """What was measured on one turn; `remaining_ms` is the clock as the bot was told it."""

    remaining_ms: int
    wall_s: float | None = None
    excused_s: float | None = None
    cpu_s: float | None = None
    latency_s: float | None = None
    evidence: str = ""


class BotRecord(_Record):
    """One seat's bot in a header; `legal` is what it asked for in its `ready`, None where there was none."""

    name: str
    version: int
    author: str
    digest: str
    legal: Literal["full", "none"] | None


class RulesRecord(_Record):
    """The part of a league's rules that decides the messages of a match."""

    name: str
    seats: tuple[int, ...]
    time_control: str
    startup_s: float
    memory_mb: int
    strikes: int
    strike_window_s: float


class Header(_Record):
    """First record: all that the match was played from."""

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
        """The match seed."""
        try:
            return bytes.fromhex(self.seed)
        except ValueError as error:
            raise VerificationError(f"header: expected the seed in hex, got {self.seed[:80]!r}") from error

    @property
    def league_rules(self) -> LeagueRules:
        """The rules as messages are made from them; what decides no message has its default."""
        try:
            return LeagueRules(game=self.game, options=self.options, **self.rules.model_dump())
        except ValidationError as error:
            raise VerificationError(f"header: the rules cannot be read: {first_error(error)}") from error


class ChanceRecord(_Record):
    """One choice of nature."""

    kind: Literal["chance"]
    chance: str
    action: dict[str, Any]


class TurnRecord(_Record):
    """One decision of a seat; `digest` is there when the bot was asked."""

    kind: Literal["turn"]
    turn: int
    seat: int
    action: dict[str, Any]
    by: By
    note: str | None = None
    digest: str | None = None
    times: Times | None = None


class ForfeitRecord(_Record):
    """A seat lost by conduct; `turn` is None before the first turn."""

    kind: Literal["forfeit"]
    seat: int
    turn: int | None
    cause: Cause = Field(strict=False)
    detail: str
    digest: str | None = None
    times: Times | None = None


class Result(_Record):
    """Last record: how the match came out."""

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
    """Where and what the first complaint of a validation is, in one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    expected = f"expected {expectation(first)}"
    return f"{where}: {expected}" if where else expected
