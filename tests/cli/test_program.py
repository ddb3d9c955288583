"""Tests of every command: help with an example, one sentence for an error, the documented exit status."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from arena import __version__
from arena.cli.app import App
from arena.cli.commands.night import run
from arena.cli.main import main
from arena.cli.reference import commands, help_text
from arena.cli.root import FREQUENT, NOUNS, root
from arena.schedules.base import SEATINGS
from arena.schedules.plan import SCHEDULES
from tests.cli.conftest import GAME, Arena

COMMANDS = dict(commands())

PROMISED = [
    "submit", "check", "play", "leaderboard", "publish", "new", "doctor", "completion",
    "compare", "versus", "bot history",
    "bot list", "bot show", "bot withdraw", "bot restore", "bot use", "bot rename", "bot delete", "bot prune",
    "bot log",
    "match list", "match show", "match replay", "match picture", "match verify", "match rehearse",
    "game list", "game show", "game check-tables",
    "night run", "night resume", "night list", "night show", "night stop", "night abandon",
    "night workers", "night add", "night drop", "night timer",
    "rating verify", "league list", "league show",
]  # fmt: skip


@pytest.mark.parametrize("name", PROMISED)
def test_every_promised_command_is_there(name: str) -> None:
    """The commands of the contract, by name."""
    assert f"arena {name}" in COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    """The help page says what the command does, each option what it means, and an example begins with its name."""
    command = COMMANDS[name]
    assert command.help and command.help.strip().split("\n")[0].endswith(".")
    examples = getattr(command, "examples", ())
    text = help_text(name, command)
    assert examples
    for example in examples:
        assert example in text
        assert example.replace('eval "$(', "").startswith(name)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts} has no help"


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if not isinstance(command, click.Group)])
def test_every_command_takes_debug_and_color(name: str) -> None:
    """The two options that are good for everything stand everywhere."""
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert {"--debug", "--color"} <= options


def test_the_overview_lists_every_command(arena: Arena) -> None:
    """`arena --help` shows all that can be done, and `arena` alone the same."""
    shown = arena("--help")
    assert shown.status == 0
    for name in (*FREQUENT, *NOUNS):
        assert f"\n  {name} " in shown.out
    assert "arena submit mybot.py" in shown.out


def test_the_version_is_told(arena: Arena) -> None:
    """`arena --version` names program and version."""
    assert arena("--version").out == f"arena {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sumbit"], "no such command 'sumbit': did you mean 'submit'?"),
        (["bot", "lst"], "no such command 'lst': did you mean 'list'?"),
        (["game", "show", "burn_my_vilage"], "there is no game 'burn_my_vilage': did you mean 'burn_my_village'?"),
        (["league", "show", "lantern"], "there is no league 'lantern': did you mean 'lanterns'?"),
        (["leaderboard"], "no league has had a night yet: expected LEAGUE, one of burn_my_village, "),
        (["leaderboard", "--since", "monday"], "expected a day such as 2026-11-30, or 2026-11-30T20:00, got 'monday'"),
        (["night", "run"], "no league has enough bots yet: expected LEAGUE, one of burn_my_village, "),
        (["play", "a", "b"], "expected --game or --league: one of burn_my_village, "),
        (["play", "a", "b", "--game", "lanterns", "--seat", "2"], "there is no seat 2: expected 0 to 1"),
        (["bot", "show", "nobody"], "there is no bot 'nobody'"),
        (["match", "show", "nothing"], "'nothing' is not the name of a match: expected LEAGUE-NIGHT-POSITION"),
        (["match", "verify"], "expected either match ids or --league"),
        (["play", "a.py", "b.py", "--seed", "x"], "'x' is not a valid integer"),
        (["league", "show"], "missing argument 'LEAGUE'"),
        (["bot", "list", "--jsno"], "no such option"),
        (["submit", "bot.py", "--name", "Bad Name"], "'Bad Name' is no name for a bot: expected 1 to 32 of"),
        (
            ["submit", "bot.py", "--author", "\n"],
            "is not a valid name for an author: expected 1 to 64 printable characters",
        ),
        (["submit", "bot.py", "--game", "hell"], "there is no game 'hell': expected one of burn_my_village, "),
        (["check", "bot.py", "--game", "hell"], "there is no game 'hell': expected one of burn_my_village, "),
        (["new", "Bad Name"], "'Bad Name' is no name for a bot: expected 1 to 32 of"),
        (["publish", "lanterns"], "league 'lanterns' has had no night yet"),
        (["check", "x.py", "--seats", "two"], "expected numbers separated by commas, such as 2,4, got 'two'"),
        (["play", "a", "b", "--game", "lanterns", "--option", "x"], "--option x: expected NAME=VALUE"),
        (["play", "a", "b", "--game", "lanterns", "--time-control", "1"], "cannot read the time control '1'"),
        (["play", *"abcdefghi", "--game", "lanterns"], "lanterns is played by 2 to 4 seats, got 9"),
    ],
)
def test_wrong_usage_is_named_and_ends_with_status_2(arena: Arena, arguments: list[str], sentence: str) -> None:
    """What was typed wrongly is named, with the nearest right thing, and nothing else happens."""
    Path("bot.py").touch()
    ran = arena(*arguments)
    assert ran.status == 2
    assert sentence in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    first, *rest = ran.err.splitlines()
    assert first.startswith("arena: ") and sentence in first
    assert [
        line for line in rest if not (line.startswith("(`arena") and line.endswith("--help` shows what it takes)"))
    ] == []


def test_a_group_alone_shows_its_help(arena: Arena) -> None:
    """`arena bot` is a question, and no error."""
    shown = arena("bot")
    assert (shown.out + shown.err).startswith("Usage: arena bot ")


def test_every_command_is_described_whole_where_it_is_listed(arena: Arena) -> None:
    """No list of commands breaks off in the middle of a sentence."""
    for name, command in COMMANDS.items():
        if isinstance(command, click.Group):
            listed = arena(*name.split()[1:], "--help").out.partition("Commands:")[2].partition("Example")[0]
            assert listed and "..." not in listed, name


def test_a_wrong_setting_ends_with_status_2(arena: Arena, place: Path) -> None:
    """A key in arena.toml that nobody knows names the nearest, and the file."""
    (place / "home").mkdir(exist_ok=True)
    (place / "home" / "arena.toml").write_text("wrokers = 3\n")
    ran = arena("league", "list")
    assert ran.status == 2
    assert ran.err == f"arena: unknown setting 'wrokers' in {place}/home/arena.toml: did you mean 'workers'?\n"


def test_a_database_that_is_no_url_is_not_made(arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name alone could be meant as a file, a folder or a server."""
    monkeypatch.setenv("ARENA_DATABASE_URL", "nonsense")
    ran = arena("bot", "list")
    assert (ran.status, ran.out) == (2, "")
    assert "expected a URL such as sqlite:////home/me/arena.db, got 'nonsense'" in ran.err
    assert not (place / "nonsense").exists()


def test_a_league_is_shown_as_it_would_be_written(arena: Arena, place: Path) -> None:
    """Options and ratings with a dot, what is as usual in words, and what to do while nobody is in it."""
    (place / "arena.toml").write_text('[league.friday]\ngame = "lanterns"\n[league.friday.rating]\ntau = 0.5\n')
    lines = [line.split(maxsplit=1) for line in arena("league", "show", "friday").out.splitlines()]
    assert ["game", '"lanterns"'] in lines and ["options.edition", '"official"'] in lines
    assert ["rating.tau", "0.5"] in lines and "rating.mu" not in [line[0] for line in lines if line]
    assert "no bot is entered yet" in arena("league", "show", "lanterns").out


def test_an_unwritable_home_is_one_sentence(arena: Arena, place: Path) -> None:
    """A file stands where the home should be."""
    (place / "home").rmdir()
    (place / "home").touch()
    ran = arena("bot", "list")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"arena: there is no home at {place}/home: not a directory\n"
    assert arena("new", "ada").status == 0
    ran = arena("submit", "ada.py")
    assert ran.err.splitlines()[-1].startswith("arena: the home folder") and "is not a folder" in ran.err


def test_a_damaged_database_is_one_sentence(arena: Arena, place: Path) -> None:
    """Something else lies in the database's place."""
    (place / "home").mkdir(exist_ok=True)
    (place / "home" / "arena.db").write_bytes(b"this is no database at all" * 100)
    ran = arena("bot", "list")
    assert ran.status == 1
    assert ran.err.startswith("arena: ") and ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (KeyboardInterrupt(), 130, "arena: interrupted\n"),
        (ValueError("a\x1b[2Jb\nc"), 1, "arena: unexpected ValueError: a\\x1b[2Jb\nc (--debug shows where)\n"),
        (ZeroDivisionError("odd"), 1, "arena: unexpected ZeroDivisionError: odd (--debug shows where)\n"),
        (OSError(28, "No space left on device", "/X"), 1, "arena: no space left on device (/X)\n"),
        (PermissionError(13, "Permission denied", "/X"), 1, "arena: permission denied (/X)\n"),
    ],
)
def test_whatever_happens_ends_in_one_sentence(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, sentence: str
) -> None:
    """Ctrl-C, a full disk and an error of the arena's own: no traceback unless it is asked for."""

    def fail(self: App) -> None:
        raise error

    monkeypatch.setattr(App, "read_store", fail)
    ran = arena("bot", "list")
    assert (ran.status, ran.err.removeprefix("\n")) == (status, sentence)
    debugged = arena("bot", "list", "--debug")
    assert "Traceback" in debugged.err
    assert debugged.status == status


def test_ctrl_c_while_the_program_starts_is_no_traceback() -> None:
    """Its imports take a while, and are interrupted like anything else."""
    code = (
        "import builtins, sys, arena.cli.main\n"
        "usual = builtins.__import__\n"
        "def importing(name, *more):\n"
        "    if name == 'arena.cli.app': raise KeyboardInterrupt\n"
        "    return usual(name, *more)\n"
        "builtins.__import__ = importing\n"
        "sys.argv = ['arena', 'bot', 'list']\n"
        "arena.cli.main.run()\n"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (130, "arena: interrupted\n")


def test_a_reader_that_goes_away_is_no_error_of_ours(place: Path) -> None:
    """`arena … | head` ends quietly: no traceback, no complaint of the interpreter."""
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "arena", "--help"], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert process.returncode == 1
    assert "Traceback" not in process.stderr and "Exception ignored" not in process.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(arena: Arena, shell: str) -> None:
    """Each shell gets a script that asks this program."""
    ran = arena("completion", shell)
    assert ran.status == 0
    assert "_ARENA_COMPLETE" in ran.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("arena leader", ["leaderboard"]),
        ("arena game show burn", ["burn_my_village"]),
        ("arena leaderboard lant", ["lanterns"]),
        ("arena bot show ", []),
        ("arena night r", ["resume", "run"]),
    ],
)
def test_a_shell_completes_names(place: Path, words: str, expected: list[str]) -> None:
    """Commands, games, leagues and bots; where there is no home yet, none is made."""
    environment = {
        **os.environ, "_ARENA_COMPLETE": "bash_complete", "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }  # fmt: skip
    ran = subprocess.run([sys.executable, "-m", "arena"], env=environment, capture_output=True, text=True, cwd=place)
    found = [line.split(",", 1)[1] for line in ran.stdout.splitlines() if line.startswith("plain,")]
    assert found == expected
    assert not [*(place / "home").iterdir()]


def test_json_is_json(arena: Arena) -> None:
    """`--json` prints data for scripts, on stdout alone."""
    assert [row["key"] for row in json.loads(arena("game", "list", "--json").out)][:1] == ["burn_my_village"]
    assert json.loads(arena("bot", "list", "--json").out) == []
    rules = json.loads(arena("game", "show", "lanterns", "--rules", "--json").out)
    assert rules["key"] == "lanterns" and rules["rules"].startswith("# Lanterns")
    assert json.loads(arena("league", "show", "burn_my_village", "--json").out)["seats"] == [2]


def test_color_follows_option_and_environment(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal there is no colour unless it is asked for; the option goes over the environment."""
    assert "\x1b[" not in arena("game", "show", "burn_my_village").out
    assert "\x1b[1m" in arena("game", "show", "burn_my_village", "--color", "always").out
    monkeypatch.setenv("ARENA_COLOR", "always")
    assert "\x1b[1m" in arena("game", "show", "burn_my_village").out
    assert "\x1b[" not in arena("game", "show", "burn_my_village", "--color", "never").out


def test_the_root_is_a_group_of_the_program() -> None:
    """`main` returns the status instead of leaving the interpreter, so that tests and programs can call it."""
    assert isinstance(root, click.Group)
    assert main(["--version"]) == 0


def test_choices_are_those_of_the_arena() -> None:
    """What is written out where loading the schedules would take too long is what the schedules are called."""
    choices = {
        option.name: tuple(option.type.choices)
        for option in run.params
        if isinstance(option.type, click.Choice) and option.name in ("schedule", "seatings")
    }
    assert choices == {"schedule": SCHEDULES, "seatings": SEATINGS}


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_the_null_device(place: Path, closed: str) -> None:
    """A command works without its streams, and nothing that it opens gets their descriptors."""
    command = f'exec "{sys.executable}" -m arena game list --json {closed}'
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
    ran = subprocess.run(["sh", "-c", command.replace("game list --json", "bot list nonsense")], check=False)
    assert ran.returncode == 2


def test_an_argument_must_be_text(arena: Arena) -> None:
    """Bytes that are not UTF-8 are refused before anything is stored under such a name."""
    ran = arena("bot", "show", os.fsdecode(b"caf\xe9"))
    assert ran.status == 2 and "is not UTF-8 text" in ran.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["play", "a.py", "b.py", "--game", "chess"], "there is no game 'chess': expected one of"),
        (["completion"], "missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish"),
        (["leaderboard", GAME, "--format", "markdown", "--json"], "--json and --format markdown exclude each other"),
        (["versus", GAME, "--format", "csv", "--json"], "--json and --format csv exclude each other"),
        (["new", "My Bot"], "'My Bot' is no name for a bot"),
    ],
)
def test_what_cannot_be_meant_is_named(arena: Arena, arguments: list[str], sentence: str) -> None:
    """The error names what was typed, in one line without a tab."""
    ran = arena(*arguments)
    assert ran.status == 2 and ran.err.startswith(f"arena: {sentence}") and "\t" not in ran.err


@pytest.mark.parametrize(("typed", "file"), [("MyBot", "MyBot.py"), ("mybot.py", "mybot.py"), ("Cee", "Cee.py")])
def test_a_starter_is_named_as_its_submission_is(arena: Arena, place: Path, typed: str, file: str) -> None:
    """`new` takes the names that `submit` takes; a bot's name is that of its file in lower case."""
    assert arena("new", typed).status == 0
    assert (place / file).is_file()


def test_a_dry_run_says_whether_the_time_limit_is_enough(arena: Arena, four_bots: None) -> None:
    """`--budget` and `--until` are part of the forecast."""
    found = json.loads(arena("night", "run", GAME, "--dry-run", "--budget", "90m", "--json").out)
    assert 5000 < found["limit_s"] <= 5400
    assert "limit    1 h 30 min: unknown whether" in arena("night", "run", GAME, "--dry-run", "--budget", "90m").out
