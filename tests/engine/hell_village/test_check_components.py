"""Other component tables: the errors of invalid tables, and a game made from a valid one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core import CHANCE
from engine.hell_village import GAME, HellVillage, flow
from engine.hell_village.check_components import check_tables
from engine.hell_village.components import read_built_in
from engine.hell_village.demons import powers_of

Table = dict[str, Any]


def test_the_built_in_table_is_right() -> None:
    """It has no problem, and its totals are those that it states."""
    data = read_built_in()
    assert check_tables(data) == []
    copies = {
        kind: sum(card["copies"] for card in data["hell_cards"][group])
        for group, kind in (("demons", "demon"), ("plans", "plan"), ("industries", "industry"))
    }
    assert copies == data["counts"]["copies_by_type"]["value"]
    assert sum(copies.values()) == data["counts"]["hell_cards"]["value"] == 76
    for part, count in (("payments", "payment_cards"), ("knowledge", "knowledge_cards")):
        assert len(data[part]["list"]) == data["counts"][count]["value"] == 10


def card(data: Table, name: str) -> Table:
    """The entry of a hell card."""
    groups = data["hell_cards"]
    entries = [*groups["demons"], *groups["plans"], *groups["industries"]]
    found: Table = next(entry for entry in entries if entry["id"] == name)
    return found


WRONG: list[tuple[str, Callable[[Table], Any], str]] = [
    ("another format", lambda d: d.update(format=2), "format: expected 1, got 2"),
    ("a start above the row", lambda d: d["limits"]["stock_row"].update(value=3), "expected at most 3, as limits"),
    ("too long a row", lambda d: d["limits"]["stock_row"].update(value=99), "from 1 to 20, got 99"),
    (
        "too many cards",
        lambda d: card(d, "imp").update(copies=9) or card(d, "orc").update(copies=9),
        "number: expected",
    ),
    ("no limits", lambda d: d.pop("limits"), "limits: expected an object, but it is missing"),
    ("a negative cost", lambda d: card(d, "imp")["cost"].update(food=-1), "cost.food: expected a whole number"),
    ("a cost in words", lambda d: card(d, "imp")["cost"].update(food="two"), "got 'two'"),
    ("no dice", lambda d: card(d, "orc").update(dice=[]), "dice: expected a list of faces 1-6, got []"),
    ("a die of 7", lambda d: card(d, "orc").update(dice=[7]), "dice: expected a list of faces 1-6"),
    ("an unknown edge", lambda d: card(d, "ash_mill")["edges"].update(n="gold"), "edges.n: expected one of ep2"),
    ("an unknown hook", lambda d: card(d, "imp")["effect"].update(hook="fly"), "effect.hook: expected one of"),
    (
        "a hook at a wrong place",
        lambda d: card(d, "ghost")["effect"].update(workplace="market"),
        "effect.workplace",
    ),
    ("a demon without effect", lambda d: card(d, "imp").pop("effect"), "effect: expected an object"),
    ("two cards of one id", lambda d: card(d, "imp").update(id="orc"), "'orc' is there twice"),
    ("a gap in the numbers", lambda d: card(d, "orc").update(number=9), "number: expected 2"),
    ("a card too few", lambda d: d["hell_cards"]["industries"].pop(), "expected 76 cards as counts.hell_cards says"),
    ("a card that is called food", lambda d: card(d, "imp").update(id="food"), "cannot be the id of a card"),
    ("an unknown count", lambda d: d["knowledge"]["list"][0].update(count="stars"), "count: expected one of"),
    ("too few knowledge cards", lambda d: d["knowledge"]["list"].pop(), "expected at least 10 cards"),
    ("too few payment cards", lambda d: d["payments"].update(list=d["payments"]["list"][:7]), "expected at least 8"),
    ("a workplace too few", lambda d: d["workplaces"]["list"].pop(), "workplaces.list: expected evil_worship"),
    ("no place to go", lambda d: d["workplaces"]["list"][0].update(spaces={"2": 1}), "expected null, since a seat"),
    ("too few tiles", lambda d: d["turn_order_tiles"]["list"].pop(), "a tile for each of 5 seats, got 4"),
    (
        "a tile for nothing",
        lambda d: d["super_workplaces"]["list"][0].update(replaces="cemetery"),
        "replaces: expected",
    ),
    ("keeping all", lambda d: d["constants"]["hell_cards_kept"].update(value=5), "expected fewer than the 5 cards"),
    ("no war room", lambda d: d["constants"]["war_room"].update(value=[]), "war_room: expected a list of rows"),
    ("a start land without edges", lambda d: d["start_land"].pop("edges"), "start_land.edges: expected an object"),
    ("a name that is not printed", lambda d: card(d, "imp").update(name="Imp\x1b[0m"), "name: expected printable"),
]


@pytest.mark.parametrize(("change", "problem"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_table_is_told_in_a_sentence(change: Callable[[Table], Any], problem: str) -> None:
    """Each mistake gives a sentence that says where it is, what was expected and what was there."""
    data = read_built_in()
    change(data)
    problems = check_tables(data)
    assert any(problem in sentence for sentence in problems), problems
    with pytest.raises(ValueError, match="cannot be played"):
        HellVillage(tables=data, key="hell_village_wrong")


def test_all_problems_are_told_at_once() -> None:
    """One run of the check is enough."""
    data = read_built_in()
    card(data, "imp")["cost"]["food"] = -1
    data["start_land"]["edges"]["n"] = "gold"
    del data["limits"]
    assert len(check_tables(data)) >= 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.data())
def test_the_check_never_raises(choice: st.DataObject) -> None:
    """Whatever stands in whatever part of the table, the check answers with sentences."""
    data = read_built_in()
    place: Any = data
    for _ in range(choice.draw(st.integers(1, 6))):
        key = choice.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key]:
            break
        parent, place = place, place[key]
    else:
        place = parent
    place[key] = choice.draw(JSON)
    problems = check_tables(data)
    assert all(isinstance(sentence, str) and sentence for sentence in problems)
    assert check_tables(choice.draw(JSON)) or not isinstance(data, dict)


def test_another_table_is_another_game() -> None:
    """It has its own key, version and notice, and plays by its own numbers to the end."""
    data = read_built_in()
    data["limits"]["stock_row"]["value"] = 9
    data["constants"]["rounds"]["value"] = 3
    data["super_workplaces"]["rounds"] = [2, 3]
    card(data, "imp").update(cost={"sacrifice": 0, "armor": 0, "food": 0}, ep=40, copies=1)
    game = HellVillage(tables=data, key="hell_village_short", version=4, title="Short", notice="A test.")
    assert (game.key, game.version, game.title, game.notice) == ("hell_village_short", 4, "Short", "A test.")
    for seats in game.seats:
        state, rng = game.new(seats, {"super_workplaces": True}), Random(seats)
        while state.to_act is not None:
            action = state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_actions())
            state.apply(action)
            assert max(state.stock) <= 9
            viewer = rng.randrange(seats)
            seen = state.observation(viewer)
            assert game.belief(seen).sample(rng).observation(viewer) == seen
        assert state.round == 3


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_table_may_have_few_rounds(rounds: int) -> None:
    """Nothing is turned up for rounds that do not exist; the last one ends the match."""
    data = read_built_in()
    data["constants"]["rounds"]["value"] = rounds
    state, rng = HellVillage(tables=data, key="hell_village_brief").new(2), Random(1)
    while state.to_act is not None:
        action = state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_actions())
        state.apply(action)
        assert list(state.observation(0)["payments"]) == [str(number) for number in range(1, rounds + 1)]
        assert state.resample(0, rng).observation(0) == state.observation(0)
    assert state.round == rounds


def test_a_table_may_let_no_die_be_set() -> None:
    """With 0 dice to set Evil Worship gives its goods without a question; Dullahan still sets its own number."""
    data = read_built_in()
    data["constants"]["evil_worship"]["value"]["dice_set"] = 0
    game = HellVillage(tables=data, key="hell_village_strict")
    for demons, asked in (((), "gain"), ((game.tables.numbers_of["dullahan"][0],), "set")):
        state = game.new(2)
        state.dice[0], state.agenda = (1, 3), [("place", 0)]
        state.powers[0] = powers_of(game.tables, demons)
        flow.advance(state, [])
        state.apply(game.decode({"type": "place", "die": 1, "at": "evil_worship", "value": 1, "kick": None}))
        assert state.observation(None)["decision"]["kind"] == asked


def test_a_table_may_pay_more_for_a_match() -> None:
    """R0.4 holds there too: of two kinds that large later rewards fill up anyway only one is offered."""
    data = read_built_in()
    data["constants"]["edge_rewards"]["value"]["resource"]["any"] = 7
    game = HellVillage(tables=data, key="hell_village_rich")
    state = game.new(2)
    state.stock[:3] = [5, 5, 12]
    state.agenda = [("reward", 0, "resource", 1), ("gain", 0, 7)]
    flow.advance(state, [])
    # Whatever is taken first, the second reward fills all that is left.
    assert state.to_act is None
    assert state.stock[:3] == [12, 12, 12]


@pytest.mark.parametrize("gain", [(3, 1, 0, 0), (0, 0, 0, 20)])
def test_a_plan_may_pay_back_what_it_cost(gain: tuple[int, ...]) -> None:
    """R0.4: where a plan's yield fills the stock up again whatever was paid, the payment is not asked for."""
    data = read_built_in()
    raid = card(data, "night_raid")
    raid["gain"] = dict(zip(("sacrifice", "armor", "food", "any"), gain, strict=True))
    game = HellVillage(tables=data, key="hell_village_generous")
    number = game.tables.numbers_of["night_raid"][0]
    for stock, to_act in (([12, 12, 0], None), ([5, 5, 0], 0)):
        state = game.new(2)
        state.stock[:3] = stock
        state.powers[0] = powers_of(game.tables, game.tables.numbers_of["human"])  # price 2 of 3 sacrifices and 1 armor
        state.agenda = [("played", 0, number), ("cost", 0, number)]
        flow.advance(state, [])
        assert state.to_act == to_act
    assert len(state.legal_actions()) == 2


def test_every_such_game_checks_tables() -> None:
    """The game says what is wrong with a table, whichever table it is made from itself."""
    assert GAME.check_tables(read_built_in()) == []
    assert GAME.check_tables({}) == check_tables({}) != []
    assert HellVillage(read_built_in(), "other").check_tables(read_built_in()) == []


def test_another_table_needs_a_key_of_its_own() -> None:
    """The key of the built-in game stays with the built-in table."""
    with pytest.raises(ValueError, match="another component table is another game"):
        HellVillage(tables=read_built_in())


def test_the_game_says_what_is_reconstructed() -> None:
    """An organiser reads in the notice which values are no published ones."""
    for word in ("reconstruction", "cost", "EP", "plans", "industries", "payment", "knowledge", "RULES.md"):
        assert word in GAME.notice
