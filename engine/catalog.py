"""Find games: the built-in ones, then those that installed packages offer under `arena.games`."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from engine.core import Game

ENTRY_POINT_GROUP = "arena.games"
"""The group of entry points. Such an entry point has a game's key as its name and refers to a `Game` instance."""

BUILT_IN = {
    "burn_my_village": "engine.burn_my_village",
    "lanterns": "engine.lanterns",
    "hell_village": "engine.hell_village",
}
"""The package of each built-in key. Each package has its game as `GAME`."""


class UnknownGame(LookupError):
    """No installed game has that key. The message names the nearest key, or all of them."""


class BrokenGame(RuntimeError):
    """A package offers the game, but the game cannot be loaded, or it is not a `Game` with that key."""


def game_keys() -> list[str]:
    """Return every key: first the built-in games, then those of other packages in alphabetical order."""
    return [*BUILT_IN, *sorted(_offered())]


def get_game(key: str) -> Game:
    """Return the game of that key. Raises `UnknownGame`, or `BrokenGame` if its package is at fault."""
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
    # It takes milliseconds to read the entry points of all installed packages, and every match needs them. So they are
    # read once for each search path. A built-in key always means the built-in game: no package can replace its rules.
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
