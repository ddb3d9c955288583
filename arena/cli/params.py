"""Types of arguments: what each accepts, and how a shell completes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

from arena.cli.app import App
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.reports.leaderboard import Format

    NameType = click.ParamType[str]
    SeatsType = click.ParamType[tuple[int, ...]]
    ViewerType = click.ParamType[int | Literal["spectator"]]
else:  # older releases of click have no type arguments
    NameType = SeatsType = ViewerType = click.ParamType


class Name(NameType):
    """A name that a shell completes from known names. The command itself checks whether the name is known."""

    def __init__(self, name: str, known: Callable[[App], Iterable[str]], *, files: bool = False) -> None:
        self.name = name
        self._known = known
        self._files = files

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the known names that begin with the typed text, and files if a file is allowed too."""
        try:
            known = sorted(self._known(ctx.ensure_object(App)))
        except Exception:  # noqa: BLE001 - a shell that waits for completions must not get an error
            known = []
        items = [CompletionItem(name) for name in known if name.startswith(incomplete)]
        return [*items, CompletionItem(incomplete, type="file")] if self._files else items


class Moment(NameType):
    """A day or a timestamp in ISO 8601. Without a time zone it is UTC, like all times that the arena shows."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the timestamp as the store writes it, `2026-11-30T20:00:00Z`."""
        try:
            found = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"expected a day such as 2026-11-30, or 2026-11-30T20:00, got {value!r}", param, ctx)
        moment = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class SeatCounts(SeatsType):
    """Seat counts separated by commas, such as `2,4`."""

    name = "seats"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the distinct counts, ascending."""
        if isinstance(value, tuple):
            return value
        try:
            counts = tuple(sorted({int(part) for part in str(value).split(",")}))
        except ValueError:
            self.fail(f"expected numbers separated by commas, such as 2,4, got {value!r}", param, ctx)
        return counts


class Viewpoint(ViewerType):
    """The number of a seat, or `spectator`."""

    name = "viewpoint"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | Literal["spectator"]:
        """Return the number of the seat, or `spectator` unchanged."""
        if value == "spectator":
            return "spectator"
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            self.fail(f"expected the number of a seat, or spectator, got {text!r}", param, ctx)
        return int(text)


def known_games(_app: App) -> list[str]:
    """Return the keys of all installed games."""
    from engine.catalog import game_keys

    return game_keys()


def known_bots(app: App) -> list[str]:
    """Return the names of all submitted bots."""
    with app.read_store() as store:
        return [bot.name for bot in store.bots()]


COUNT = click.IntRange(1, 1_000_000)
"""A number of things, or the number of a night. The bound is far above what a league has."""
INDEX = click.IntRange(0, 1_000_000_000)
"""A number that begins at 0: a seat, a turn, a place in a list."""
GAME = Name("game", known_games)
LEAGUE = Name("league", lambda app: app.settings.league_names())
BOT = Name("bot", known_bots)
BOT_OR_FILE = Name("bot", known_bots, files=True)
MOMENT = Moment()
PATH = click.Path(path_type=Path)
SEATS = SeatCounts()
VIEWPOINT = Viewpoint()


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `--json`, which prints the result for a script."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for a script.")(function)


def one_format(form: Format, *, as_json: bool) -> Format:
    """Return the format that `--format` and `--json` select together. Raises `UsageError` if they contradict."""
    if as_json and form in ("markdown", "csv"):
        raise UsageError(f"--json and --format {form} exclude each other: expected one of them")
    return "json" if as_json else form
