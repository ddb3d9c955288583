"""Tests of the pipes of a process: the arena never blocks and is never deceived."""

from __future__ import annotations

import pytest

from arena.protocol.messages import LINE_BYTES, MESSAGE_BYTES
from arena.sandbox.launcher import Sandbox
from arena.transport.base import (
    OUTPUT_CAP,
    EndOfOutput,
    LineTooLong,
)
from arena.transport.pipes import PIPE_BYTES
from tests.support.processes import soon, started


def test_a_bot_that_does_not_read_blocks_nobody(bare: Sandbox) -> None:
    """Messages beyond the pipe are kept and written while waiting; the clock starts with the first refusal."""
    with started(bare, "sh", "-c", "read go; cat | wc -c") as transport:
        for _ in range(3):
            before = transport.clock()
            assert before <= transport.send(b"x" * 999_999 + b"\n") <= transport.clock()
        transport.end_input()
        assert transport.wait(soon(transport)) == b"2000000"


def test_a_closed_input_is_no_error(bare: Sandbox) -> None:
    """A bot that closed its input is judged by what it writes."""
    with started(bare, "sh", "-c", "exec 0<&-; echo closed; sleep 60") as transport:
        assert transport.wait(soon(transport)) == b"closed"
        transport.send(b"hello\n")
        assert transport.wait(transport.clock()) is None


def test_silence_ends_at_the_deadline(bare: Sandbox) -> None:
    """None at the deadline, however much the bot writes to stderr meanwhile."""
    with started(bare, "sh", "-c", "while :; do echo noise >&2; done") as transport:
        deadline = soon(transport, 0.05)
        assert transport.wait(deadline) is None
        assert deadline <= transport.clock() < deadline + 1.0


def test_lines_come_one_by_one(bare: Sandbox) -> None:
    """What is written in one breath is read as single lines, and shows as waiting before it is asked for."""
    with started(bare, "printf", "one\\ntwo\\nthree") as transport:
        assert transport.wait(soon(transport)) == b"one"
        assert transport.waiting() == b"two\nthree"
        assert transport.wait(soon(transport)) == b"two"
        with pytest.raises(EndOfOutput) as caught:
            transport.wait(soon(transport))
        assert caught.value.alive is False


@pytest.mark.parametrize(("length", "fits"), [(OUTPUT_CAP, True), (OUTPUT_CAP + 1, False)])
def test_a_line_is_measured_before_its_newline(bare: Sandbox, length: int, fits: bool) -> None:
    """The longest line fits, one byte more is refused."""
    with started(bare, "python3", "-I", "-c", f"print('x' * {length})") as transport:
        if fits:
            assert transport.wait(soon(transport)) == b"x" * length
        else:
            with pytest.raises(LineTooLong):
                transport.wait(soon(transport))


def test_an_endless_line_is_refused_without_its_end(bare: Sandbox) -> None:
    """Nobody waits for the newline of a flood."""
    with started(bare, "cat", "/dev/zero") as transport, pytest.raises(LineTooLong):
        transport.wait(soon(transport))


def test_last_words_of_a_bot_count_though_a_helper_holds_the_pipe(bare: Sandbox) -> None:
    """An answer written before the end is heard; then the end of the bot is the end of its output."""
    with started(bare, "sh", "-c", "sleep 60 & echo bye") as transport:
        assert transport.wait(soon(transport)) == b"bye"
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))


def test_the_pipe_takes_what_the_protocol_allows() -> None:
    """A transport knows no protocol, but its bounds are the same: the longest line out, the longest message in."""
    assert (OUTPUT_CAP, PIPE_BYTES) == (LINE_BYTES, MESSAGE_BYTES)
