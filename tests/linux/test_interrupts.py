"""Tests of signals that end a command: the first one counts, and no atomic work is interrupted."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from arena.linux import interrupts
from arena.linux.interrupts import Interrupted


@pytest.fixture(autouse=True)
def taken() -> Iterator[None]:
    """The handlers, and afterwards all as before."""
    before = {number: signal.getsignal(number) for number in interrupts.ENDING}
    for number in interrupts.ENDING:
        signal.signal(number, signal.SIG_DFL)  # they may be ignored where the tests run in the background
    interrupts.install()
    yield
    interrupts._forget()
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_first_signal_ends_and_further_ones_do_not_disturb(capfd: pytest.CaptureFixture[str]) -> None:
    """So that what is given back on the way out is given back."""
    with pytest.raises(Interrupted):
        os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    assert interrupts.seen() == signal.SIGTERM
    assert "ending the bots" in capfd.readouterr().err


@pytest.mark.parametrize("fails", [False, True])
def test_a_signal_waits_for_what_must_be_whole(fails: bool) -> None:
    """Also for what fails, and for all that it lies in."""
    done = []
    with pytest.raises(Interrupted), interrupts.whole():
        with interrupts.whole():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("inside")
        done.append("outside")
        if fails:
            raise OSError
    assert done == ["inside", "outside"]


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    """As `nohup` wants it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupts.install()
    os.kill(os.getpid(), signal.SIGHUP)
    assert interrupts.seen() is None
