"""Write, read, verify and step through replays. A replay is the record of one match, enough to play it again exactly.

A replay consists of JSON lines: a header, one record for each action (of chance or of a seat) and for each forfeit, in
the order in which they happened, and the result. All measured values are in the single key `times` of a record. If the
bots depend only on their messages, two plays of one match give the same bytes once that key is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import orjson
from pydantic import ValidationError

from arena.errors import VerificationError
from arena.match.ranking import STARTUP, rank_seats
from arena.match.replay_format import (
    FORMAT,
    LINE,
    By,
    ChanceRecord,
    ForfeitRecord,
    Header,
    Record,
    Result,
    RulesRecord,
    TurnRecord,
    first_error,
)
from arena.model.causes import Cause
from arena.model.clock import TurnTimes
from arena.model.records import MatchOrder, Outcome
from arena.model.seeds import chance_rng
from arena.protocol.messages import PROTOCOL, encode
from engine.catalog import get_game
from engine.core import CHANCE, Action, Event, Game, Scalar, State


class Asked(NamedTuple):
    """The question that a bot got at one turn, with the measured times."""

    observation: bytes
    """Observation in the bytes that were sent."""
    remaining_ms: int
    """Time left on the bot's clock, as it was sent."""
    times: TurnTimes | None
    """Measured times; None if there was no turn to measure."""


def digest_of(observation: bytes) -> str:
    """Return the 8-byte blake2b, in hex, of an observation in the bytes that were sent."""
    return blake2b(observation, digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay that was read. It is well formed, but it is valid only if `verify` accepts it."""

    header: Header
    records: tuple[Record, ...]
    result: Result


_MEASURED = {Cause.TURN_LATE, Cause.CLOCK_EXHAUSTED}
"""Causes whose detail contains the time left on a clock, which differs between two plays of one match."""


class ReplayWriter:
    """Collect the records of one match. `finish` returns the complete replay.

    Actions are passed as JSON bytes that the referee has encoded already. The records of turns are hashed and formatted
    only at the end: so the next bot need not wait for it, and it takes less time in total than after each turn.
    """

    def __init__(
        self, order: MatchOrder, game: Game, options: Mapping[str, Scalar], legal: Sequence[str | None]
    ) -> None:
        rules = order.rules
        header = {
            "kind": "header",
            "format": FORMAT,
            "protocol": PROTOCOL,
            "match": order.match_id,
            "game": game.key,
            "game_version": game.version,
            "options": dict(options),
            "seats": len(order.programs),
            "seed": order.seed.hex(),
            "rules": {name: getattr(rules, name) for name in RulesRecord.model_fields},
            "bots": [
                {
                    "name": program.name,
                    "version": program.version,
                    "author": program.author,
                    "digest": program.digest,
                    "legal": wanted,
                }
                for program, wanted in zip(order.programs, legal, strict=True)
            ],
            "sandbox": order.sandbox,
        }
        self._lines: list[bytes | _Turn] = [encode(header)]

    def chance(self, key: str, action: bytes) -> None:
        """Record an outcome of chance."""
        self._lines.append(b'{"kind":"chance","chance":%b,"action":%b}' % (encode(key), action))

    def turn(
        self, turn: int, seat: int, action: bytes, by: By, asked: Asked | None = None, note: str | None = None
    ) -> None:
        """Record the action of a seat. `asked` is None if the seat has forfeited, and the arena chose the action."""
        self._lines.append((turn, seat, action, by, asked, note))

    def forfeit(self, seat: int, turn: int | None, cause: Cause, detail: str, asked: Asked | None = None) -> None:
        """Record the forfeit of a seat, at a turn or (None) before the first turn."""
        if cause in _MEASURED:
            detail = ""
        self._lines.append(
            b'{"kind":"forfeit","seat":%d,"turn":%b,"cause":"%b","detail":%b%b}'
            % (seat, b"null" if turn is None else b"%d" % turn, cause.value.encode(), encode(detail), _fields(asked))
        )

    def finish(
        self, outcome: Outcome, reason: str, turns: int, ranks: Sequence[int], scores: Sequence[float] | None
    ) -> bytes:
        """Return the complete replay with its result."""
        result = {
            "kind": "result",
            "outcome": outcome.value,
            "reason": reason,
            "turns": turns,
            "ranks": list(ranks),
            "scores": None if scores is None else list(scores),
        }
        lines = [line if isinstance(line, bytes) else _turn_line(*line) for line in self._lines]
        return b"\n".join([*lines, encode(result), b""])


_Turn = tuple[int, int, bytes, By, Asked | None, str | None]
"""The arguments of one call of `ReplayWriter.turn`."""


def _turn_line(turn: int, seat: int, action: bytes, by: By, asked: Asked | None, note: str | None) -> bytes:
    fields = _fields(asked)
    if note is not None:
        fields = b',"note":%b%b' % (encode(note), fields)
    return b'{"kind":"turn","turn":%d,"seat":%d,"action":%b,"by":"%b"%b}' % (turn, seat, action, by.encode(), fields)


def _fields(asked: Asked | None) -> bytes:
    """Return the last fields of a record: the digest of the observation, and the measured times."""
    if asked is None:
        return b""
    observation, remaining_ms, times = asked
    digest = digest_of(observation).encode()
    if times is None:
        return b',"digest":"%b","times":{"remaining_ms":%d}' % (digest, remaining_ms)
    return (
        b',"digest":"%b","times":{"remaining_ms":%d,"wall_s":%.6f,"excused_s":%.6f,"cpu_s":%.6f,"latency_s":%.6f,'
        b'"evidence":"%b"}'
    ) % (digest, remaining_ms, times.wall_s, times.excused_s, times.cpu_s, times.latency_s, times.evidence.encode())


def strip_times(data: bytes) -> bytes:
    """Return the replay without its measured times: equal play gives equal bytes.

    Raises `VerificationError` if a line is not a JSON object.
    """
    lines = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            record = orjson.loads(line)
        except ValueError as error:
            raise VerificationError(f"replay line {number}: expected a JSON object: {error}") from error
        if not isinstance(record, dict):
            raise VerificationError(f"replay line {number}: expected a JSON object, got {line[:80]!r}")
        record.pop("times", None)
        lines.append(orjson.dumps(record))
    return b"\n".join([*lines, b""])


def read_replay(data: bytes) -> Replay:
    """Return the replay in these bytes. Raises `VerificationError` with line and reason if they are not a replay."""
    if not data.endswith(b"\n"):
        raise VerificationError("the replay is cut off: expected a newline at its end")
    lines: list[Header | Record | Result] = []
    for number, line in enumerate(data[:-1].split(b"\n"), 1):
        try:
            lines.append(LINE.validate_json(line))
        except ValidationError as error:
            raise VerificationError(f"replay line {number}: {first_error(error)}") from error
        except (ValueError, RecursionError) as error:
            raise VerificationError(f"replay line {number}: cannot be read: {error}") from error
    header, result = lines[0], lines[-1]
    if not isinstance(header, Header):
        raise VerificationError("replay line 1: expected the header")
    if not isinstance(result, Result):
        raise VerificationError(f"replay line {len(lines)}: expected the result, is the replay cut off?")
    records = []
    for number, record in enumerate(lines[1:-1], 2):
        if isinstance(record, Header | Result):
            raise VerificationError(f"replay line {number}: a second {record.kind}")
        records.append(record)
    if header.format != FORMAT:
        raise VerificationError(f"header: expected replay format {FORMAT}, got {header.format}")
    if len(header.bots) != header.seats:
        raise VerificationError(f"header: expected {header.seats} bots, got {len(header.bots)}")
    return Replay(header, tuple(records), result)


def verify(replay: Replay) -> None:
    """Play the match again with the engine alone, and return if the replay gives the stored result.

    Every chance is drawn again from the seed. Every action, digest, forfeit, score and rank is compared. Raises
    `VerificationError`, which names the first difference.
    """
    for _ in Rerun(replay, exact=True).steps():
        pass


def steps(replay: Replay) -> Iterator[tuple[State, Record, tuple[Event, ...]]]:
    """Play the match again, and yield the state after each record, the record and its events (none for a forfeit).

    The state is one object that changes with each step, so clone it if you store it. Raises `VerificationError` if an
    action cannot be played.
    """
    return Rerun(replay, exact=False).steps()


class Rerun:
    """A replay that is played again. Each iteration of `steps` advances `state` by one record.

    With `exact`, every chance is drawn again, and digests and the result are compared.
    """

    def __init__(self, replay: Replay, *, exact: bool) -> None:
        self.replay = replay
        self.exact = exact
        self.seed = replay.header.seed_bytes
        self.turn = 0
        self.forfeits: dict[int, int] = {}
        self.game, self.state = _open(replay.header)

    def steps(self) -> Iterator[tuple[State, Record, tuple[Event, ...]]]:
        """Play one record after another. `state` can also be read before the first record."""
        for number, record in enumerate(self.replay.records, 2):
            try:
                events = self._advance(record)
            except VerificationError as error:
                raise VerificationError(f"replay line {number}: {error}") from error
            except Exception as error:
                # A game may raise any exception for an action that it did not create.
                raise VerificationError(f"replay line {number}: cannot be played again: {error!r}") from error
            yield self.state, record, events
        if self.exact:
            self._compare_result()

    def _advance(self, record: Record) -> tuple[Event, ...]:
        at_startup = isinstance(record, ForfeitRecord) and record.turn is None
        if self.state.to_act is None or (self._over() and not at_startup):
            raise VerificationError(f"a {record.kind} after the end of the match")
        if isinstance(record, ForfeitRecord):
            self._forfeit(record)
            return ()
        if isinstance(record, ChanceRecord):
            return self.state.apply(self._chance(record))
        action = self._action(record)
        events = self.state.apply(action)
        self.turn += 1
        return events

    def _over(self) -> bool:
        return len(self.forfeits) >= self.state.seats - 1

    def _chance(self, record: ChanceRecord) -> Action:
        if self.state.to_act != CHANCE or self.state.chance_key != record.chance:
            raise VerificationError(f"{self._due()} was to choose, got chance {record.chance!r}")
        if self.exact:
            drawn = self.state.sample_chance(chance_rng(self.seed, record.chance))
            self._same(f"chance {record.chance}", orjson.loads(encode(self.game.encode(drawn))), record.action)
        return self.game.decode(record.action)

    def _action(self, record: TurnRecord) -> Action:
        self._on_turn(record.seat, record.turn)
        if (record.by == "fallback") != (record.seat in self.forfeits):
            raise VerificationError(f"seat {record.seat} cannot be played by {record.by} here")
        if (record.by == "fallback") != (record.digest is None):
            raise VerificationError("expected a digest exactly when the bot was asked")
        self._digest(record)
        legal = self.state.legal_actions()
        action = self.game.decode(record.action)
        wanted = legal if record.by == "bot" else legal[:1]
        if not any(type(action) is type(allowed) and action == allowed for allowed in wanted):
            raise VerificationError(f"the action {record.action} is not allowed to {record.by}")
        return action

    def _forfeit(self, record: ForfeitRecord) -> None:
        if record.seat in self.forfeits or not 0 <= record.seat < self.state.seats:
            raise VerificationError(f"seat {record.seat} cannot forfeit (again)")
        if record.turn is None:
            if self.turn or any(turn != STARTUP for turn in self.forfeits.values()):
                raise VerificationError("a forfeit at start-up after the first turn")
            self.forfeits[record.seat] = STARTUP
            return
        self._on_turn(record.seat, record.turn)
        self._digest(record)
        self.forfeits[record.seat] = record.turn

    def _on_turn(self, seat: int, turn: int) -> None:
        if self.state.to_act != seat or self.turn != turn:
            raise VerificationError(f"turn {self.turn} of {self._due()} was next, got turn {turn} of seat {seat}")

    def _digest(self, record: TurnRecord | ForfeitRecord) -> None:
        if self.exact and record.digest is not None:
            seen = digest_of(encode(self.state.observation(record.seat)))
            self._same(f"digest of what seat {record.seat} saw at turn {record.turn}", seen, record.digest)

    def _due(self) -> str:
        actor = self.state.to_act
        return f"seat {actor}" if isinstance(actor, int) else str(actor)

    def _compare_result(self) -> None:
        stored = self.replay.result
        game_over = self.state.to_act is None
        if not game_over and not self._over():
            raise VerificationError(f"the result comes before the end: {self._due()} was to act")
        seats = self.state.seats
        no_contest = len(self.forfeits) == seats
        self._same("outcome", Outcome.NO_CONTEST if no_contest else Outcome.FINISHED, stored.outcome)
        self._same("reason", "game_over" if game_over else "forfeits", stored.reason)
        self._same("number of turns", self.turn, stored.turns)
        self._same("scores", tuple(self.state.scores()) if game_over else None, stored.scores)
        ranks = rank_seats(seats, self.forfeits, self.state.ranks() if game_over else None)
        self._same("ranks", ranks, stored.ranks)

    @staticmethod
    def _same(what: str, played: object, stored: object) -> None:
        if played != stored:
            raise VerificationError(f"{what}: played again {played!r}, stored {stored!r}")


def _open(header: Header) -> tuple[Game, State]:
    try:
        game = get_game(header.game)
        if game.version != header.game_version:
            raise VerificationError(
                f"the replay was played on version {header.game_version} of {header.game}, installed is {game.version}"
            )
        return game, game.new(header.seats, header.options)
    except VerificationError:
        raise
    except Exception as error:
        raise VerificationError(f"header: {error}") from error
