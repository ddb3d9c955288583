"""Tests of commands that a signal interrupts: they kill their bots and report what happened."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.linux import subreaper, survivors
from arena.sandbox.probe import probe
from arena.transport.base import Launch
from arena.transport.process import BotProcess
from tests.support.real_night import BOT

HANGS = """
import os, sys
for line in sys.stdin:
    if '"hello"' in line:
        print('{"type":"ready"}', flush=True)
    if '"turn"' in line:
        if os.fork() == 0:
            while True: pass
        while True: pass
"""


@pytest.mark.parametrize("mode", ["auto", "off"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_bot_outlives_a_command_that_a_signal_ends(place: Path, number: signal.Signals, mode: str) -> None:
    """A match is on; afterwards nothing of either bot is there, and the status names the signal."""
    shutil.copy(BOT, place / "polite.py")
    (place / "hangs.py").write_text(HANGS)
    command = [sys.executable, "-m", "arena", "play", "polite.py", "hangs.py", "--game", "burn_my_village", "--watch"]
    before = subreaper.adopt_orphans(True)
    known = subreaper.children()
    try:
        with subprocess.Popen(
            [*command, "--time-control", "60+0/60", "--sandbox", mode],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=place,
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # ignored where the tests run in the background
        ) as match:
            assert match.stdout is not None and match.stderr is not None
            assert any("turn 0" in line for line in match.stdout)
            os.kill(match.pid, number)
            err = match.stderr.read()
        assert match.returncode == 128 + number, err
        assert err.splitlines()[-1] == "arena: interrupted"  # after a line about missing layers, where any is
        assert not [pid for pid in subreaper.children() - known if survivors.alive(pid)]
    finally:
        subreaper.kill_adopted(known)
        subreaper.adopt_orphans(before)


def test_a_command_ends_what_it_did_not_come_to_close(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever went wrong, a bot that is still there is ended, and the status stays what it was."""
    transport = BotProcess(Launch(("sh", "-c", "echo born; read line"), "/usr", probe("off")))
    assert transport.wait(transport.clock() + 20) == b"born"
    assert main(["--version"]) == 0
    assert not survivors.alive(transport._first.pid)


def test_a_command_that_leaves_a_process_says_which_and_fails(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Status 1, with the number of the process and whose it is."""
    left = survivors.Survivor(4711, 1, "deaf:1", 0.0)
    monkeypatch.setattr(survivors, "living", lambda: [left])
    assert main(["--version"]) == 1
    assert "not ended 60 s after SIGKILL: process 4711 of deaf:1" in capfd.readouterr().err
