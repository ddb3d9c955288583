"""Play the matches of a worker: start their bots, reuse a bot if that is allowed, and close the others completely."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.linux import survivors
from arena.match.referee import Watch, play_match
from arena.match.session import Session, wait_for_handshakes
from arena.model.records import MatchOrder, MatchRecord, Program, Unkillable
from arena.protocol.messages import Ready, encode_hello
from arena.sandbox.launcher import Sandbox
from engine.catalog import get_game

KEPT_BOTS: Final = 8
"""Maximum number of bots that run between matches in one worker. Each may use its full memory limit."""


@dataclass(slots=True)
class _Kept:
    """A bot in a match, or a reused bot between matches, with the number of matches that it has played."""

    session: Session
    matches: int


class MatchPlayer:
    """Play orders one after another with `play`, and call `close` at the end.

    A bot that answered hello with `reuse` plays another match if the league allows it, but never a second match on one
    seed. Only the rotations of one encounter share a seed, and a reused bot always plays the same rotation.

    A bot whose process cannot be killed never makes a match void: the next record names it
    (`MatchRecord.unkillable`).
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._kept: dict[tuple[Program, bytes, int], _Kept] = {}
        """Reused bots by program, hello and rotation. The least recently used bot is first."""
        self._prepared: dict[tuple[Program, bytes], Session] = {}
        """Bots that were started before their match. They have received only hello."""
        self._unkillable: dict[Program, bool] = {}
        """Bots that could not be killed since the last record, each with whether the kernel works for it."""
        self._position: int | None = None
        """Position of the last match that was played; None before the first."""

    def play(self, order: MatchOrder, watch: Watch | None = None) -> MatchRecord:
        """Play the ordered match. Afterwards only processes of reused bots run, unless the kernel does not end others.

        Raises the exception that makes the match void.
        """
        survivors.wait_for_the_core()
        hello = encode_hello(get_game(order.rules.game), order.rules)
        bots: list[_Kept] = []
        try:
            for program in order.programs:
                bot = self._take((program, hello, order.rotation))
                bots.append(bot or _Kept(self._start(program, hello, order), 0))
            self._drop_prepared()  # wrong predictions; these bots may still be starting, which would disturb turns
            record = play_match(order, [bot.session for bot in bots], watch)
        except BaseException:
            ahead = list(self._prepared.values())
            self._prepared.clear()
            self._end([*(bot.session for bot in bots), *ahead], polite=False)
            raise
        done: list[Session] = []
        for program, bot, result in zip(order.programs, bots, record.seats, strict=True):
            bot.matches += 1
            key = (program, hello, order.rotation)
            if result.cause is None and self._may_stay(bot, order) and key not in self._kept:
                self._kept[key] = bot
            else:
                done.append(bot.session)
        while len(self._kept) > KEPT_BOTS:
            done.append(self._kept.pop(next(iter(self._kept))).session)
        self._end(done, polite=True)
        self._position = order.position
        return replace(record, unkillable=self._take_unkillable())

    def prepare(self, order: MatchOrder, until: int) -> None:
        """Start the bots of the match that will probably be next, and wait for all handshakes.

        Return when all bots have answered and are frozen, or as soon as the descriptor `until` can be read. The
        start-up limit applies as usual when the match starts. If an exception is raised here, all these bots are
        killed.
        """
        self._drop_prepared()
        hello = encode_hello(get_game(order.rules.game), order.rules)
        try:
            for program in order.programs:
                if (program, hello, order.rotation) not in self._kept and (program, hello) not in self._prepared:
                    session = Session.launch(program, hello, order.rules, self._sandbox)
                    self._prepared[program, hello] = session
            wait_for_handshakes(list(self._prepared.values()), until)
        except BaseException:
            # The host may have disturbed these bots, so they must not play the match.
            self._drop_prepared()
            raise

    def close(self) -> tuple[Unkillable, ...]:
        """Close every reused bot, and return the bots that could not be killed."""
        self._drop_prepared()
        sessions = [bot.session for bot in self._kept.values()]
        self._kept.clear()
        self._end(sessions, polite=True)
        return self._take_unkillable()

    def _take_unkillable(self) -> tuple[Unkillable, ...]:
        """Return the bots that could not be killed, each once. Return none before the first match."""
        position, found = self._position, dict(self._unkillable)
        self._unkillable.clear()
        return () if position is None else tuple(Unkillable(bot, position, works) for bot, works in found.items())

    def _start(self, program: Program, hello: bytes, order: MatchOrder) -> Session:
        """Return a bot that has received only hello: a prepared bot, or a new one."""
        session = self._prepared.pop((program, hello), None)
        if session is not None and session.died_unasked():
            self._end([session], polite=False)
            session = None
        return session or Session.launch(program, hello, order.rules, self._sandbox)

    def _drop_prepared(self) -> None:
        sessions = list(self._prepared.values())
        self._prepared.clear()
        self._end(sessions, polite=False)

    def _take(self, key: tuple[Program, bytes, int]) -> _Kept | None:
        """Return the reused bot of this program and rotation, if it still runs and has sent nothing."""
        bot = self._kept.pop(key, None)
        if bot is not None and not bot.session.fit_for_another():
            # It ended since its last match, by itself or from outside. It must not forfeit the next match for that.
            self._end([bot.session], polite=False)
            bot = None
        return bot

    def _may_stay(self, bot: _Kept, order: MatchOrder) -> bool:
        if not order.rules.reuse or bot.matches >= order.rules.reuse_matches:
            return False
        greeting = bot.session.greet()
        return isinstance(greeting, Ready) and greeting.reuse

    def _end(self, sessions: Sequence[Session], *, polite: bool) -> None:
        """Close these sessions, and record the bots whose processes cannot be killed."""

        def close(session: Session) -> None:
            end = session.close(polite=polite)
            if end.survivors:
                bot = session.program
                self._unkillable[bot] = end.works or self._unkillable.get(bot, False)

        with contextlib.ExitStack() as closing:  # an error of one session does not prevent the close of others
            for session in sessions:
                closing.callback(close, session)
            # All bots have the same second to exit.
            for session in sessions if polite else ():
                session.dismiss()
