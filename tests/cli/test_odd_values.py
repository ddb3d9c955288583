"""Every option, argument and setting gets odd values: the answer is a result, or one sentence with status 1 or 2."""

from __future__ import annotations

import functools
import json
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import click
import pytest

from arena.check.report import CheckReport
from arena.cli.main import main
from arena.cli.root import root
from arena.config.settings import ENVIRONMENT_KEYS, FILE_KEYS
from arena.model.rules import LeagueRules, RatingTable
from arena.sandbox.probe import probe
from tests.cli.conftest import Arena, Ran

LEAGUE = "burn_my_village"
WRONG = re.compile(r"unexpected [A-Z]|Traceback|Error\(|<class|\x1b\[31m|\u202e")
"""What no answer contains: the name of an exception, Python's view of a value, or a control character of a stranger."""
NUMBERS = (
    "0", "-0", "1", "-1", "00000001", "+1", "1_000", "2", "64", "1024", "4096", "65536",
    "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "99999999999999999999",
    "-9223372036854775809", "9" * 5000, "1e5", "1e400", "-1e400", "1.5", ".5", "5.", "0x10", "1,5", "1,,5", "2,2,2",
    "nan", "inf", "-inf", "NaN", "true", "none", "½", "１２", "٣",
)  # fmt: skip
TEXTS = (
    "", " ", "\t", "\n", "a\nb", "a\rb", ".", "..", "/", "//", "~", "-", "--", "---x", "*", "%s%n", "{}",
    "{0.__class__}",
    "'", '"', "`id`", "$(id)", "a;b", "a|b", "a:b", "a:", ":1", "mybot:0", "mybot:99999999999999999999", "=1+1", "\\",
    "a" * 256, "a" * 5000, "../../x", "/dev/null", "/dev/zero", "/proc/self/mem", "\x1b[31mred", "\x07", "\u202eabc",
    "\u200b", "\u2028", "\U0001f600", "e\u0301", "\udcff", "é" * 300, "null", "http://localhost/", "sqlite://",
    "25:00", "2026-02-30", "0000-01-01", "9999-12-31T23:59:59+23:59", "10000-01-01", "99999999999h", "0s", "1h-1h",
)  # fmt: skip
ODD = (*NUMBERS, *TEXTS)
GIVEN = {
    "bot drop": ["north", "--league", LEAGUE],
    "check": ["missing.py"],
    "submit": ["missing.py"],
    "play": ["missing.py", "missing.py"],
    "compare": ["missing.py", "missing.py"],
    "night run": [LEAGUE, "--dry-run"],
    "night timer": [LEAGUE, "FRI 20:00"],
    "match rehearse": ["1/1"],
    "home": [],
}
"""Arguments with which a command does little; other commands get a plain value for each required argument."""


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command below the group, by its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(root))


def plain(parameter: click.Parameter) -> str:
    """A value that a required argument or option accepts, or that names nothing that exists."""
    choices = getattr(parameter.type, "choices", None)
    if choices:
        return str(next(iter(choices)))
    known = {
        "game": LEAGUE,
        "league": LEAGUE,
        "bot": "north",
        "integer": "1",
        "integer range": "1",
        "moment": "2026-01-01",
    }
    return known.get(parameter.type.name, "missing")


def parameters(words: str) -> Iterator[str]:
    """The parameters of a command that take a value."""
    for parameter in COMMANDS[words].params:
        if not (isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count)):
            assert parameter.name is not None
            yield parameter.name


def line(words: str, name: str, value: str) -> list[str]:
    """The command line that gives this parameter this value, and the others as little as possible."""
    command = COMMANDS[words]
    given = [] if words not in GIVEN else list(GIVEN[words])
    options, arguments = [], []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            if parameter.name == name:
                arguments.append(value)
                given = given[: len(arguments) - 1] + given[len(arguments) :]
            elif words not in GIVEN and parameter.required:
                arguments.append(plain(parameter))
        elif parameter.name == name:
            options.append(f"{max(parameter.opts, key=len)}={value}")
        elif parameter.required:
            options += [max(parameter.opts, key=len), plain(parameter)]
    return [*words.split(), *options, *given, "--", *arguments]


def accepted(ran: Ran, what: object) -> None:
    """The command is done, or failed with one bounded sentence and perhaps one line of advice."""
    assert ran.status in (0, 1, 2), (what, ran)
    assert not WRONG.search(ran.err), (what, ran.err[:3000])
    if ran.status:
        assert ran.err.startswith("arena: ") or "\narena: " in ran.err, (what, ran)
        assert len(ran.err) < 1500, (what, len(ran.err), ran.err[:3000])


@pytest.fixture
def watchdog() -> Iterator[None]:
    """A command that does not end is an error, not a suite that hangs."""

    def hangs(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError("the command did not end")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


LEAGUE_KEYS = [key for key in LeagueRules.model_fields if key != "name"]
RATING_KEYS = list(RatingTable.model_fields)


def toml_values() -> list[str]:
    """Odd values as TOML writes them: numbers and texts, and containers of them."""
    texts = [json.dumps(text) for text in TEXTS if text.isprintable() and len(text) < 1000]
    numbers = ["0", "-1", "1", "2", "99999999999999999999", "9" * 4000, "1e400", "1.5", "nan", "inf", "-inf", "0x10"]
    others = ["true", "[]", "[[]]", "[1, 'a']", "{}", "{a = 1}", "1979-05-27", "07:32:00", "[" * 60 + "]" * 60, "[-1]"]
    return [*texts, *numbers, *others, json.dumps("a" * 60_000), "", "=", "'", "\x00"]


TOML = toml_values()


KEYS = (
    *FILE_KEYS,
    *(f"league.odd.{key}" for key in LEAGUE_KEYS),
    *(f"league.odd.rating.{key}" for key in RATING_KEYS),
    *("league.odd.options.wilds", "league.odd.nosuch", "nosuch", "league.'a b'"),
)


@pytest.mark.parametrize("key", KEYS)
def test_an_odd_setting_is_answered_in_one_sentence(arena: Arena, place: Path, watchdog: None, key: str) -> None:
    for value in TOML:
        game = "" if key.endswith("game") or not key.startswith("league.odd") else f'league.odd.game = "{LEAGUE}"\n'
        Path("home").mkdir(exist_ok=True)
        Path("home/arena.toml").write_text(f"{game}{key} = {value}\n")
        accepted(arena("league", "show", "odd"), (key, value[:100]))
        accepted(arena("night", "run", "odd", "--dry-run"), (key, value[:100]))


@pytest.mark.parametrize("key", [*ENVIRONMENT_KEYS, "home"])
def test_an_odd_variable_is_answered_in_one_sentence(
    arena: Arena, place: Path, watchdog: None, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    for value in ODD:
        if "\0" not in value:
            monkeypatch.setenv(f"ARENA_{key.upper()}", value)
            accepted(arena("league", "list"), (key, value[:100]))
            accepted(arena("bot", "list"), (key, value[:100]))


@pytest.fixture(scope="module")
def home_of_four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with four entered bots, made once and copied for each test."""
    folder = tmp_path_factory.mktemp("four")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ARENA_HOME", str(folder / "home"))
        for name in ("north", "east", "south", "west"):
            (folder / f"{name}.py").write_text(f"import sys\nfor line in sys.stdin: pass  # {name}\n")
        patch.setattr(
            "arena.check.runner.check",
            lambda program, rules, *_, **__: CheckReport(program.label, rules.name, rules.game, False, ()),
        )
        assert main(["submit", *map(str, folder.glob("*.py")), "--author", "ada", "--game", LEAGUE]) == 0
    return folder / "home"


@pytest.mark.parametrize("words", COMMANDS)
def test_an_odd_value_is_answered_in_one_sentence(
    arena: Arena, place: Path, home_of_four: Path, watchdog: None, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    # Nothing runs here, and a probe of the sandbox takes time.
    monkeypatch.setattr("arena.sandbox.probe.probe", functools.cache(probe))
    shutil.copytree(home_of_four, place / "home", dirs_exist_ok=True)
    for name in parameters(words):
        for value in ODD:
            arguments = line(words, name, value)
            accepted(arena(*arguments), [argument[:100] for argument in arguments])
