"""Tests of a turn: its steps have one order, and its numbers follow from that order."""

from __future__ import annotations

import pytest

from arena.transport.cpu_accounting import NoEvidence
from arena.transport.turn import Turn, TurnParts

STEP_S = 1.0


class Parts:
    """All parts of a turn in one: each notes what it is told, and takes a second."""

    name = "parts"

    def __init__(self, due: float = 1e9, used_s: float | None = None) -> None:
        self.log: list[str] = []
        self.now = 100.0
        self.due = due
        self._used_s = used_s
        self.counters = Counters(self)

    def clock(self) -> float:
        return self.now

    def note(self, step: str) -> None:
        self.log.append(step)
        self.now += STEP_S

    def send(self, message: bytes) -> float:
        self.note(message.decode())
        return self.now

    def freeze(self) -> None:
        self.note("freeze")

    def thaw(self) -> None:
        self.note("thaw")

    def run(self) -> None:
        self.note("check")

    def used_since(self) -> float | None:
        return self._used_s

    def turn(self) -> Turn:
        return Turn(TurnParts(self.send, self.clock, self, self.counters, self), b"send", self.now)


class Counters(NoEvidence):
    name = "counted"

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def forget(self) -> None:
        self._parts.note("forget")

    def begin(self, now: float) -> None:
        self._parts.note("begin")

    def finish(self, wall_s: float) -> tuple[float, float]:
        self._parts.note("finish")
        return 0.25, wall_s / 2

    def look(self, wall_s: float) -> tuple[float, float]:
        self._parts.note("look")
        return 0.125, wall_s / 4


def test_a_turn_thaws_freezes_and_reads_its_counters() -> None:
    """The clock starts before the bot runs, and stops before it is frozen; what the arena needs is counted apart."""
    parts = Parts()
    with parts.turn() as turn:
        parts.note("play")
    assert parts.log == ["begin", "send", "thaw", "play", "freeze", "finish"]
    assert (turn.wall_s, turn.excused_s, turn.cpu_s) == (2 * STEP_S, 0.25, STEP_S)
    assert turn.latency_s == 4 * STEP_S
    assert turn.source == "counted"


def test_the_check_comes_last_and_is_no_part_of_the_turn() -> None:
    """Only where it is due."""
    parts = Parts(due=106.0)
    with parts.turn() as turn:
        parts.note("play")
    assert parts.log[-3:] == ["freeze", "finish", "check"]
    assert (turn.wall_s, turn.latency_s) == (2 * STEP_S, 4 * STEP_S)


def test_what_it_used_while_it_was_frozen_is_charged_and_forgotten() -> None:
    """Before the counters of this turn begin."""
    parts = Parts(used_s=0.5)
    with parts.turn() as turn:
        pass
    assert parts.log[:3] == ["forget", "begin", "send"]
    assert (turn.wall_s, turn.cpu_s) == (STEP_S + 0.5, STEP_S / 2)


def test_a_turn_that_fails_is_looked_at_and_leaves_the_bot_running() -> None:
    """Its process may be gone by then; the error goes on."""
    parts = Parts(due=0.0)
    turn = parts.turn()
    with pytest.raises(KeyError), turn:
        raise KeyError
    assert parts.log == ["begin", "send", "thaw", "look"]
    assert (turn.wall_s, turn.excused_s, turn.cpu_s, turn.latency_s) == (STEP_S, 0.125, STEP_S / 4, 2 * STEP_S)
