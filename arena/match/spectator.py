"""Show a match to a human reader: each step of a referee or of a replay as text, then a drawing of the position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.match.replay import Replay, steps
from arena.match.replay_format import ChanceRecord, TurnRecord
from arena.model.causes import Cause
from arena.model.records import MatchRecord, Outcome
from arena.text.sanitize import terminal
from arena.text.words import counted, from_one
from engine.catalog import get_game
from engine.core import CHANCE, Action, Actor, Event, Game, State, Viewer


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The forfeit of a seat, with its cause and one line for the bot's author."""

    seat: int
    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class Watched:
    """One step of a match: an action, or a forfeit (then `action` is None).

    `state` is the live state after the step. Clone it if you store it, and do not change it.
    """

    state: State
    actor: Actor
    action: Action | None
    events: tuple[Event, ...] = ()
    by: str = "bot"
    """`bot`, `fallback`, `strike` or `chance`."""
    turn: int | None = None
    note: str | None = None
    forfeit: Forfeit | None = None


def watched_steps(replay: Replay) -> Iterator[Watched]:
    """Yield the steps of a replay as the referee passed them to `watch`.

    Raises `VerificationError` if an action cannot be played.
    """
    for state, record, events in steps(replay):
        if isinstance(record, ChanceRecord):
            action = state.game.decode(record.action)
            yield Watched(state, CHANCE, action, events, by="chance")
        elif isinstance(record, TurnRecord):
            action = state.game.decode(record.action)
            yield Watched(state, record.seat, action, events, record.by, record.turn, record.note)
        else:
            forfeit = Forfeit(record.seat, record.cause, record.detail)
            yield Watched(state, record.seat, None, turn=record.turn, forfeit=forfeit)


def place_text(rank: int) -> str:
    """Return a rank as text for human readers, who count from 1. For programs the best rank is 0."""
    return f"rank {from_one(rank)}"


class Watcher:
    """Convert steps to text for one viewer. None is a spectator, who sees only public information.

    `names` are the bots in the order of their seats. They are shown beside the seat number.
    """

    def __init__(self, game: Game, names: Sequence[str], viewer: Viewer = None) -> None:
        self._game = game
        self._names = names
        self._viewer = viewer

    @classmethod
    def of_replay(cls, replay: Replay, viewer: Viewer = None) -> Watcher:
        """Return a watcher for the match of this replay."""
        names = [f"{bot.name}:{bot.version}" if bot.version else bot.name for bot in replay.header.bots]
        return cls(get_game(replay.header.game), names, viewer)

    def who(self, seat: int) -> str:
        """Return a seat with its bot, such as `seat 1 (greedy:2)`."""
        return f"seat {seat} ({terminal(self._names[seat])})"

    def text(self, step: Watched) -> str:
        """Return the step in words, and after a turn or at the end of the game also the drawn position.

        There is no newline at the end.
        """
        if step.forfeit is not None:
            lost = step.forfeit
            when = "at start-up" if step.turn is None else f"at turn {step.turn}"
            reason = terminal(lost.detail or lost.cause.meaning)
            return f"*** {self.who(lost.seat)} forfeits {when}: {lost.cause} - {reason}"
        lines = []
        if isinstance(step.actor, int):
            by = {"fallback": ", forfeited", "strike": ", too late: the first legal action is played"}.get(step.by, "")
            lines.append(f"--- turn {step.turn}: {self.who(step.actor)}{by}")
        lines += [f"    {terminal(self._game.describe(event.seen_by(self._viewer)))}" for event in step.events]
        if step.note:
            lines.append(f'    "{terminal(step.note)}"')
        if isinstance(step.actor, int) or step.state.to_act is None:
            lines.append(self._game.draw(step.state.observation(self._viewer)))
        return "\n".join(lines)

    def result(self, record: MatchRecord) -> str:
        """Return the result of the match: one line for each seat, best first, with the reason for each forfeit."""
        ended = "the game is over" if record.reason == "game_over" else "ended by forfeits"
        nobody = ": nobody finished, no contest" if record.outcome is Outcome.NO_CONTEST else ""
        lines = [f"{ended} after {counted(record.turns, 'turn')}{nobody}"]
        for seat, result in sorted(enumerate(record.seats), key=lambda item: item[1].rank):
            score = "" if result.score is None else f", score {result.score:g}"
            lost = "" if result.cause is None else f", forfeit: {result.cause} - {terminal(result.detail)}"
            lines.append(f"{place_text(result.rank)}: {self.who(seat)}{score}{lost}")
        return "\n".join(lines)
