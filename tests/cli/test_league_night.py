"""The main job from an empty home, with real bots in real processes: submit, play, watch, verify, publish."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from arena.store.schema import OlderSchema
from arena.store.store import Store
from arena.submission.starters.writer import STARTERS
from tests.cli.conftest import Arena, entered

GAME = "burn_my_village"

ILLEGAL = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print("thinking hard", file=sys.stderr, flush=True)
        print('{"action":99999}', flush=True)
"""


@pytest.fixture(scope="module")
def folder_of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder from which two bots are entered; not to be changed."""
    return entered(tmp_path_factory.mktemp("two"), "left", "right")


@pytest.fixture
def two_bots(place: Path, folder_of_two: Path) -> None:
    """Two bots of different authors are entered in the village."""
    shutil.copytree(folder_of_two, place, dirs_exist_ok=True)


def test_from_nothing_to_the_leaderboard(arena: Arena, program: Arena, two_bots: None, place: Path) -> None:
    """Two bots, one night, and everything that is shown of it agrees."""
    night = program("night", "run", "--encounters", "3", "--workers", "2", "--quiet")
    assert night.status == 0, night.err
    assert night.out.splitlines()[0].split() == ["#", "bot", "matches", "beaten", "forfeits"]
    rows = json.loads(arena("leaderboard", "--format", "json").out)
    assert {row["bot"] for row in rows} == {"left", "right"}
    assert [row["matches"] for row in rows] == [6, 6]
    assert len(json.loads(arena("match", "list", "--json").out)) == 6
    assert arena("match", "verify", "--league", GAME).out == "6 of 6 matches replay exactly as stored\n"
    assert arena("rating", "verify").out == f"all 2 ratings of {GAME} match the stored values exactly\n"
    shown = json.loads(arena("night", "show", "--json").out)
    assert (shown["state"], shown["finished"], len(shown["seed"])) == ("closed", 6, 32)
    assert json.loads(arena("night", "list", "--json").out)[0]["state"] == "closed"
    match = json.loads(arena("match", "show", f"{GAME}-1-0", "--json").out)
    assert {seat["rank"] for seat in match["seats"]} <= {1, 2}
    seats = [line.split() for line in arena("match", "show", f"{GAME}-1-0").out.splitlines()[3:5]]
    assert [int(line[2]) for line in seats] == [seat["rank"] for seat in match["seats"]]
    assert f"rank {max(int(line[2]) for line in seats)}: seat " in arena("match", "replay", f"{GAME}-1-0").out
    assert "--- turn 0" in arena("match", "replay", f"{GAME}-1-0").out
    silent = arena("match", "show", f"{GAME}-1-0", "--stderr", "0")
    assert (silent.status, silent.out) == (0, "")
    assert silent.err == "the bot wrote nothing to stderr in this match\n"
    written = json.loads(arena("match", "show", f"{GAME}-1-0", "--stderr", "0", "--json").out)
    assert written == {"match": f"{GAME}-1-0", "seat": 0, "stderr": ""}
    last = match["turns"] - 1
    assert arena("match", "replay", f"{GAME}-1-0", "--turn", str(last)).out.startswith(f"--- turn {last}: ")
    beyond = arena("match", "replay", f"{GAME}-1-0", "--turn", "999")
    assert (beyond.status, beyond.out) == (2, "")
    assert beyond.err == f"arena: match {GAME}-1-0 has no turn 999: expected 0 to {last}\n"
    published = arena("publish", "--into", "boards", "--made-by", "arena night run")
    assert published.status == 0
    assert "arena night run" in (place / "boards" / f"{GAME}.md").read_text()
    assert json.loads((place / "boards" / f"{GAME}.json").read_text())["matches"] == 6
    verified = json.loads(arena("match", "verify", "--league", GAME, "--json").out)
    assert verified == {"matches": 6, "different": {}}
    for row in rows:
        del row["times"]
    assert json.loads(arena("leaderboard", "--json", "--no-times").out) == rows
    assert " ms" not in arena("leaderboard", "--no-times").out
    assert json.loads(arena("leaderboard", "--json", "--since", "2999-01-01").out) == []
    assert json.loads(arena("leaderboard", "--json", "--no-times", "--since", "2020-01-01T00:00+02:00").out) == rows
    assert "has no night 7" in arena("leaderboard", "--night", "7").err


def test_a_night_tells_what_happens_as_json(program: Arena, two_bots: None) -> None:
    """Every line of `--json` is an event, the standings are the last; none tells the seed."""
    ran = program("night", "run", GAME, "--all", "--workers", "1", "--json")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert [event["event"] for event in events if event["event"] != "progress"] == [
        "night_opened", "round_planned", "match_done", "match_done", "night_closed", "standings",
    ]  # fmt: skip
    assert {row["bot"] for row in events[-1]["rows"]} == {"left:1", "right:1"}
    assert "seed" not in ran.out


def test_the_same_content_again_changes_nothing(arena: Arena, place: Path) -> None:
    """Equal content is reported; other content is a new version; another name for equal content is a warning."""
    arena("new", "mybot")
    first = arena("submit", "mybot.py", "--game", GAME)
    assert first.out == f"mybot:1 by ada is entered in {GAME}\n"
    again = arena("submit", "mybot.py", "--game", GAME)
    assert (again.status, again.out) == (
        0,
        "mybot:1 has been submitted before with the same content: nothing changes\n",
    )
    assert again.err == ""  # it was not even played again
    other = arena("submit", "mybot.py", "--name", "twin", "--game", GAME)
    assert "warning: mybot:1 already has the same content" in other.err
    (place / "mybot.py").write_text((place / "mybot.py").read_text() + "\n")
    assert arena("submit", "mybot.py", "--game", GAME).out == f"mybot:2 by ada is entered in {GAME}\n"
    assert [version["version"] for version in json.loads(arena("bot", "show", "mybot", "--json").out)] == [1, 2]


def test_each_bot_is_handed_in_whatever_becomes_of_the_others(arena: Arena, place: Path) -> None:
    """Outcomes are told one by one, refused bots are counted in the end, and scripts get a line for each."""
    arena("new", "good")
    (place / "wrong.py").write_text(ILLEGAL)
    (place / "shy.py").write_text('input()\nprint(\'{"type":"decline"}\', flush=True)\n')
    files = ("wrong.py", "missing.py", "good.py", "shy.py")
    ran = arena("submit", *files, "--league", GAME)
    assert ran.status == 1
    assert ran.out == f"good:1 by ada is entered in {GAME}\n"
    assert "refused wrong.py: wrong is refused: it fails the check" in ran.err and "thinking hard" in ran.err
    assert "refused missing.py: there is no file or folder missing.py\n" in ran.err
    assert ran.err.endswith("arena: 3 of 4 bots were refused; the refused bots were not stored\n")
    again = arena("submit", *files, "--league", GAME, "--json")
    told = json.loads(again.out)
    assert again.status == 1 and [one["source"] for one in told] == list(files)
    assert [one["outcome"] for one in told] == ["refused", "refused", "unchanged", "refused"]
    assert told[2]["bot"] == "good" and told[3]["reason"].startswith("shy declines burn_my_village")
    one = arena("submit", "missing.py", "--json")
    assert (one.status, json.loads(one.out)[0]["outcome"]) == (1, "refused")
    assert one.err == "arena: there is no file or folder missing.py\n"


def test_a_name_belongs_to_its_first_author(arena: Arena) -> None:
    """Nobody can submit a version of another author's bot; the error says what to do."""
    arena("new", "mybot")
    arena("submit", "mybot.py", "--author", "ada", "--game", GAME)
    ran = arena("submit", "mybot.py", "--author", "eve", "--game", GAME)
    assert (ran.status, ran.out) == (1, "")
    assert "belongs to a bot of 'ada', not of 'eve': choose another with --name" in ran.err


def test_a_bot_that_fails_is_refused_with_the_line_that_failed(arena: Arena, place: Path) -> None:
    """The exact answer, what was expected, and the bot's stderr are shown; nothing of the bot stays."""
    (place / "wrong.py").write_text(ILLEGAL)
    ran = arena("submit", "wrong.py", "--game", GAME)
    assert (ran.status, ran.out) == (1, "")
    assert "illegal_action" in ran.err and "99999" in ran.err and "thinking hard" in ran.err
    assert list((place / "home" / "bots").iterdir()) == []
    assert json.loads(arena("bot", "list", "--json").out) == []
    checked = arena("check", "wrong.py", "--game", GAME)
    assert checked.status == 1
    assert "dialogue up to the fault" in checked.out and "thinking hard" in checked.out


def test_a_bot_is_checked_in_the_games_that_it_says_it_plays(arena: Arena, place: Path) -> None:
    """Those of its manifest, or those asked for; by every league of them, and beyond the league's tables for advice."""
    arena("new", "mybot")
    (place / "mybot").mkdir()
    (place / "mybot.py").rename(place / "mybot" / "main.py")
    (place / "mybot" / "bot.toml").write_text('run = "python3 main.py"\ngames = ["lanterns"]\n')
    (place / "arena.toml").write_text('[league.friday]\ngame = "lanterns"\nseats = [2, 3]\n')
    reports = json.loads(arena("check", "mybot", "--json").out)
    assert [report["league"] for report in reports] == ["friday", "lanterns"]
    steps = [[step["name"] for step in report["steps"]] for report in reports]
    assert steps[0] == ["handshake", "2 seats", "3 seats", "reuse", "times", "clean exit", "4 seats too"]
    assert steps[1] == ["handshake", "2 seats", "reuse", "times", "clean exit"]
    (report,) = json.loads(arena("check", "mybot", "--game", "hell_village", "--json").out)
    assert report["steps"][-1]["name"] == "5 seats too"
    submitted = arena("submit", "mybot")
    assert "mybot: check of friday in lanterns passed" in submitted.err
    assert submitted.out == "mybot:1 by ada is entered in friday, lanterns\n"


def test_a_bot_that_cannot_start_is_not_tried_in_every_game(arena: Arena, place: Path) -> None:
    """Once is enough."""
    (place / "empty.py").write_text("")
    ran = arena("check", "empty.py")
    assert (ran.status, ran.out.count("dialogue up to the fault")) == (1, 1)


def test_the_next_step_is_told(arena: Arena, two_bots: None) -> None:
    """Submitting the second bot of a league prints how to play a night."""
    arena("new", "third")
    assert f"play a night with `arena night run {GAME}`" in arena("submit", "third.py", "--game", GAME).err


def test_a_bot_that_plays_no_game_is_refused(arena: Arena, place: Path) -> None:
    """Declining everything is no way into a league, nor is declining a game that was named."""
    (place / "shy.py").write_text('input()\nprint(\'{"type":"decline"}\', flush=True)\n')
    assert "shy declines every game of the leagues that it was submitted to: burn_" in arena("submit", "shy.py").err
    alone = arena("submit", "shy.py", "--league", GAME).err
    assert alone == f"arena: shy declines {GAME}, the only game of the leagues that it was submitted to\n"
    checked = arena("check", "shy.py", "--game", GAME).err
    assert checked == f"arena: shy declines {GAME}, the only game that it was to be checked in\n"
    assert f"shy is said to play {GAME}, but declines it" in arena("submit", "shy.py", "--game", GAME).err


def test_a_missing_language_can_be_left_out(arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--skip-missing` the other bots are submitted anyway."""
    arena("new", "mybot")
    (place / "other.rb").write_text("")
    monkeypatch.setattr(
        "arena.submission.languages.shutil.which", lambda program, path=None: None if program == "ruby" else "/x"
    )
    assert arena("submit", "other.rb").status == 1
    ran = arena("submit", "other.rb", "mybot.py", "--skip-missing", "--game", GAME)
    assert ran.status == 0
    assert "skipped other.rb: this bot runs with 'ruby', which is not installed here" in ran.err
    assert ran.out == f"mybot:1 by ada is entered in {GAME}\n"


@pytest.mark.parametrize("language", STARTERS)
def test_every_starter_passes_the_check(arena: Arena, language: str) -> None:
    """`arena new` writes a bot that works, at the smallest and the largest table."""
    written = arena("new", "mybot", "--lang", language).out.split()[1]
    ran = arena("check", written, "--game", GAME, "--seats", "2,5", "--allow-build")
    assert ran.status == 0, ran.out + ran.err
    assert "5 seats       ok" in ran.out and "passes" in ran.err
    assert "mybot" in Path(written, "bot.toml").read_text() if STARTERS[language].is_folder else True
    assert "exists already" in arena("new", "mybot", "--lang", language).err


@pytest.mark.parametrize(("confined", "leave"), [(True, ""), (False, "--allow-build ")])
def test_leave_to_build_is_asked_where_it_is_needed(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, confined: bool, leave: str
) -> None:
    """Where builds are confined, nobody is told to allow them."""
    monkeypatch.setattr("arena.sandbox.probe.probe", lambda mode, uids: SimpleNamespace(confined=confined))
    told = arena("new", "quick", "--lang", "c").out.splitlines()
    assert told == [
        "wrote quick",
        f"test it with `arena check {leave}quick`, then submit it with `arena submit {leave}quick`",
    ]
    assert "--allow-build" not in arena("new", "other").out


def test_a_match_on_the_terminal(arena: Arena, two_bots: None, place: Path) -> None:
    """`play` draws each turn, tells the result, deals the same match from the same seed, and can be replayed."""
    shown = arena("play", "left.py", "right", "--game", GAME, "--seed", "7", "--watch", "--save", "m.jsonl")
    assert shown.status == 0, shown.err
    assert "--- turn 0: seat 0 (left)" in shown.out and "rank 1: " in shown.out and "rank 0" not in shown.out
    again = arena("play", "left.py", "right", "--game", GAME, "--seed", "7")
    assert again.out == shown.out[-len(again.out) :]
    assert arena("match", "verify", "m.jsonl").out == "1 of 1 match replays exactly as stored\n"
    drawn = arena("match", "replay", "m.jsonl").out
    assert drawn.splitlines()[:3] == shown.out.splitlines()[:3]
    assert arena("match", "picture", "m.jsonl", "--turn", "0", "--as", "1", "-o", "board.svg").status == 0
    assert "turn 1: seat 1 to act" in Path("board.svg").read_text() and "(the viewer)" in Path("board.svg").read_text()
    printed = arena("match", "picture", "m.jsonl").out
    assert printed.startswith("<svg ") and "(the viewer)" not in printed
    assert "has no turn 999" in arena("match", "picture", "m.jsonl", "--turn", "999").err
    assert "expected the number of a seat, or spectator" in arena("match", "picture", "m.jsonl", "--as", "me").err
    assert "ends in .svg" in arena("match", "picture", "m.jsonl", "-o", "board.png").err
    assert "every answer is as recorded" in arena("match", "rehearse", "m.jsonl", "--seat", "0", "--bot", "left").out
    options = json.loads(
        arena("play", "left", "right", "--game", GAME, "--option", "wilds=all", "--time-control", "5+0/1", "--json").out
    )
    assert options["options"]["wilds"] == "all"
    assert arena("match", "list").out == "no match has been planned yet\n"  # nothing was stored


@pytest.mark.parametrize("signals", [1, 2])
def test_a_night_that_is_interrupted_goes_on(program: Arena, two_bots: None, place: Path, signals: int) -> None:
    """Ctrl-C, once or twice: status 130, what was played stays, and `resume` plays exactly the rest."""
    command = [sys.executable, "-m", "arena", "night", "run", GAME, "--encounters", "30", "--workers", "2", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place, start_new_session=True
    ) as night:
        assert night.stdout is not None
        for line in night.stdout:
            if '"match_done"' in line:
                for _ in range(signals):
                    os.kill(night.pid, signal.SIGINT)
                break
        _, err = night.communicate()
    assert night.returncode == 130
    assert "the night is not finished: resume it with `arena night resume" in err
    assert json.loads(program("night", "list", "--json").out)[0]["state"] == "open"
    refused = program("night", "run", GAME)
    assert refused.status == 1 and "resume" in refused.err and "abandon" in refused.err
    for secret in (("replay", "--raw"), ("picture", "--as", "0")):
        refused = program("match", secret[0], f"{GAME}-1-0", *secret[1:])
        assert "stay secret until night 1 is closed" in refused.err and not refused.out
    assert program("match", "picture", f"{GAME}-1-0").out.startswith("<svg ")  # what everybody sees
    written = program("match", "show", f"{GAME}-1-0", "--stderr", "0")
    assert (written.status, written.out) == (2, "") and "stays secret until night 1 is closed" in written.err
    resumed = program("night", "resume", "--workers", "2", "--quiet")
    assert resumed.status == 0, resumed.err
    assert json.loads(program("night", "list", "--json").out)[0]["finished"] == 60


def test_a_night_is_stopped_and_given_up(program: Arena, two_bots: None, place: Path) -> None:
    """`night stop` reaches the running night; `abandon` keeps what was played and rates it."""
    command = [sys.executable, "-m", "arena", "night", "run", GAME, "--encounters", "100", "--workers", "1", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place) as night:
        assert night.stdout is not None
        next(line for line in night.stdout if '"match_done"' in line)
        second = program("night", "run", GAME)
        assert second.status == 1 and "a night is being played in this home" in second.err
        assert program("night", "stop").status == 0
        night.communicate()
    assert night.returncode == 0
    assert program("night", "abandon").out == f"night 1 of {GAME} is abandoned\n"
    assert program("rating", "verify").status == 0
    assert "no night is being played" in program("night", "stop").err


def test_a_league_that_is_defined_later_gets_the_bots_of_its_game(program: Arena, two_bots: None, place: Path) -> None:
    """A new table in arena.toml is enough: the bots that play its game are entered with the first night."""
    (place / "home" / "arena.toml").write_text(f"[league.friday]\ngame = '{GAME}'\ntime_control = '5+0/1'\n")
    ran = program("night", "run", "friday", "--all", "--quiet", "--workers", "1")
    assert ran.status == 0, ran.err
    assert "entered left:1 in friday" in ran.err
    assert json.loads(program("leaderboard", "friday", "--json").out)[0]["matches"] == 2


def test_strangers_need_confinement(arena: Arena, two_bots: None, place: Path) -> None:
    """A league marked untrusted does not start a night without it, and says what is missing."""
    (place / "home" / "arena.toml").write_text(f"[league.{GAME}]\nuntrusted = true\n")
    ran = arena("night", "run", GAME, "--sandbox", "off")
    assert ran.status == 1
    assert "is marked untrusted, and this host lacks namespaces" in ran.err


def test_too_few_bots_is_one_sentence(arena: Arena, place: Path) -> None:
    """No bot, or one for a table of two."""
    assert "no league has enough bots yet" in arena("night", "run").err
    assert "needs at least 2 bots, got 0" in arena("night", "run", GAME).err
    arena("new", "mybot")
    arena("submit", "mybot.py", "--game", GAME)
    ran = arena("night", "run", GAME)
    assert ran.status == 1
    assert "needs at least 2 bots, got 1: submit more with `arena submit`" in ran.err
    assert json.loads(arena("night", "list", "--json").out) == []


def test_a_bot_can_be_withdrawn_and_restored(arena: Arena, two_bots: None) -> None:
    """A withdrawn bot sits out; what it has stays."""
    assert arena("bot", "withdraw", "left").out == f"left is withdrawn from {GAME}\n"
    assert arena("bot", "withdraw", "left").out == "left was withdrawn already\n"
    assert "needs at least 2 bots, got 1" in arena("night", "run", GAME).err
    assert arena("bot", "restore", "left").out == f"left plays again in {GAME}\n"
    assert "left:1" in arena("bot", "list").out


def test_doctor_tells_what_is_there(arena: Arena, two_bots: None, place: Path) -> None:
    """Home, store, games, runtimes and confinement, also as JSON; a problem gives status 1."""
    ran = arena("doctor")
    assert ran.status == 0, ran.out
    assert f"{place}/home (ARENA_HOME names it)" in ran.out
    assert "2 bots, 0 nights" in ran.out
    subjects = {finding["subject"] for finding in json.loads(arena("doctor", "--json").out)}
    assert {"arena", "home", "disk", "store", "settings", "game", "runtime", "confinement"} <= subjects
    (place / "home" / "arena.db").write_bytes(b"nothing of the kind" * 300)
    broken = arena("doctor")
    assert broken.status == 1 and "PROBLEM  store:" in broken.out


def test_doctor_finds_what_would_stop_a_night(arena: Arena, program: Arena, two_bots: None, place: Path) -> None:
    """A league that was changed after its first night, one of strangers without confinement, and what is left open."""
    settings = place / "home" / "arena.toml"
    settings.write_text(f"[league.friday]\ngame = '{GAME}'\n[league.old]\ngame = '{GAME}'\n")
    for league in ("friday", "old"):
        assert program("night", "run", league, "--all", "--quiet", "--workers", "1").status == 0
    assert "friday" not in [line for line in arena("doctor").out.splitlines() if "league:" in line]
    settings.write_text(f"[league.friday]\ngame = '{GAME}'\noptions.wilds = 'all'\n[league.{GAME}]\nuntrusted = true\n")
    ran = arena("doctor", "--sandbox", "off")
    sentence = "league 'friday' has been played with other settings, which stay fixed: options.wilds "
    assert ran.status == 1
    assert f"PROBLEM  league:        {sentence}" in ran.out and "give the changed league a new name" in ran.out
    assert f"PROBLEM  league:        {GAME} is marked untrusted, and this host lacks " in ran.out
    assert "note     league:        old is stored, but no setting defines it any more" in ran.out
    assert sentence in arena("night", "run", "friday").err


def test_the_database_may_lie_elsewhere(arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ARENA_DATABASE_URL` names another store; bots stay in the home, which is created at the first submission."""
    monkeypatch.setenv("ARENA_DATABASE_URL", f"sqlite:///{place}/elsewhere/league.db")
    arena("new", "mybot")
    assert arena("submit", "mybot.py", "--game", GAME).status == 0
    assert (place / "elsewhere" / "league.db").is_file()
    assert not (place / "home" / "arena.db").exists()
    assert len(list((place / "home" / "bots").iterdir())) == 1


@pytest.mark.parametrize("answer", [True, False])
def test_an_older_database_is_upgraded_when_asked(
    arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    """On a terminal the upgrade is offered; elsewhere the sentence says what is needed and nothing is changed."""
    Store.open(place / "home").close()
    upgrades: list[bool] = []
    real_open = Store.open

    def older(place: str, *, upgrade: bool = False) -> Store:
        upgrades.append(upgrade)
        if not upgrade:
            raise OlderSchema("the database is of an older version")
        return real_open(place)

    monkeypatch.setattr(Store, "open", older)
    monkeypatch.setattr(Store, "open_to_read", older)
    told = "arena: the database is of an older version: upgrade it with `arena doctor --upgrade`\n"
    assert arena("bot", "list").err == told
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda *_, **__: answer or (_ for _ in ()).throw(click.Abort()))
    assert arena("bot", "list").status == (0 if answer else 130)
    assert upgrades == [False, False, False, False, *([True] if answer else [])], "first to read, then to write"
