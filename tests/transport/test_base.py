"""Tests of the values that bound what the arena keeps of a bot and what a bot may use."""

from __future__ import annotations

from arena.sandbox.probe import probe
from arena.transport.base import (
    HeadAndTail,
    Launch,
    Limits,
)


def test_head_and_tail_bound_any_stream() -> None:
    """However much comes in whatever pieces, the first and the last bytes are kept, and the gap is named."""
    kept = HeadAndTail(100)
    stream = b"".join(b"%06d" % number for number in range(10_000))
    for start in range(0, len(stream), 7):
        kept.add(stream[start : start + 7])
    assert kept.read() == stream[:100] + b"\n[59800 bytes left out]\n" + stream[-100:]
    short = HeadAndTail(100)
    short.add(stream[:150])
    assert short.read() == stream[:150]


def test_limits_have_defaults_that_suit_every_runtime() -> None:
    """What a launch gets where nobody says otherwise."""
    assert Launch(("true",), "/", probe("off")).limits == Limits(512, 64, 64, 256, 64)
