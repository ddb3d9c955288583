"""Which games are found, and the errors for games that are not."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from engine import catalog
from engine.burn_my_village import GAME

PLUG_IN = EntryPoint("zz_plug_in", "engine.burn_my_village:GAME", catalog.ENTRY_POINT_GROUP)


def offer(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    """Let these entry points be the ones that installed packages offer."""

    def entry_points(*, group: str) -> tuple[EntryPoint, ...]:
        assert group == "arena.games"
        return points

    monkeypatch.setattr(catalog, "entry_points", entry_points)


def test_built_in_games_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The built-in keys, then those of other packages in alphabetical order."""
    other = EntryPoint("aa_plug_in", "nowhere:GAME", catalog.ENTRY_POINT_GROUP)
    offer(monkeypatch, PLUG_IN, other)
    assert catalog.game_keys() == ["burn_my_village", "lanterns", "hell_village", "aa_plug_in", "zz_plug_in"]


def test_a_built_in_game_is_found() -> None:
    """The game is the one object of its package, under its own key."""
    assert catalog.get_game("burn_my_village") is GAME
    assert GAME.key == "burn_my_village"


def test_no_package_replaces_a_built_in_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point with a built-in key is passed over."""
    offer(monkeypatch, EntryPoint("burn_my_village", "nowhere:GAME", catalog.ENTRY_POINT_GROUP))
    assert catalog.game_keys().count("burn_my_village") == 1
    assert catalog.get_game("burn_my_village") is GAME


def test_an_unknown_game_names_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip of the pen gets a hint, anything else the list."""
    offer(monkeypatch)
    with pytest.raises(catalog.UnknownGame, match="did you mean 'burn_my_village'"):
        catalog.get_game("burn_my_vilage")
    with pytest.raises(catalog.UnknownGame, match="expected one of burn_my_village, lanterns, hell_village"):
        catalog.get_game("qqq")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("engine.no_such_module:GAME", "cannot be loaded"),
        ("engine.burn_my_village:NO_SUCH_NAME", "cannot be loaded"),
        ("engine.core:CHANCE", "must be a Game with the key 'zz_broken'"),
        ("engine.burn_my_village:GAME", "must be a Game with the key 'zz_broken'"),
    ],
)
def test_a_broken_package_is_named(monkeypatch: pytest.MonkeyPatch, value: str, message: str) -> None:
    """What a package offers must load and be a `Game` of that key; otherwise the message says which entry failed."""
    offer(monkeypatch, EntryPoint("zz_broken", value, catalog.ENTRY_POINT_GROUP))
    with pytest.raises(catalog.BrokenGame, match=message) as refusal:
        catalog.get_game("zz_broken")
    assert value in str(refusal.value)
