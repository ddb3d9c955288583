"""Which games there are: the built-in ones, then those that installed packages offer under `arena.games`."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from engine.core import Game

ENTRY_POINT_GROUP = "arena.games"
"""An entry point of this group has a game's key as its name and refers to a `Game` instance."""

BUILT_IN = {
    "burn_my_village": "engine.burn_my_village",
    "lanterns": "engine.lanterns",
    "hell_village": "engine.hell_village",
}
"""Key -> package; each package has its game as `GAME`."""


class UnknownGame(LookupError):
    """No installed game has that key; the message names the nearest ones."""


class BrokenGame(RuntimeError):
    """A package offers the game, but what it offers cannot be loaded or is not that game."""


def game_keys() -> list[str]:
    """Every key, the built-in games first, then those of other packages in alphabetical order."""
    return [*BUILT_IN, *sorted(_offered())]


def get_game(key: str) -> Game:
    """The game of that key. Raises `UnknownGame`, or `BrokenGame` when its package is at fault."""
    if key in BUILT_IN:
        game: Game = import_module(BUILT_IN[key]).GAME
        return game
    offered = _offered()
    if key not in offered:
        near = difflib.get_close_matches(key, game_keys(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(game_keys())}"
        raise UnknownGame(f"there is no game {key!r}: {hint}")
    return _load(offered[key])


def _offered() -> dict[str, EntryPoint]:
    return _scanned(entry_points, tuple(sys.path))


@lru_cache(maxsize=4)
def _scanned(scan: Callable[..., Iterable[EntryPoint]], _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    # Reading what all installed packages offer takes milliseconds, and every match asks: once for each search path.
    # A built-in key always means the built-in game: a package cannot quietly replace its rules.
    return {point.name: point for point in scan(group=ENTRY_POINT_GROUP) if point.name not in BUILT_IN}


@cache
def _load(point: EntryPoint) -> Game:
    try:
        game = point.load()
    except Exception as error:
        raise BrokenGame(f"the game {point.name!r} ({point.value}) cannot be loaded: {error}") from error
    if not isinstance(game, Game) or game.key != point.name:
        raise BrokenGame(f"{point.value} must be a Game with the key {point.name!r}, got {game!r}")
    return game
