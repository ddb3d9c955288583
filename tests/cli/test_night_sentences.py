"""Tests of the messages of `arena night`: before a night starts, while it is open, and when a command is refused."""

from __future__ import annotations

import io
import json
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from arena.schedules.base import ASK_ABOVE_MATCHES
from arena.store.values import PlayingTime
from tests.cli.conftest import GAME, Arena


def settings(place: Path, text: str) -> None:
    home = place / "home"
    home.mkdir(exist_ok=True)
    (home / "arena.toml").write_text(text)


def test_a_knockout_of_a_league_without_two_seats_is_refused_before_it_begins(
    arena: Arena, four_bots: None, place: Path
) -> None:
    """In the dry run as well; the league has no open night afterwards."""
    settings(place, f'[league.four]\ngame = "{GAME}"\nseats = [4]\n[league.both]\ngame = "{GAME}"\nseats = [2, 4]\n')
    for league, options in (("four", []), ("both", ["--seats", "4"])):
        for dry in (["--dry-run"], []):
            ran = arena("night", "run", league, "--schedule", "knockout", *options, *dry)
            assert ran.status == 2, ran.err
            assert "a knockout is played at two seats, and this night would have 4" in ran.err, ran.err
    assert json.loads(arena("night", "list", "--json").out) == []


def test_a_dry_run_of_a_league_that_nobody_is_in_yet(arena: Arena, four_bots: None, place: Path) -> None:
    """It counts the bots that the night would enter, and enters none."""
    settings(place, f'[league.fresh]\ngame = "{GAME}"\n')
    ran = arena("night", "run", "fresh", "--dry-run", "--schedule", "gauntlet", "--challenger", "west")
    assert ran.status == 0, ran.err
    assert "league fresh: 4 bots, gauntlet" in ran.out
    assert "fresh            burn_my_village  2      10+0.1/2         0       0" in arena("league", "list").out


@pytest.mark.parametrize(
    ("nights", "said"),
    [
        (
            [PlayingTime(4, {2: 10}, 1.0)],
            "at least 10 s with 2 workers, for the bots' turns alone: other costs are not measured yet",
        ),
        (
            [PlayingTime(4, {2: 10}, 1.0), PlayingTime(3, {2: 1200}, 75.0), PlayingTime(2, {2: 9}, 9.0)],
            "about 25 s with 2 workers, if matches take as long as in night 3 (1,200 matches in 1 min 15 s)",
        ),
        (
            [PlayingTime(4, {2: 10}, 2.0), PlayingTime(3, {2: 10}, 1.0)],
            "about 1 min 0 s with 2 workers, if matches take as long as in nights 3 to 4 (20 matches in 3 s)",
        ),
    ],
)
def test_a_forecast_says_what_it_rests_on(
    arena: Arena, four_bots: None, monkeypatch: pytest.MonkeyPatch, nights: list[PlayingTime], said: str
) -> None:
    """On nights that took long enough to tell, which are named; else on the turns alone, and then it is the least."""
    monkeypatch.setattr("arena.store.store.Store.match_times", lambda _store, _league: {2: 0.05})
    monkeypatch.setattr("arena.store.store.Store.playing_times", lambda _store, _league: nights)
    asked = ("night", "run", GAME, "--dry-run", "--workers", "2", "--encounters", "100")
    ran = arena(*asked)
    assert ran.out.splitlines()[1:3] == ["matches  400 (400 at 2 seats)", "rounds   10"]
    assert ran.out.splitlines()[3] == f"time     {said}"
    measured = json.loads(arena(*asked, "--json").out)["measured"]
    assert measured is None if "alone" in said else f"{measured['matches']:,} matches" in said


@pytest.mark.parametrize(
    ("options", "haste", "said"),
    [
        ([], "after_running", "the night stops when the running matches are finished"),
        (["--after-round"], "after_round", "the night stops when its round is complete"),
        (["--after-round"], "now", "the night stops now, and plays the running matches again later"),
    ],
)
def test_a_stop_says_when_it_acts(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, options: list[str], haste: str, said: str
) -> None:
    """By what the night answers, which may have been asked for more haste before."""
    monkeypatch.setattr("arena.night.control.call", lambda _folder, _request: {"haste": haste})
    assert arena("night", "stop", *options).out == f"{said}; resume it with `arena night resume`\n"


def test_one_match_at_a_time_is_singular(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole sentence, of one match."""
    monkeypatch.setattr("arena.night.control.call", lambda _folder, _request: {"workers": 1})
    assert arena("night", "workers", "1").out == "the night plays 1 match at the same time from its next round on\n"


def test_an_open_night_does_not_look_finished(program: Arena, arena: Arena, four_bots: None) -> None:
    """Its schedule, how many matches of how many, and what goes on with it; no such line when it is over."""
    stopped = program("night", "run", GAME, "--schedule", "swiss", "--encounters", "2", "--budget", "0.000001s")
    assert stopped.status == 0, stopped.err
    goes_on = f"resume it with `arena night resume {GAME}`"
    listed = arena("night", "list")
    assert listed.out.splitlines()[1].split()[2:4] == ["swiss", "open"]
    assert listed.out.splitlines()[1].split()[-3:] == ["0", "8", "0"]
    assert goes_on in listed.err
    shown = arena("night", "show").out
    assert "swiss: 0 of 8 matches played, 0 rounds started" in shown
    assert goes_on in shown and "is open" in shown
    assert json.loads(arena("night", "show", "--json").out)["expected"] == 8
    assert json.loads(arena("night", "list", "--json").out)[0]["schedule"] == "swiss"
    ended = program("night", "resume", "--quiet")
    assert ended.status == 0, ended.err
    shown = arena("night", "show").out
    assert "swiss: 8 of 8 matches played, 2 rounds started" in shown and "is open" not in shown
    assert goes_on not in arena("night", "list").err


def test_a_time_of_day_that_has_passed_is_that_of_tomorrow_and_says_so(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run, dry run and resume say so on stderr, before anything else; a time that is still to come says nothing."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Clock:
            return cls(2026, 11, 30, 9, 51)

    monkeypatch.setattr("arena.cli.time_limits.datetime", Clock)
    for verb in (["run", GAME], ["run", GAME, "--dry-run"], ["resume", GAME]):
        said = arena("night", *verb, "--until", "09:30").err.splitlines()[0]
        assert said == "until tomorrow 09:30: it is 09:51 already (local time)"
        assert "tomorrow" not in arena("night", *verb, "--until", "09:52").err
    for name in ("run", "resume"):
        assert "local time" in " ".join(arena("night", name, "--help").out.split())


@pytest.mark.parametrize("verb", ["list", "show", "resume", "abandon", "run"])
def test_an_unknown_league_is_the_same_mistake_everywhere(arena: Arena, verb: str) -> None:
    """Wrong usage, with the nearest name; a league that only the settings know is none."""
    ran = arena("night", verb, "burn_my_vilage")
    assert ran.status == 2
    assert ran.err == f"arena: there is no league 'burn_my_vilage': did you mean '{GAME}'?\n"
    known = arena("night", verb, "lanterns")
    assert known.status == (0 if verb == "list" else 1)
    assert "there is no league" not in known.err


def test_a_huge_night_is_asked_about(arena: Arena, four_bots: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A no plays nothing and says so; where nobody answers, `--yes` is named; the help names the limit."""
    assert f"{ASK_ABOVE_MATCHES:,} matches" in " ".join(arena("night", "run", "--help").out.split())
    monkeypatch.setattr("arena.schedules.base.ASK_ABOVE_MATCHES", 11)
    for typed, status, sentence in (
        ("n\n", 1, "arena: nothing is played"),
        ("", 2, "arena: nothing is played: expected an answer, or --yes if nobody can answer"),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        ran = arena("night", "run", GAME)
        assert ran.status == status
        assert "this night has 12 matches; play them?" in ran.err
        assert ran.err.splitlines()[-1].endswith(sentence)
    assert json.loads(arena("night", "list", "--json").out) == []


@pytest.mark.parametrize(
    ("typed", "meant"), [("--enc", "'--encounters'"), ("--sche", "'--schedule'"), ("--dryrun", "'--dry-run'")]
)
def test_an_option_that_was_cut_short_is_named_whole(arena: Arena, typed: str, meant: str) -> None:
    """What begins so, before what merely looks like it."""
    ran = arena("night", "run", typed)
    assert ran.status == 2
    assert f"Did you mean {meant}?" in ran.err


def test_without_a_number_of_encounters_it_is_what_the_help_says(arena: Arena, four_bots: None) -> None:
    """Four bots at two seats: every pair once; ten with the challenger; log2 and two rounds; ten rounds; ten seeds."""
    said = " ".join(arena("night", "run", "--help").out.split())
    usual = {
        "encounters of each bot (default: ten, or every set of bots once if that is fewer)": ([], 6),
        "encounters of each bot with the challenger (default: ten": (
            ["--schedule", "gauntlet", "--challenger", "west"],
            30,
        ),
        "swiss: rounds (default: log2 of the number of entrants, rounded up, plus two)": (
            ["--schedule", "swiss"],
            4 * 2,
        ),
        "ladder: rounds (default: ten)": (["--schedule", "ladder"], 10 * 2),
        "knockout: seeds of each pairing (default: ten)": (["--schedule", "knockout"], 10 * 4),
    }
    for sentence, (options, encounters) in usual.items():
        assert sentence in said
        found = json.loads(arena("night", "run", GAME, "--dry-run", "--json", *options).out)
        assert found["matches"] == 2 * encounters, sentence
    narrow = json.loads(arena("night", "run", GAME, "--dry-run", "--json", "--encounters", "5").out)
    assert narrow["matches"] == 4 * 5
