"""What a bot writes to stderr reaches its author: after a healthy match where asked, after a crash at once."""

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import GAME, Arena

TALKS = """import json, sys
print("my start", file=sys.stderr)
matches = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","reuse":true}', flush=True)
    elif message["type"] == "start":
        matches += 1
        print("match", matches, file=sys.stderr)
    elif message["type"] == "turn":
        CRASH
        print('{"action":0}', flush=True)
"""
CRASHES = TALKS.replace("CRASH", 'if message["turn"] > 2: print("x" * 9000, file=sys.stderr); {}["card"]')


@pytest.fixture
def bots(place: Path) -> Path:
    (place / "talks.py").write_text(TALKS.replace("CRASH", "pass"))
    (place / "crashes.py").write_text(CRASHES)
    return place


def test_play_shows_stderr_of_a_healthy_bot_where_asked(bots: Path, arena: Arena) -> None:
    """In text for the seats that are named, in JSON for all."""
    command = ("play", "talks.py", "talks.py", "--game", GAME)
    asked = arena(*command, "--stderr", "1")
    assert asked.status == 0
    assert "stderr of seat 1 (talks):\n  my start\n  match 1\n" in asked.out
    assert "stderr" not in asked.out.replace("stderr of seat 1", "")
    assert "stderr" not in arena(*command).out
    seats = json.loads(arena(*command, "--json").out)["seats"]
    assert [seat["stderr"] for seat in seats] == ["my start\nmatch 1\n"] * 2
    beyond = arena(*command, "--stderr", "2")
    assert (beyond.status, "there is no seat 2: expected 0 to 1" in beyond.err) == (2, True)


def test_a_crash_shows_its_traceback_at_once(bots: Path, arena: Arena) -> None:
    """By `play`, `check` and `submit`, without being asked."""
    for command in ("play crashes.py talks.py", "check crashes.py", "submit crashes.py"):
        ran = arena(*shlex.split(command), "--game", GAME)
        shown = ran.out + ran.err
        assert "Traceback (most recent call last):" in shown, command
        assert "KeyError: 'card'" in shown


def test_check_shows_stderr_of_a_healthy_bot_where_asked(bots: Path, arena: Arena) -> None:
    """What it wrote in its last match; by default a line says how to see it."""
    told = arena("check", "talks.py", "--game", GAME)
    assert "the bot wrote to stderr: --stderr shows it" in told.err
    assert "my start" not in told.out
    asked = arena("check", "talks.py", "--game", GAME, "--stderr")
    assert "stderr of the bot in its last match:\n" in asked.out
    # The last match is played in a new process, to compare it with the reused one.
    assert json.loads(arena("check", "talks.py", "--game", GAME, "--json").out)[0]["stderr"] == "my start\nmatch 1\n"


def test_a_night_stores_stderr_of_each_match_of_every_seat(bots: Path, arena: Arena) -> None:
    """Of a reused process, only what it wrote in that match."""
    (bots / "other.py").write_text(TALKS.replace("CRASH", "pass") + "#\n")
    assert arena("submit", "talks.py", "other.py", "--game", GAME).status == 0
    assert arena("night", "run", GAME, "--encounters", "2", "--workers", "1", "--quiet").status == 0
    written = set()
    for position in range(4):
        for seat in "01":
            shown = arena("match", "show", f"{GAME}-1-{position}", "--stderr", seat)
            assert shown.status == 0 and shown.out.count("match ") == 1
            written.add(shown.out)
    assert written == {"my start\nmatch 1\n", "match 2\n"}
