"""Tests of the commands with hostile bots: untrusted leagues, killed commands, parked matches, suspended bots."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from arena.cli.app import App
from arena.cli.bot_programs import probe_sandbox
from arena.config.settings import league_rules
from arena.errors import ConfinementMissing
from arena.match.referee import Watch
from arena.model.records import MatchOrder, MatchRecord
from arena.night.entrants import stored_program
from arena.sandbox.launcher import NEEDED_FOR_STRANGERS
from arena.workers.player import MatchPlayer
from tests.cli.conftest import Arena
from tests.support.hosts import confinement
from tests.support.leftovers import DEAD_OWNER

LEAGUE = """
[league.strangers]
game = "burn_my_village"
untrusted = true
time_control = "5+0.05/0.5"
"""
STARTER = ("new", "polite", "--lang", "python")
CRASHER = """
import json, sys
for line in sys.stdin:
    if json.loads(line)["type"] == "hello":
        print('{"type":"ready"}', flush=True)
"""


@pytest.fixture
def strangers(place: Path) -> Path:
    """A league for bots of strangers, with two polite bots."""
    (place / "arena.toml").write_text(LEAGUE)
    return place


def hand_in(arena: Arena, *names: str) -> None:
    for name in names:
        assert arena("new", name, "--lang", "python").status == 0
        Path(f"{name}.py").write_text(Path(f"{name}.py").read_text() + f"# {name}\n")
        done = arena("submit", f"{name}.py", "--sandbox", "auto")
        assert done.status == 0, done.err


def test_a_league_of_strangers_is_not_played_without_confinement(strangers: Path, arena: Arena) -> None:
    """Each missing layer is named, with where to look; nothing is begun."""
    hand_in(arena, "ada", "grace")
    refused = arena("night", "run", "strangers", "--encounters", "1", "--sandbox", "off")
    assert refused.status == 1
    assert "league strangers is marked untrusted, and this host lacks namespaces" in refused.err
    assert "see `arena doctor`" in refused.err
    assert arena("night", "list", "--json").out.strip() == "[]"


@pytest.mark.parametrize("layer", NEEDED_FOR_STRANGERS)
def test_each_of_the_needed_layers_is_insisted_on(layer: str, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """One missing layer is enough to refuse, whichever it is."""
    from dataclasses import replace

    from arena.cli import bot_programs

    sandbox = confinement()
    poorer = replace(sandbox, layers=tuple(name for name in sandbox.layers if name != layer))
    rules = league_rules("strangers", {"game": "burn_my_village", "untrusted": True})
    monkeypatch.setattr(bot_programs, "probe_sandbox", lambda app, rules=None: sandbox)
    assert bot_programs.confine(App(), [rules]) is sandbox
    monkeypatch.setattr(bot_programs, "probe_sandbox", lambda app, rules=None: poorer)
    with pytest.raises(ConfinementMissing, match=rf"this host lacks {layer}:"):
        bot_programs.confine(App(), [rules])


def test_a_league_of_strangers_is_played_with_confinement(strangers: Path, arena: Arena) -> None:
    """And the night remembers the layers that were in force."""
    confinement()
    hand_in(arena, "ada", "grace")
    played = arena("night", "run", "strangers", "--encounters", "1", "--workers", "1")
    assert played.status == 0, played.err
    shown = json.loads(arena("night", "show", "strangers", "--json").out)
    assert set(NEEDED_FOR_STRANGERS) <= set(shown["sandbox"])


def test_the_next_command_says_what_it_ended(place: Path, arena: Arena) -> None:
    """Whoever types it learns why something was killed."""
    app = App()
    app.home.create()
    left = subprocess.Popen(["sleep", "60"], start_new_session=True)
    fields = Path(f"/proc/{left.pid}/stat").read_text().rpartition(")")[2].split()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    entry = app.home.started / f"{DEAD_OWNER}.{left.pid}.{fields[19]}"
    entry.write_text(boot)
    entry.chmod(0o600)
    said = arena("bot", "list")
    assert left.wait() == -signal.SIGKILL
    assert "an earlier command was killed: 1 leftover bot process was found and killed" in said.err
    assert arena("bot", "list").err == ""


def test_every_start_is_written_down(place: Path) -> None:
    """The commands that start bots know where."""
    app = App()
    assert probe_sandbox(app).ledger == str(app.home.started)


def test_matches_that_the_arena_spoils_twice_are_parked_and_counted(
    place: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception of ours costs no bot anything: void, again, parked; the night ends with a count and a status."""
    hand_in(arena, "ada", "grace")
    real = MatchPlayer.play

    def broken(self: MatchPlayer, order: MatchOrder, watch: Watch | None = None) -> MatchRecord:
        if order.rotation == 1:
            raise RuntimeError("a bug of the arena")
        return real(self, order, watch)

    with monkeypatch.context() as patched:
        patched.setattr(MatchPlayer, "play", broken)
        night = arena("night", "run", "burn_my_village", "--encounters", "2", "--workers", "1", "--quiet")
    assert night.status == 1
    assert "2 matches were void twice, due to the arena or its host, and are parked" in night.err
    shown = json.loads(arena("night", "show", "burn_my_village", "--json").out)
    assert (shown["finished"], shown["parked"], shown["attempts"]) == (2, 2, 4)
    assert {attempt["cause"] for attempt in shown["void_attempts"]} == {"RuntimeError"}
    assert all(line["forfeits"] == 0 for line in shown["standings"])
    again = arena("night", "resume", "burn_my_village", "--parked", "--workers", "1", "--quiet")
    assert again.status == 0, again.err
    assert json.loads(arena("night", "show", "burn_my_village", "--json").out)["finished"] == 4


def test_a_bot_that_forfeits_again_and_again_is_suspended(
    place: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a round's end, by the league's own count, said on the terminal and kept with the night."""
    (place / "arena.toml").write_text('[league.short]\ngame = "burn_my_village"\nsuspend_after = 2\n')
    hand_in(arena, "ada", "grace", "crash")
    (digest,) = (version["digest"] for version in json.loads(arena("bot", "show", "crash", "--json").out))
    program = App().home.bots / digest / "bot.py"
    program.parent.chmod(0o755)
    program.chmod(0o644)
    program.write_text(CRASHER)
    monkeypatch.setattr("arena.cli.commands.night.unchanged_program", stored_program)
    night = arena("night", "run", "short", "--encounters", "2", "--workers", "1", "--quiet")
    assert night.status == 0, night.err
    assert "crash:1 was suspended" in night.err
    entrants = json.loads(arena("night", "show", "short", "--json").out)["entrants"]
    (crashed,) = [entrant for entrant in entrants if entrant["bot"] == "crash:1"]
    assert crashed["state"] == "suspended" and "2 forfeits in a row" in crashed["reason"]
