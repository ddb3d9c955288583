"""`arena game …`: the installed games and their options."""

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app
from arena.cli.params import GAME, PATH, json_option
from arena.errors import ArenaError, UsageError
from arena.linux.regular_files import read_regular
from arena.text.sanitize import terminal
from arena.text.tables import columns
from arena.text.words import counted
from engine.catalog import BrokenGame, UnknownGame, game_keys, get_game
from engine.core import Game


@click.group(cls=ArenaGroup, examples=("arena game list", "arena game show burn_my_village"))
def game() -> None:
    """The games that bots can play here."""


@game.command("list", cls=ArenaCommand, examples=("arena game list",))
@json_option
@pass_app
def list_games(app: App, as_json: bool) -> None:
    """List the installed games; one that cannot be loaded is shown with the reason."""
    rows: list[dict[str, object]] = []
    for key in game_keys():
        try:
            found = get_game(key)
        except (BrokenGame, ImportError) as error:
            rows.append({"key": key, "title": f"cannot be loaded: {error}", "seats": None, "version": None})
            continue
        rows.append({"key": key, "title": found.title, "seats": list(found.seats), "version": found.version})
    if as_json:
        app.json(rows)
        return
    app.say(columns(("game", "seats", "title"), [(row["key"], _range(row["seats"]), row["title"]) for row in rows]))


@game.command(
    "show", cls=ArenaCommand, examples=("arena game show burn_my_village", "arena game show lanterns --rules")
)
@click.argument("key", type=GAME, metavar="GAME")
@click.option("--rules", is_flag=True, help="Print the complete rules.")
@json_option
@pass_app
def show(app: App, key: str, rules: bool, as_json: bool) -> None:
    """Show the seats and options of a game, and what an organiser should know."""
    found = find_game(key)
    if rules:
        text = rules_text(found)
        app.json({"key": found.key, "version": found.version, "rules": text}) if as_json else app.say(text)
        return
    if as_json:
        options = {
            name: {"default": option.default, "choices": list(option.choices), "help": option.help}
            for name, option in found.options.items()
        }
        app.json(
            {
                "key": found.key, "title": found.title, "version": found.version, "seats": list(found.seats),
                "max_turns": found.max_turns, "draw_probability": found.draw_probability, "options": options,
                "notice": found.notice,
            }
        )  # fmt: skip
        return
    app.say(app.title(f"{found.title} ({found.key}, version {found.version})"))
    app.say(f"{_range(list(found.seats))} seats, at most {found.max_turns} turns")
    if found.notice:
        app.say(terminal(found.notice))
    rows = [
        (name, json.dumps(option.default), " ".join(json.dumps(choice) for choice in option.choices), option.help)
        for name, option in found.options.items()
    ]
    if rows:
        app.say("\n" + columns(("option", "default", "choices", "meaning"), rows))


@game.command(
    "check-tables",
    cls=ArenaCommand,
    examples=("arena game check-tables my_tables.json", "arena game check-tables my_tables.json --game hell_village"),
)
@click.argument("file", type=PATH, metavar="FILE")
@click.option("--game", "key", type=GAME, metavar="GAME", help="The game of the table (default: the first with one).")
@json_option
@pass_app
def check_tables(app: App, file: Path, key: str | None, as_json: bool) -> None:
    """Check a component table, and list its problems: another table makes another game."""
    try:
        data = json.loads(read_regular(file))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not valid JSON: {error or 'nested too deeply'}") from error
    problems = _problems(data, key)
    if as_json:
        app.json(problems)
    else:
        for problem in problems:
            app.say(terminal(problem))
    if problems:
        raise ArenaError(f"{file} cannot be played: {counted(len(problems), 'problem')}")
    if not as_json:
        app.say(f"{file} can be played")


def _problems(data: object, key: str | None) -> list[str]:
    """Return what the game of that key, or the first game with component tables, finds wrong with the data."""
    if key is not None:
        problems = find_game(key).check_tables(data)
        if problems is None:
            raise UsageError(f"the game {key!r} is not made from a component table: expected another --game")
        return problems
    for other in game_keys():
        try:
            problems = get_game(other).check_tables(data)
        except (BrokenGame, ImportError):
            continue
        if problems is not None:
            return problems
    raise UsageError("no installed game is made from a component table")


def find_game(key: str) -> Game:
    """Return the game of that key. Raises `UsageError` if it does not exist or cannot be loaded."""
    try:
        return get_game(key)
    except (UnknownGame, BrokenGame) as error:
        raise UsageError(str(error)) from error


def rules_text(found: Game) -> str:
    """Return the RULES.md of the game's package. Raises `UsageError` if there is none."""
    package = sys.modules[type(found).__module__].__package__ or ""
    try:
        return (resources.files(package) / "RULES.md").read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError, ValueError) as error:
        raise UsageError(f"the game {found.key!r} has no RULES.md in its package {package!r}") from error


def _range(seats: object) -> str:
    if not isinstance(seats, list):
        return "-"
    return str(seats[0]) if len(seats) == 1 else f"{seats[0]}-{seats[-1]}"
