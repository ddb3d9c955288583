"""Bots at a worker's tables: started for a match, kept for another where they may be, ended without a trace."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.linux import survivors
from arena.match.referee import Watch, play_match
from arena.match.session import Session, hear_all
from arena.model.records import MatchOrder, MatchRecord, Program, Unkillable
from arena.protocol.messages import Ready, encode_hello
from arena.sandbox.launcher import Sandbox
from engine.catalog import get_game

KEPT_BOTS: Final = 8
"""So many bots at most stay alive between matches in one worker: each may hold as much memory as one bot may."""


@dataclass(slots=True)
class _Kept:
    """A bot that waits for its next match."""

    session: Session
    matches: int


class MatchPlayer:
    """Plays orders one after another; call it with an order, and `leave` at the end.

    A bot that answered hello with `reuse` stays alive for another match where the league allows it, but never for a
    second match on one seed: only the rotations of one encounter share a seed, and a kept bot plays one rotation alone,
    round after round.

    A bot whose process cannot be ended never makes a match void: the next record names it
    (`MatchRecord.unkillable`).
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._kept: dict[tuple[Program, bytes, int], _Kept] = {}
        """By program, hello and rotation; the one that was used longest ago comes first."""
        self._prepared: dict[tuple[Program, bytes], Session] = {}
        """Started ahead of their match: they have heard nothing but hello."""
        self._unkillable: dict[str, bool] = {}
        """Who was found so since the last record, and whether the kernel works for it."""
        self._match_id = ""
        """The last match that was played."""

    def __call__(self, order: MatchOrder, watch: Watch | None = None) -> MatchRecord:
        """Play the ordered match; no process of a bot that is not kept is alive afterwards, if the kernel ends it.

        Raises what makes the match void.
        """
        survivors.wait_for_the_core()
        hello = encode_hello(get_game(order.rules.game), order.rules)
        table: list[_Kept] = []
        try:
            for program in order.programs:
                bot = self._take((program, hello, order.rotation))
                table.append(bot or _Kept(self._start(program, hello, order), 0))
            self._drop_prepared()  # guessed wrong; they may still be starting, and somebody will be on turn now
            record = play_match(order, [bot.session for bot in table], watch)
        except BaseException:
            ahead = list(self._prepared.values())
            self._prepared.clear()
            self._end([*(bot.session for bot in table), *ahead], polite=False)
            raise
        done: list[Session] = []
        for program, bot, result in zip(order.programs, table, record.seats, strict=True):
            bot.matches += 1
            place = (program, hello, order.rotation)
            if result.cause is None and self._may_stay(bot, order) and place not in self._kept:
                self._kept[place] = bot
            else:
                done.append(bot.session)
        while len(self._kept) > KEPT_BOTS:
            done.append(self._kept.pop(next(iter(self._kept))).session)
        self._end(done, polite=True)
        self._match_id = order.match_id
        return replace(record, unkillable=self._take_unkillable())

    def prepare(self, order: MatchOrder, until: int) -> None:
        """Start the bots of a match that will probably come next, and hear their greetings.

        Ends when all have answered and are frozen, or as soon as the descriptor `until` can be read. Each is judged by
        its start-up limit as ever, when its match begins. Whatever is raised here, nothing is left of any of them.
        """
        self._drop_prepared()
        hello = encode_hello(get_game(order.rules.game), order.rules)
        try:
            for program in order.programs:
                if (program, hello, order.rotation) not in self._kept and (program, hello) not in self._prepared:
                    session = Session.launch(program, hello, order.rules, self._sandbox)
                    self._prepared[program, hello] = session
            hear_all(list(self._prepared.values()), until)
        except BaseException:
            # What the host has done to them must not be held against them in their match.
            self._drop_prepared()
            raise

    def leave(self) -> tuple[Unkillable, ...]:
        """End every bot that is kept; gives those of them that could not be ended."""
        self._drop_prepared()
        sessions = [bot.session for bot in self._kept.values()]
        self._kept.clear()
        self._end(sessions, polite=True)
        return self._take_unkillable()

    def _take_unkillable(self) -> tuple[Unkillable, ...]:
        """Who could not be ended, each told once; nobody before there was a match."""
        found = tuple(Unkillable(bot, self._match_id, works) for bot, works in self._unkillable.items())
        self._unkillable.clear()
        return found if self._match_id else ()

    def _start(self, program: Program, hello: bytes, order: MatchOrder) -> Session:
        """A bot that has heard nothing but hello: started ahead, or now."""
        session = self._prepared.pop((program, hello), None)
        if session is not None and session.died_unasked():
            self._end([session], polite=False)
            session = None
        return session or Session.launch(program, hello, order.rules, self._sandbox)

    def _drop_prepared(self) -> None:
        sessions = list(self._prepared.values())
        self._prepared.clear()
        self._end(sessions, polite=False)

    def _take(self, place: tuple[Program, bytes, int]) -> _Kept | None:
        """The bot of that program and rotation that was kept, if it is still alive and silent."""
        bot = self._kept.pop(place, None)
        if bot is not None and not bot.session.fit_for_another():
            # Killed from outside or by its own doing since its last match: no reason to lose the next one.
            self._end([bot.session], polite=False)
            bot = None
        return bot

    def _may_stay(self, bot: _Kept, order: MatchOrder) -> bool:
        if not order.rules.reuse or bot.matches >= order.rules.reuse_matches:
            return False
        greeting = bot.session.greet()
        return isinstance(greeting, Ready) and greeting.reuse

    def _end(self, sessions: Sequence[Session], *, polite: bool) -> None:
        """End these, and note whose processes cannot be ended."""

        def close(session: Session) -> None:
            ending = session.close(polite=polite)
            if ending.survivors:
                label = session.program.label
                self._unkillable[label] = ending.works or self._unkillable.get(label, False)

        with contextlib.ExitStack() as closing:  # whatever fails for one, all are closed
            for session in sessions:
                closing.callback(close, session)
            # They share the second in which a bot may leave.
            for session in sessions if polite else ():
                session.dismiss()
