"""The picture of Hell Village: points, dice, crowded tables, and what only the viewer sees."""

from __future__ import annotations

from functools import partial
from random import Random

from engine.hell_village import GAME
from engine.hell_village.picture_signs import SIGNS
from engine.svg import PALETTE
from engine.walk import random_walk
from tests.engine import pictures
from tests.engine.pictures import SIGHT, distance, ids, words
from tests.engine.test_pictures import is_readable

seen = partial(pictures.seen, GAME, steps=150)
"""An observation in the middle of a random match."""


def test_the_points_are_those_of_the_match() -> None:
    """The picture adds up what the viewer sees, and comes to the scores of the rules: on the way and at the end."""
    compared = 0
    for seed in range(4):
        state = GAME.new(4)
        for number, _ in enumerate(random_walk(state, Random(seed))):
            if number % 60 == 0 or state.to_act is None:
                shown = words(GAME.picture(state.observation(None)))
                assert [f"{score:g} EP" for score in state.scores()] == [word for word in shown if word.endswith(" EP")]
                compared += 1
    assert compared > 12


def test_every_die_has_its_value_and_its_seat() -> None:
    """Colour is never the only sign."""
    observation = seen(None)
    for place in observation["workplaces"].values():
        place["dice"] = []
    before = words(GAME.picture(observation))
    observation["workplaces"]["market"]["dice"] = [[2, 5]]
    after = words(GAME.picture(observation))
    assert sorted(after) == sorted([*before, "5", "2"])


def test_only_the_viewer_sees_its_cards() -> None:
    """The cards of a hand are drawn for their owner, and for nobody else."""
    observation = seen(1)
    svg = GAME.picture(observation)
    assert observation["me"]["hand"]
    for card in observation["me"]["hand"]:
        assert GAME.tables.name(card["card"]) in words(svg)
    assert len([name for name in ids(svg) if name.startswith("pic-hand-")]) == len(observation["me"]["hand"])
    assert not [name for name in ids(GAME.picture(seen(None))) if name.startswith("pic-hand-")]


def test_a_village_of_all_cards_can_be_read() -> None:
    """Five seats that have played every card, a wide village, all dice in two workplaces: within all bounds."""
    rng = Random(1)
    observation = seen(2, seats=5)
    cards = {
        kind: [card.id for card in GAME.tables.cards if card.kind == kind] for kind in ("demon", "plan", "industry")
    }
    start = observation["village"][0]
    cells = {(0, 0)}
    observation["village"] = [start]
    for number, name in enumerate(cards["industry"]):
        beside = {(x + step, y) for x, y in cells for step in (-1, 1)} | {
            (x, y + 1) for x, y in cells if number % 4 == 0
        }
        x, y = (number + 1, 0) if number < 12 else rng.choice(sorted(beside - cells))
        cells.add((x, y))
        observation["village"].append({**start, "card": name, "x": x, "y": y, "owner": number % 5})
    for seat, table in enumerate(observation["tables"]):
        table.update(
            demons=cards["demon"][seat::5], plans=cards["plan"][seat::5], industries=cards["industry"][seat::5]
        )
        table.update(dice=[], stock={"sacrifice": 12, "armor": 12, "food": 12}, income={"card": 6, "resource": 6})
        table.update(ep=-23, hand_size=13)
    for name, place in observation["workplaces"].items():
        place["dice"] = [[number % 5, 6] for number in range(15)] if name == "evil_worship" else []
    observation["me"]["hand"] = []
    svg = GAME.picture(observation)
    is_readable(svg)
    assert len([name for name in ids(svg) if name.startswith("pic-land-")]) == 1 + len(cards["industry"])


def test_every_sign_can_be_seen_on_light_and_on_dark_pages() -> None:
    """No sign has the colour of its ground, for any sight."""
    for _outline, hue in SIGNS.values():
        for ground in ("panel", "wood", "paper"):
            for side in ("light", "dark"):
                for sight in SIGHT:
                    assert distance(getattr(PALETTE[hue], side), getattr(PALETTE[ground], side), sight) > 18
