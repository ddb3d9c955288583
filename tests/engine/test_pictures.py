"""Pictures of positions: plain drawing, a function of the observation alone, and readable for everybody."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from engine.catalog import BUILT_IN
from engine.core import CHANCE, State
from engine.svg import HUES, PALETTE, style_sheet
from engine.svg_check import check_picture
from tests.engine.contract import Table, as_json, option_tables, positions, round_trip, tables
from tests.engine.pictures import (
    FOLDER,
    SIGHT,
    contrast,
    distance,
    golden,
    ids,
    in_another_order,
    size_of,
    texts,
)

every_table = pytest.mark.parametrize("table", tables(), ids=str)
every_choice = pytest.mark.parametrize("table", option_tables(), ids=str)


def pictures(table: Table, state: State) -> list[str]:
    """The picture of every viewer, spectator first; nothing if the game draws none."""
    drawn = [table.game.picture(round_trip(state.observation(viewer))) for viewer in table.viewers]
    assert table.game.key not in BUILT_IN or None not in drawn
    return [svg for svg in drawn if svg is not None]


def is_readable(svg: str) -> None:
    """The picture is plain drawing; on a phone every text is large enough, inside, and not on another text."""
    check_picture(svg)
    found = ids(svg)
    assert len(found) == len(set(found))
    width, height = size_of(svg)
    words = list(texts(svg))
    for text in words:
        assert text.size * 360 / width >= 9, f"{text} is too small where the picture is 360 pixels wide"
        assert text.left >= 0 and text.right <= width and text.size / 2 <= text.base <= height, f"{text} is cut off"
    for one, other in combinations(words, 2):
        assert not one.overlaps(other), f"{one} covers {other}"


@every_table
def test_every_picture_is_plain_and_readable(table: Table) -> None:
    """For every viewer, from the first chance to the end."""
    for state, _ in positions(table, seed=31, every=12):
        for svg in pictures(table, state):
            is_readable(svg)


@every_choice
def test_pictures_are_drawn_under_every_option(table: Table) -> None:
    """The same under each choice of each option, for one viewer at a time."""
    for state, rng in positions(table, seed=32, every=25):
        if drawn := pictures(table, state):
            is_readable(rng.choice(drawn))


@every_table
def test_a_picture_is_a_function_of_the_observation(table: Table) -> None:
    """Two worlds that a viewer cannot tell apart give it the same picture, byte for byte. The order of the fields does
    not matter, and neither the observation nor the state changes.
    """
    for state, rng in positions(table, seed=33, every=15):
        for viewer in table.viewers:
            observation = round_trip(state.observation(viewer))
            before = as_json(observation)
            svg = table.game.picture(observation)
            assert as_json(observation) == before == as_json(state.observation(viewer))
            assert table.game.picture(state.resample(viewer, rng).observation(viewer)) == svg
            assert table.game.picture(in_another_order(observation, rng)) == svg


@every_table
def test_what_lasts_keeps_its_id(table: Table) -> None:
    """From one turn to the next most elements with an id are still there, so that a page can move them."""
    kept = total = 0
    last: set[str] = set()
    for state, _ in positions(table, seed=34):
        svg = None if state.to_act == CHANCE else table.game.picture(state.observation(None))
        if svg is None:
            continue
        now = set(ids(svg))
        kept, total = kept + len(last & now), total + len(last)
        last = now
    assert kept >= 0.8 * total


@pytest.mark.parametrize("key", BUILT_IN)
def test_a_golden_picture_is_drawn_as_written(key: str) -> None:
    """The picture is that of the file; `make golden` writes it anew. Look at it before you commit it."""
    assert golden(key).splitlines() == (FOLDER / f"{key}.svg").read_text("utf-8").splitlines()


def test_colours_of_things_differ_for_every_sight() -> None:
    """Any two colours of cards, dice and tokens are far apart in CIE Lab, to colour-blind readers too."""
    for sight in SIGHT:
        for one, other in combinations(HUES, 2):
            assert distance(PALETTE[one].light, PALETTE[other].light, sight) > 25, (sight, one, other)


def test_the_simulation_of_sights_confuses_what_is_confused() -> None:
    """The test above could fail: a red and a green of equal lightness are one colour to many, and not to others."""
    assert distance("#b06a3c", "#7f8f3c", "full") > 40
    assert distance("#b06a3c", "#7f8f3c", "deuteranopia") < 12
    assert distance("#ffffff", "#ffffff", "tritanopia") == 0


@pytest.mark.parametrize("side", ["light", "dark"])
def test_texts_stand_out_on_every_ground(side: str) -> None:
    """Every colour of a text has the contrast that WCAG 2 asks for, on every ground that it is written on."""
    paint = {name: getattr(paint, side) for name, paint in PALETTE.items()}
    grounds = ("paper", "panel", "water", "wood")
    pairs = [(text, ground) for text in ("ink", "muted", "accent") for ground in grounds]
    pairs += [(f"on-{name}", name) for name in (*HUES, "accent")]
    for text, ground in pairs:
        assert contrast(paint[text], paint[ground]) >= 4.5, (text, ground)


def test_a_page_can_replace_every_colour() -> None:
    """The style sheet has each colour as a custom property, light and dark, and a class for each use."""
    css = style_sheet()
    for name, paint in PALETTE.items():
        assert f"--pic-{name}: {paint.light};" in css
        assert f"--pic-{name}: {paint.dark};" in css
        assert f".f-{name} {{ fill: var(--pic-{name}); }}" in css
        assert f".s-{name} {{ stroke: var(--pic-{name}); }}" in css
    rng = Random(1)
    assert in_another_order({"a": 1, "b": [{"c": 2, "d": 3}]}, rng) == {"a": 1, "b": [{"c": 2, "d": 3}]}
