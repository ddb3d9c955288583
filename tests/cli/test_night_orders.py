"""Tests of an organiser's commands: plan a night, limit its length, change it while it runs, schedule its start."""

from __future__ import annotations

import configparser
import json
import re
import select
import socket
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import click
import pytest

from arena.cli.time_limits import Duration, TimeOfDay, next_time, time_left
from arena.night.control import SOCKET_FILE
from arena.store.connection import Database, find_url
from arena.store.schema import REVISIONS, run_migrations
from arena.store.store import Store
from tests.cli.conftest import GAME, Arena


def test_a_dry_run_says_what_a_night_would_be_and_changes_nothing(arena: Arena, four_bots: None) -> None:
    """Matches and rounds of each schedule before anything was played; no night is begun."""
    ran = arena("night", "run", GAME, "--dry-run", "--workers", "2")
    assert ran.status == 0, ran.err
    assert ran.out.splitlines() == [
        f"league {GAME}: 4 bots, round_robin",
        "matches  12 (12 at 2 seats)",
        "rounds   1",
        "time     unknown: no match with these seat counts has been played yet",
    ]
    for options, matches, rounds in [
        (["--schedule", "swiss"], 16, 4),
        (["--schedule", "ladder", "--encounters", "3"], 12, 3),
        (["--schedule", "knockout", "--encounters", "2"], 16, 2),
        (["--schedule", "gauntlet", "--challenger", "west", "--encounters", "5"], 30, 1),
        (["--encounters", "6"], 24, 2),
    ]:
        found = json.loads(arena("night", "run", GAME, "--dry-run", "--json", *options).out)
        assert (found["matches"], found["rounds"], found["expected_s"]) == (matches, rounds, None), options
    assert json.loads(arena("night", "list", "--json").out) == []


def test_a_knockout_with_a_third_place_and_then_a_forecast(program: Arena, four_bots: None) -> None:
    """A whole night of another schedule with real bots; afterwards turn times are known, and a night that has no time
    does not begin its first round."""
    ran = program("night", "run", GAME, "--schedule", "knockout", "--encounters", "1", "--workers", "2", "--quiet")
    assert ran.status == 0, ran.err
    podium = re.findall(r"^(first|second|third|fourth): (\w+):1$", ran.err, re.MULTILINE)
    assert [place for place, _ in podium] == ["first", "second", "third", "fourth"]
    assert len({bot for _, bot in podium}) == 4
    found = json.loads(program("night", "run", GAME, "--dry-run", "--json", "--workers", "2").out)
    assert 0 < found["expected_s"] < 60
    stopped = program("night", "run", GAME, "--budget", "0.000001s")
    assert stopped.status == 0
    assert "does not start" in stopped.err and "resume it with" in stopped.err
    assert json.loads(program("night", "list", "--json").out)[0]["state"] == "open"
    resumed = program("night", "run", GAME, "--or-resume", "--quiet")
    assert resumed.status == 0, resumed.err
    assert json.loads(program("night", "list", "--json").out)[0]["state"] == "closed"


LATER = """\
import itertools, sys, time
from types import SimpleNamespace
import arena.cli.main, arena.cli.time_limits
early = int(sys.argv.pop(1))
moments = itertools.chain([0.0] * early, itertools.repeat(1e11))
arena.cli.time_limits.time = SimpleNamespace(time=lambda: next(moments), monotonic=time.monotonic)
arena.cli.main.run()
"""


def test_a_night_ends_at_a_time_of_day(arena: Arena, four_bots: None, place: Path) -> None:
    """`--until` lets no round begin after that moment, also where a night goes on."""
    for early, verb in (
        ("2", ["run", GAME, "--encounters", "6"]),  # a night asks twice before its first round
        ("0", ["resume", GAME]),
        ("0", ["run", GAME, "--or-resume"]),
    ):
        command = [sys.executable, "-c", LATER, early, "night", *verb, "--until", "12:00"]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=place)
        assert ran.returncode == 0, ran.stderr
        assert "the time limit is reached: the next round, of 12 matches, does not start" in ran.stderr
    shown = json.loads(arena("night", "show", "--json").out)
    assert (shown["state"], shown["rounds"], shown["finished"]) == ("open", 1, 12)


def test_bots_come_and_go_while_a_night_runs(program: Arena, four_bots: None, place: Path) -> None:
    """`workers`, `add` and `drop` reach the running night and say from which round on they act."""
    assert program("bot", "withdraw", "west").status == 0
    command = [sys.executable, "-m", "arena", "night", "run", GAME, "--encounters", "100", "--workers", "1", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place) as night:
        assert night.stdout is not None
        next(line for line in night.stdout if '"match_done"' in line)
        refused = program("night", "add", "west")
        assert refused.status == 1
        names = "north, east, south"
        unknown = f"arena: 'west' is not entered in {GAME}: expected one of {names}, or `arena submit`\n"
        assert refused.err == unknown
        refused = program("night", "drop", "nobody")
        assert refused.status == 1
        assert refused.err == "arena: 'nobody' does not play in this night: expected one of east, north, south\n"
        assert program("bot", "restore", "west").status == 0
        added = program("night", "add", "west")
        assert re.fullmatch(r"west:1 plays from round \d+ on\n", added.out), added.err
        dropped = program("night", "drop", "east")
        assert re.fullmatch(r"east:1 is dropped from round \d+ on\n", dropped.out), dropped.err
        changed = program("night", "workers", "2").out
        assert changed == "the night plays 2 matches at the same time from its next round on\n"
        events = [json.loads(line) for line in night.stdout if '"progress"' not in line and '"match_done"' not in line
                  and program_once(program, line)]  # fmt: skip
        night.communicate()
    kinds = [event["event"] for event in events]
    assert {"entrant_added", "entrant_dropped", "workers_changed"} <= set(kinds)


def program_once(program: Arena, line: str) -> bool:
    """Stops the night after the round in which all was heard; always true."""
    if '"workers_changed"' in line:
        assert program("night", "stop", "--after-round").status == 0
    return True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["night", "run", GAME, "--schedule", "gauntlet"], "belong together"),
        (["night", "run", GAME, "--challenger", "west"], "belong together"),
        (["night", "run", GAME, "--schedule", "gauntlet", "--challenger", "nobody"], "expected one of"),
        (["night", "run", GAME, "--schedule", "swiss", "--all"], "takes --encounters"),
        (["night", "run", GAME, "--until", "25:00"], "expected a time of day such as 22:00"),
        (["night", "run", GAME, "--budget", "2 hours"], "expected a duration such as 2h"),
        (["night", "run", GAME, "--budget", "0h"], "expected a duration such as 2h"),
        (["night", "timer", GAME, "someday"], "expected for example 'FRI 20:00'"),
        (["night", "timer", GAME, "FRI,XYZ 20:00"], "expected for example 'FRI 20:00'"),
        (["night", "workers", "0"], "0 is not in the range"),
    ],
)
def test_what_cannot_be_meant_is_refused(arena: Arena, arguments: list[str], message: str) -> None:
    """One sentence, exit status 2."""
    ran = arena(*arguments)
    assert ran.status == 2
    assert message in ran.err


@pytest.mark.parametrize("verb", [["workers", "3"], ["add", "west"], ["drop", "west"]])
def test_without_a_running_night_there_is_nobody_to_ask(arena: Arena, verb: list[str]) -> None:
    """The sentence says so."""
    ran = arena("night", *verb)
    assert ran.status == 1
    assert "no night is being played in this home at the moment" in ran.err


@pytest.mark.parametrize("verb", [["workers", "3"], ["add", "west"], ["drop", "west"], ["stop"]])
def test_a_night_that_ends_while_it_is_asked_is_none(arena: Arena, place: Path, verb: list[str]) -> None:
    """One sentence and exit status 1, as a moment later."""
    path = place / "home" / "run" / SOCKET_FILE
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as night:
        night.bind(str(path))
        night.listen()

        def end() -> None:
            select.select([night], [], [])
            night.close()
            path.unlink()

        ending = threading.Thread(target=end)
        ending.start()
        ran = arena("night", *verb)
        ending.join()
    assert ran.status == 1
    assert ran.err == "arena: no night is being played in this home at the moment\n"


def test_durations_and_times_of_day() -> None:
    """Read as people write them; the time that is left follows the clock that each is about."""
    context = click.Context(click.Command("x"))
    seconds = [Duration().convert(text, None, context) for text in ("2h", "90m", "1h30m", "45s", "1.5h", "10 min")]
    assert seconds == [7200, 5400, 5400, 45, 5400, 600]
    until = TimeOfDay().convert("22:00", None, context)
    assert (until.hour, until.minute) == (22, 0)
    assert 0 < (until - datetime.now().astimezone()).total_seconds() <= 25 * 3600
    assert time_left(None, None) is None
    left = time_left(until, 10)
    assert left is not None and left() <= 10
    passed = time_left(datetime.fromtimestamp(time.time() - 5).astimezone(), 1000)
    assert passed is not None and -7 < passed() < -4


def test_the_timer_prints_units_and_a_crontab_line(arena: Arena, place: Path) -> None:
    """Both units can be read, the line has five fields and the command; odd characters of the home are quoted."""
    home = place / "home"
    home.mkdir(exist_ok=True)
    (home / "arena.toml").write_text('[league.friday]\ngame = "lanterns"\n')
    ran = arena("night", "timer", "friday", "fri 20:00", "--budget", "2h", "--json")
    assert ran.status == 0, ran.err
    found = json.loads(ran.out)
    service, timer = configparser.RawConfigParser(), configparser.RawConfigParser()
    service.read_string(found["arena-friday.service"])
    timer.read_string(found["arena-friday.timer"])
    assert service["Service"]["ExecStart"].endswith("night run friday --or-resume --yes --quiet --budget 2h")
    assert service["Service"]["WorkingDirectory"] == str(home)
    assert timer["Timer"]["OnCalendar"] == "Fri *-*-* 20:00:00"
    assert found["crontab"].startswith(f"0 20 * * 5 cd {home} && ARENA_HOME={home} ")
    text = arena("night", "timer", "friday", "fri 20:00").out
    assert "# ~/.config/systemd/user/arena-friday.timer" in text and "crontab -e" in text


def carried(unit: str) -> dict[str, str]:
    """The environment that systemd reads in a unit."""
    words = [line.removeprefix("Environment=") for line in unit.splitlines() if line.startswith("Environment=")]
    plain = [word[1:-1].replace('\\"', '"').replace("\\\\", "\\") if word.startswith('"') else word for word in words]
    return dict(word.replace("%%", "%").split("=", 1) for word in plain)


def test_the_timer_plays_as_this_shell_would(arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units and crontab line carry every variable that changes a night; a shell without them, in another folder,
    comes to the same database by the line."""
    monkeypatch.setenv("ARENA_HOME", str(place / "50% $HOME"))
    home = place / "50% $HOME"
    home.mkdir()
    set_here = {"ARENA_WORKERS": "2", "ARENA_ENCOUNTERS": "3", "ARENA_SANDBOX": "off", "ARENA_BOT_USERS": "64100-64900"}
    for name, value in {**set_here, "ARENA_COLOR": "never", "ARENA_DATABASE_URL": "sqlite:///a night%25.db"}.items():
        monkeypatch.setenv(name, value)
    found = json.loads(arena("night", "timer", GAME, "20:00", "--json").out)
    environment = carried(found[f"arena-{GAME}.service"])
    database = find_url(environment.pop("ARENA_DATABASE_URL")).database
    assert environment == {"ARENA_HOME": str(home), **set_here}
    assert database is not None and Path(database).parent == place and not Path(database).exists()
    assert found["notes"] == []
    assert re.search(r"(?<!\\)%", found["crontab"]) is None  # cron makes a new line of it
    line = found["crontab"].split(maxsplit=5)[5].replace("\\%", "%")
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(place)}
    ran = subprocess.run(["sh", "-c", line], env=bare, cwd="/", capture_output=True, text=True)
    assert ran.returncode == 1 and "at least 2 bots, got 0" in ran.stderr, ran.stderr
    assert Path(database).is_file() and not (home / "arena.db").exists()


@pytest.mark.parametrize(
    "url",
    ["postgresql+psycopg://me:s%25cret@host/arena", "postgresql://me@host/arena?sslmode=require&password=s%25cret"],
)
def test_a_password_is_written_into_no_unit(arena: Arena, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Others may read units and command lines: a sentence says where it belongs; all else of the URL is kept."""
    monkeypatch.setenv("ARENA_DATABASE_URL", url)
    ran = arena("night", "timer", GAME, "20:00")
    assert ran.status == 0, ran.err
    assert "cret" not in ran.out + ran.err
    assert "~/.pgpass (chmod 600), as the line host:*:arena:me:PASSWORD\n" in ran.out
    found = json.loads(arena("night", "timer", GAME, "20:00", "--json").out)
    assert "cret" not in str(found)
    assert "as the line host:*:arena:me:PASSWORD" in found["notes"][0]
    kept = find_url(carried(found[f"arena-{GAME}.service"])["ARENA_DATABASE_URL"])
    assert kept == find_url("postgresql://me@host/arena" + ("?sslmode=require" if "ssl" in url else ""))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://me:secret@host/arena", None),
        ("sqlite:////srv/league.db", None),
        ("sqlite:///league.db", "sqlite:///{place}/league.db"),
    ],
)
def test_what_the_settings_file_says_is_said_once(arena: Arena, place: Path, url: str, expected: str | None) -> None:
    """The timer reads the file itself; only a file that it would look for elsewhere is named in full."""
    (place / "home").mkdir(exist_ok=True)
    (place / "home" / "arena.toml").write_text(f'database_url = "{url}"\n')
    found = json.loads(arena("night", "timer", GAME, "20:00", "--json").out)
    environment = carried(found[f"arena-{GAME}.service"])
    assert environment.get("ARENA_DATABASE_URL") == (expected and expected.format(place=place))
    assert found["notes"] == []


def test_an_older_database_is_upgraded_by_command(arena: Arena, place: Path) -> None:
    """A script is told the command; it copies the file first, and then everything works."""
    home = place / "home"
    home.mkdir(exist_ok=True)
    database = Database(find_url(home))
    with database.writing() as connection:
        run_migrations(connection, REVISIONS[0])
    database.close()
    refused = arena("bot", "list")
    assert refused.status == 1
    assert "upgrade it with `arena doctor --upgrade`" in refused.err and "is copied to" in refused.err
    assert arena("doctor", "--upgrade").status == 0
    assert (home / f"arena.db.before-{REVISIONS[1]}").is_file()
    assert arena("bot", "list").status == 0
    with Store.open(home) as store:
        assert store.leagues() == []


@pytest.mark.parametrize(
    ("now", "asked", "expected", "remark"),
    [
        ("2026-03-28T20:00+01:00", (22, 0), "2026-03-28T22:00+01:00", ""),
        ("2026-03-28T22:00+01:00", (22, 0), "2026-03-29T22:00+02:00", ""),
        ("2026-03-29T01:30+01:00", (2, 30), "2026-03-29T03:30+02:00", "the clocks skip 02:30 that day: it means 03:30"),
        ("2026-03-29T01:30+01:00", (3, 0), "2026-03-29T03:00+02:00", ""),
        ("2026-10-25T01:30+02:00", (2, 30), "2026-10-25T02:30+02:00", "the clocks show 02:30 twice that day"),
        ("2026-10-25T02:40+02:00", (2, 30), "2026-10-25T02:30+01:00", "the clocks show 02:30 twice that day"),
        ("2026-10-25T02:40+01:00", (2, 30), "2026-10-26T02:30+01:00", ""),
    ],
)
def test_a_time_of_day_is_right_when_the_clocks_change(
    monkeypatch: pytest.MonkeyPatch, now: str, asked: tuple[int, int], expected: str, remark: str
) -> None:
    """A skipped time and a time that comes twice have one meaning each, and the user reads which."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")  # Central Europe, without a time zone database
    time.tzset()
    try:
        at, said = next_time(datetime.fromisoformat(now).timestamp(), *asked)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert at == datetime.fromisoformat(expected) and said.startswith(remark) and bool(said) == bool(remark)
