"""Every rule of Lanterns by its number, and every worked example (E1 to E14), on positions played by hand."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random
from typing import Any

import pytest

from engine.core import CHANCE, IllegalAction, MalformedAction, OptionError
from engine.lanterns import GAME
from engine.lanterns.actions import DISCARDS, ORIENTS, PLACEMENTS, SKIP, Place, Shuffle
from engine.lanterns.cards import count, pack
from engine.lanterns.components import (
    BOX,
    COLOURS,
    FACES,
    POOL,
    REACH,
    SHOWN_LETTERS,
    START_TILE,
    cell_at,
    cell_position,
    shown_sides,
)
from engine.lanterns.scoring import ranks
from tests.engine.lanterns_table import cards, counted, everything, listed, play, position, read, start

# E5 to E7 continue one match; E14 looks at it.
E5_START = "25 27 10 2 9 3"
E5 = "p 25@-1,0/1"
E6 = E5 + "; p 2@0,1/0; p 27@-1,1/3"
E7 = E6 + "; p 3@-1,-1/2"


# R1 components


def test_the_box_holds_what_the_rules_say() -> None:
    """R1.1 to R1.7: totals of colours, cards, tiles and tokens in the data file, each part with its source mark."""
    assert COLOURS == "BGKOPRW"
    assert set(BOX["colours"]["names"]) == set(COLOURS)
    assert BOX["lantern_cards"]["in_box"] == 8 * 7 == BOX["lantern_cards"]["in_box_per_colour"] * len(COLOURS)
    assert [face.tile for face in FACES] == list(range(35))
    assert sum(face.copies for face in FACES) == 36
    assert [face.tile for face in FACES if face.copies == 2] == [10]
    assert len(POOL) == 35
    assert START_TILE not in POOL
    assert Counter(face.platform for face in FACES if face.tile in POOL for _ in range(face.copies)) == {
        False: BOX["tile_counts"]["pool_plain"],
        True: BOX["tile_counts"]["pool_platform"],
    }
    assert (BOX["tile_counts"]["pool_plain"], BOX["tile_counts"]["pool_platform"]) == (24, 11)
    assert not FACES[START_TILE].platform
    assert FACES[9].sides == FACES[START_TILE].sides
    assert all(len(face.sides) == 4 and set(face.sides) <= set(COLOURS) for face in FACES)
    assert [len(tokens) for tokens in BOX["dedications"]["in_box"].values()] == [9, 9, 9]
    assert BOX["dedications"]["generic"] == {"value": 4, "in_box": 3}
    assert (BOX["favor_tokens"]["official"], BOX["favor_tokens"]["text"]) == (20, 24)


def test_every_part_of_the_data_says_where_it_is_from() -> None:
    """R1: each section of the data file bears source marks, of the kinds that it explains."""
    marks = set(BOX["marks"])
    assert marks == {"T", "F", "C"}
    for name, section in BOX.items():
        if name not in ("game", "marks"):
            source = section["source"]
            assert set(source.values() if isinstance(source, dict) else [source]) <= marks, name


def test_stacks_by_seats_are_the_box_without_marked_tokens() -> None:
    """R3.2: at each number of seats a stack holds the tokens of the box that are not marked for more seats."""
    for seats, stacks in BOX["dedications"]["by_seats"].items():
        for kind, tokens in BOX["dedications"]["in_box"].items():
            values = [token["value"] for token in tokens if token["min_seats"] <= int(seats)]
            assert stacks[kind] == values == sorted(values, reverse=True)
    assert [len(BOX["dedications"]["by_seats"][seats]["four"]) for seats in "234"] == [6, 8, 9]


def test_tiles_by_seats_add_up() -> None:
    """R3.4, A3: hands, stack and removed tiles are the pool of 35; hands with the stack are the placements."""
    for seats, sizes in BOX["tile_counts"]["by_seats"].items():
        dealt = sizes["hand"] * int(seats) + sizes["stack"]
        assert dealt + sizes["removed"] == 35
        assert dealt == sizes["placements"] == sizes["placements_per_seat"] * int(seats)


# R2 geometry


def test_cells_count_east_and_north() -> None:
    """R2.1: cells keep their coordinates as far as any tile can lie, in the order of x, then y."""
    corners = [(x, y) for x in (-REACH - 1, -1, 0, REACH + 1) for y in (-REACH - 1, 0, 1, REACH + 1)]
    assert [cell_position(cell_at(x, y)) for x, y in corners] == corners
    assert [cell_at(x, y) for x, y in corners] == sorted(cell_at(x, y) for x, y in corners)


def test_rotation_turns_clockwise() -> None:
    """R2.2, E1: face 3 is BKOG and shows BKOG, GBKO, OGBK, KOGB at rotations 0 to 3."""
    assert [shown_sides(3, rotation) for rotation in range(4)] == ["BKOG", "GBKO", "OGBK", "KOGB"]
    assert [SHOWN_LETTERS[4 * 3 + rotation] for rotation in range(4)] == ["BKOG", "GBKO", "OGBK", "KOGB"]


@pytest.mark.parametrize("direction", range(4))
def test_touching_sides_are_opposite(direction: int) -> None:
    """R2.3: side d of a tile touches side d + 2 of its neighbour in direction d, in each of the four directions."""
    # Seat 0 faces red, so the start tile shows RWKB. Face 10 is BWGP: turned so that its one W, or B, meets the same.
    x, y = [(0, 1), (1, 0), (0, -1), (-1, 0)][direction]
    shown = "RWKB"[direction]
    for rotation in range(4):
        state = start(2, 0, "10 11 1")
        touching = SHOWN_LETTERS[4 * 10 + rotation][(direction + 2) % 4]
        event = play(state, f"p 10@{x},{y}/{rotation}")[0]
        assert event.public["bonus"] == (shown if touching == shown else "")


@pytest.mark.parametrize(
    ("seats", "options", "sides"),
    [(4, {}, "NESW"), (3, {}, "NES"), (2, {}, "NS"), (2, {"two_player_seats": "adjacent"}, "NE")],
)
def test_seats_own_directions(seats: int, options: dict[str, Any], sides: str) -> None:
    """R2.4, A5: seats sit clockwise from north; two sit opposite, or adjacent by option."""
    tables = start(seats, 0, **options).observation(None)["tables"]
    assert "".join(table["side"] for table in tables) == sides


def test_sides_that_face_nobody_pay_nobody_but_match() -> None:
    """R2.5, A6: at two seats the east side pays no seat, yet it is the side that matches here."""
    state = start(2, 0, E5_START)
    event = play(state, E5)[0]  # shows OBOB: north and south pay, B to the east only matches
    assert event.public["gains"] == ["O", "O"]
    assert event.public["bonus"] == "B"


# R3 setup


@pytest.mark.parametrize(
    ("seats", "options", "a_colour", "favor"),
    [
        (2, {}, 5, 20),
        (3, {}, 7, 20),
        (4, {}, 8, 20),
        (2, {"edition": "text"}, 6, 24),
        (3, {"edition": "text"}, 7, 24),
        (4, {"edition": "text"}, 8, 24),
        (2, {"two_player_stack": "6"}, 6, 20),
        (2, {"edition": "text", "two_player_stack": "5"}, 5, 24),
        (4, {"two_player_stack": "6"}, 8, 20),
        (3, {"favor_supply": "24"}, 7, 24),
        (2, {"edition": "text", "favor_supply": "20"}, 6, 20),
    ],
)
def test_supplies_follow_seats_and_options(seats: int, options: dict[str, Any], a_colour: int, favor: int) -> None:
    """R1.6, R3.1, A1, A2: cards a colour and favor tokens at each number of seats, edition, and overriding option."""
    seen = GAME.new(seats, options).observation(None)
    assert seen["supply"] == dict.fromkeys(COLOURS, a_colour)
    assert seen["favor_supply"] == favor


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_dedication_stacks_begin_full(seats: int) -> None:
    """R3.2: the stacks, highest value on top, as in the data file."""
    assert start(seats, 0).observation(None)["dedications"] == BOX["dedications"]["by_seats"][str(seats)]


@pytest.mark.parametrize(
    ("seats", "options", "orient", "shown", "first"),
    [
        (4, {}, 2, "KBRW", "KBRW"),
        (3, {}, 0, "RWKB", "RWK"),
        (3, {}, 1, "BRWK", "BRW"),
        (3, {}, 2, "KBRW", "KBR"),
        (2, {}, 0, "RWKB", "RK"),
        (2, {}, 1, "KBRW", "KR"),
        (2, {"two_player_seats": "adjacent"}, 0, "RWKB", "RW"),
        (2, {"two_player_seats": "adjacent"}, 1, "BRWK", "BR"),
    ],
)
def test_red_faces_the_start_seat(seats: int, options: dict[str, Any], orient: int, shown: str, first: str) -> None:
    """R3.3, R3.5, R3.6, E2: how the start tile lies, who gets which first card, and who begins."""
    state = start(seats, orient, **options)
    seen = state.observation(None)
    tile = {"x": 0, "y": 0, "tile": 0, "rotation": ["BRWK", "KBRW", "WKBR", "RWKB"].index(shown), "shown": shown}
    assert seen["board"] == [{**tile, "platform": False}]
    assert [cards(held) for held in state.held] == [f"{letter}1" for letter in first]
    assert state.to_act == seen["start_seat"] == orient
    assert state.favor == [0] * seats
    full = BOX["cards_per_colour"]["official"][str(seats)]
    assert seen["supply"] == {letter: full - (letter in first) for letter in COLOURS}


def test_each_seat_faces_red_equally_often() -> None:
    """R3.3, A4: red always faces a seat that plays, and each of them about equally often."""
    state = GAME.new(3)
    assert state.to_act == CHANCE
    assert state.chance_key == "orient"
    rng = Random(1)
    drawn = Counter(state.sample_chance(rng) for _ in range(3000))
    assert set(drawn) == set(ORIENTS[:3])
    assert all(900 < number < 1100 for number in drawn.values())
    with pytest.raises(IllegalAction):
        state.apply(ORIENTS[3])


def test_the_order_of_the_pool_deals_hands_stack_and_removed() -> None:
    """R3.4, E3: at three seats a descending order gives these hands, this stack, these removed tiles."""
    descending = list(reversed(POOL))
    state = start(3, 1, descending)
    assert state.hands == [(32, 33, 34), (29, 30, 31), (26, 27, 28)]
    assert state.stack == tuple(descending[9:27])
    assert (state.stack[0], state.stack[-1], state.stack.count(10), len(state.stack)) == (25, 9, 2, 18)
    assert state.removed == tuple(range(1, 9))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_shuffle_takes_exactly_the_pool(seats: int) -> None:
    """R3.4: a shuffle is the ascending pool shuffled by the generator; anything but the pool is refused."""
    state = GAME.new(seats)
    state.apply(ORIENTS[0])
    assert state.chance_key == "shuffle"
    expected = list(POOL)
    Random(9).shuffle(expected)
    assert state.sample_chance(Random(9)) == Shuffle(tuple(expected))
    before = everything(state)
    for wrong in (POOL[1:], (*POOL[1:], 2), (0, *POOL[1:])):
        with pytest.raises(IllegalAction):
            state.apply(Shuffle(wrong))
    assert everything(state) == before


def test_before_the_first_chance_nothing_lies() -> None:
    """R3: the observation of a new match: setup, an empty lake, no start seat, nobody holds anything."""
    seen = GAME.new(2).observation(1)
    assert (seen["step"], seen["to_act"], seen["start_seat"], seen["board"]) == ("setup", CHANCE, None, [])
    assert (seen["hand"], seen["stack"], seen["removed"]) == ([], 0, 0)


# R4 the go


def test_goes_follow_seat_order() -> None:
    """R4.1: after the start seat the next seat acts, cyclically."""
    state = start(3, 1)
    order = []
    for _ in range(4):
        order.append(state.to_act)
        state.apply(state.legal_actions()[0])
    assert order == [1, 2, 0, 1]


def test_the_steps_of_a_go_come_in_order_and_once() -> None:
    """R4.2: exchange, then dedicate, then discard, then place, none of them twice."""
    state = position([counted("B5 G4 K2 O2 P1"), "R"], favor=[6, 0])
    steps = []
    for move in ("x B>W", "d GGGG", "p 1@0,1/0"):
        steps.append(state.step)
        play(state, move)
    assert steps == ["exchange", "dedicate", "place"]
    state = position([counted("B5 G4 K2 O2 P1"), "R"], favor=[6, 0])
    steps = []
    for move in ("-", "-", "c B", "c B", "p 1@0,1/0"):
        steps.append(state.step)
        play(state, move)
    assert steps == ["exchange", "dedicate", "discard", "discard", "place"]
    assert state.to_act == 1


def test_a_step_without_a_choice_is_passed_over() -> None:
    """R4.3, A21: a seat with little favor, no set and few cards is only asked to place, and no event tells of more."""
    state = position(["B", "G"], favor=[1, 0])
    assert state.step == "place"
    events = state.apply(state.legal_actions()[0])
    assert [event.type for event in events] == ["place", "draw"]


# R5 exchange


def test_an_exchange_swaps_one_card_for_two_favor() -> None:
    """R5.1: two favor tokens and a card go to the supplies, a card of another colour comes back."""
    state = position(["B", "G"], favor=[3, 0])
    assert listed(state) == ["-", "x B>G", "x B>K", "x B>O", "x B>P", "x B>R", "x B>W"]
    assert [event.seen_by(1) for event in play(state, "x B>W")] == [
        {"type": "exchange", "seat": 0, "give": "B", "take": "W"}
    ]
    assert cards(state.held[0]) == "W1"
    assert (state.favor[0], state.favor_supply) == (1, 19)
    assert cards(state.supply) == "B5 G4 K5 O5 P5 R5 W4"


def test_no_exchange_without_favor_cards_or_supply() -> None:
    """R5.1, A7: with one favor token, without cards, or with nothing else in the supply there is no exchange."""
    assert position(["B", "G"], favor=[1, 9]).step == "place"
    assert position(["", "G"], favor=[5, 0]).step == "place"
    rest = counted("B4 G5 K5 O5 P5 R5 W5")
    state = position(["B", rest], favor=[5, 0])  # the supply is empty
    assert state.step == "place"
    state = position(["B", rest[1:]], favor=[5, 0])  # the supply has only the colour that would be given
    assert state.step == "place"
    state = position(["G", rest.replace("G", "", 1) + "B"], favor=[5, 0])
    assert state.step == "place"


def test_what_is_paid_is_at_once_available() -> None:
    """R5.2, A16: a given card opens its colour again for the next seat, and its tokens can be earned again."""
    state = position([counted("W5"), counted("R2 B2")], favor=[2, 2], empty="")
    play(state, "x W>G")
    assert "W" in cards(state.supply)
    play(state, "d WWWW; p 1@0,1/0")
    assert state.step == "exchange"
    assert "x B>W" in listed(state)


def test_exchanges_after_e7() -> None:
    """R5.1, E8: seat 0 is asked for an exchange: 1 + 5 + 6 + 5 + 5 choices, none of which takes the missing O."""
    state = start(2, 0, E5_START)
    play(state, E7)
    assert state.to_act == 0
    assert state.step == "exchange"
    assert state.favor[0] == 3
    assert cards(state.held[0]) == "B2 O3 R1 W1"
    assert cards(state.supply) == "B1 G5 K4 P5 R4 W4"
    actions = listed(state)
    assert actions[:2] == ["-", "x B>G"]
    assert actions[-1] == "x W>R"
    assert len(actions) == 1 + 5 + 6 + 5 + 5
    assert not any(action.endswith(">O") for action in actions)


# R6 dedication


def test_which_cards_are_a_set() -> None:
    """R6.1, A17: four of a colour, three different pairs, or all seven; four alike are no two pairs."""
    assert listed(position([counted("B4 G2"), ""])) == ["-", "d BBBB"]
    assert listed(position([counted("B2 G2 K2"), ""])) == ["-", "d BBGGKK"]
    assert listed(position(["BGKOPRW", ""])) == ["-", "d BGKOPRW"]
    for nothing in ("B3 G3 K1 O1 P1 R1", "B3 G3 K1 O1", ""):
        assert position([counted(nothing), ""]).step == "place"


def test_a_set_buys_the_top_token() -> None:
    """R6.2: the cards return, the seat takes the highest value of that kind, the next one gets the next."""
    state = position([counted("B5 G2"), counted("K4")])
    events = play(state, "d BBBB")
    assert [event.seen_by(None) for event in events] == [{"type": "dedicate", "seat": 0, "cards": "BBBB", "value": 8}]
    assert cards(state.held[0]) == "B1 G2"
    assert state.taken == [(8,), ()]
    assert state.observation(None)["dedications"]["four"] == [7, 6, 5, 5, 4]
    play(state, "p 1@0,1/0")
    assert play(state, "d KKKK")[0].public["value"] == 7
    assert state.scores() == (8, 7)


def test_an_empty_stack_pays_four() -> None:
    """R6.3, A13: generic tokens of 4 take the place of an empty stack, however often; other stacks are not touched."""
    state = position([counted("B4"), counted("G4")], empty="four")
    assert play(state, "d BBBB")[0].public["value"] == 4
    play(state, "p 1@0,1/0")
    assert play(state, "d GGGG")[0].public["value"] == 4
    assert state.observation(None)["generic_left"] is None
    assert state.observation(None)["dedications"]["pairs"] == [9, 8, 7, 6, 5, 5]


def test_generic_tokens_can_be_limited() -> None:
    """A13: with `generic_limit` 3 they count down; at none left a set of an empty stack is not listed."""
    state = position([counted("B4 G2 K2"), counted("G3 O4")], empty="four", generic_limit="3")
    assert state.generic_left == 3
    play(state, "d BBBB")
    assert state.observation(None)["generic_left"] == 2
    state = position([counted("B4 G2 K2"), ""], empty="four", generic_limit="3")
    state.generic_left = 0
    assert listed(state) == ["-", "d BBGGKK"]
    with pytest.raises(IllegalAction):
        play(state, "d BBBB")
    play(state, "d BBGGKK")
    assert state.generic_left == 0
    state = position([counted("B4"), counted("R4")], empty="four", generic_limit="3")
    state.generic_left = 0
    play(state, "-")
    play(state, "p 1@0,1/0")
    assert state.step == "place"  # seat 1 holds four of a colour, but there is no token for them


def test_returned_cards_open_their_colour() -> None:
    """R6.2, R9.1, E9: all R are held; a dedication brings four back, and the placement pays two of them."""
    state = start(2, 1, "16 5 10 32 17 20 30 12 10 27 22 9")
    play(state, "p 32@0,-1/1; p 16@-1,0/3")
    assert state.to_act == 1
    assert [held >> 40 & 255 for held in state.held] == [1, 4]
    assert "R" not in cards(state.supply)
    assert play(state, "d RRRR")[0].public["value"] == 8
    assert cards(state.supply).split()[-2] == "R4"
    assert state.step == "place"  # the one dedication of this go is made
    events = play(state, "p 20@-1,-1/2")
    assert SHOWN_LETTERS[4 * 20 + 2] == "ROKP"
    placed = events[0].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("RO", 1, ["R", "K"])
    assert cards(state.supply).split()[-2] == "R2"


# R7 card limit


def test_more_than_twelve_cards_are_discarded_before_placing() -> None:
    """R7.1, R7.2, E11: 17 cards: the sets offered, and what each choice leaves to discard."""
    seventeen = [counted("B3 G2 K4 O1 P3 R1 W3"), ""]
    state = position(seventeen)
    assert state.step == "dedicate"
    sets = "KKKK BBGGKK BBGGPP BBGGWW BBKKPP BBKKWW BBPPWW GGKKPP GGKKWW GGPPWW KKPPWW BGKOPRW"
    assert listed(state) == ["-", *(f"d {name}" for name in sets.split())]
    play(state, "d KKKK")
    assert listed(state) == ["c B", "c G", "c O", "c P", "c R", "c W"]
    assert [event.seen_by(1) for event in play(state, "c P")] == [{"type": "discard", "seat": 0, "card": "P"}]
    assert state.step == "place"
    assert count(state.held[0]) == 12
    state = position(seventeen)
    play(state, "-")
    for left in (16, 15, 14, 13, 12):
        assert state.step == "discard"
        state.apply(state.legal_actions()[0])
        assert count(state.held[0]) == left
    assert state.step == "place"
    state = position(seventeen)
    play(state, "d BGKOPRW")
    assert state.step == "place"
    assert count(state.held[0]) == 10


def test_exactly_twelve_may_be_kept() -> None:
    """R7.1, R7.2: at twelve cards nobody discards, and no discard is allowed."""
    state = position([counted("B3 G3 K3 O3"), ""])
    play(state, "-")
    assert state.step == "place"
    with pytest.raises(IllegalAction):
        play(state, "c B")


def test_an_over_full_seat_may_skip_its_dedication() -> None:
    """R7.2, A9: with a set in hand, skipping is allowed even over the limit."""
    state = position([counted("B4 G4 K4 O1"), ""])
    assert listed(state)[0] == "-"
    play(state, "-")
    assert state.step == "discard"


def test_discards_in_any_order_end_alike() -> None:
    """A20: cards are discarded one a decision; every order gives the same position."""
    ends = []
    for order in permutations("BGK"):
        state = position([counted("B4 G4 K4 O3"), ""])
        play(state, "-; " + "; ".join(f"c {letter}" for letter in order))
        ends.append(everything(state))
    assert all(end == ends[0] for end in ends)


def test_the_limit_holds_in_the_final_go() -> None:
    """R7.3, A10, E12: in a final go, a seat with 13 cards that skips its dedication discards one."""
    state = position([counted("G4 P3 B2 K2 O1 R1"), counted("B3 W2")], seat=1, start_seat=1, final=True)
    assert state.to_act == 0
    assert listed(state) == ["-", "d GGGG", "d BBGGKK", "d BBGGPP", "d BBKKPP", "d GGKKPP"]
    play(state, "-")
    assert state.step == "discard"
    play(state, "c O")
    assert state.to_act is None
    assert count(state.held[0]) == 12


def test_between_its_goes_a_seat_may_hold_more() -> None:
    """R7.3: nobody discards when another seat's placement brings it over the limit."""
    twelve = counted("B3 G3 K3 O3")
    state = position(["", twelve], seat=0)
    play(state, "p 1@0,1/0")
    assert count(state.held[1]) == 13
    assert state.to_act == 1


def test_the_limit_may_be_checked_after_placing() -> None:
    """A8: with `after_place` no discard comes before placing; the placing seat discards, then draws."""
    state = position([counted("B3 G3 K3 O3 P1"), ""], hand_limit_when="after_place")
    play(state, "-")
    assert state.step == "place"
    events = play(state, "p 1@0,1/0")
    assert [event.type for event in events] == ["place"]
    assert (state.step, state.to_act, len(state.hands[0])) == ("discard", 0, 2)
    assert state.observation(None)["final"] is False
    while state.step == "discard":
        events = list(state.apply(state.legal_actions()[0]))
    assert [event.type for event in events] == ["discard", "draw"]
    assert count(state.held[0]) == 12
    assert (state.to_act, len(state.hands[0])) == (1, 3)


def test_after_place_has_no_limit_in_the_final_go() -> None:
    """A8: with `after_place` the final go asks for no discard."""
    state = position(
        [counted("G4 P3 B2 K2 O1 R1"), ""], seat=0, start_seat=0, final=True, hand_limit_when="after_place"
    )
    assert state.observation(None)["final"] is True
    play(state, "-")
    assert state.to_act is None
    assert count(state.held[0]) == 13


def test_the_last_placement_with_after_place_still_discards() -> None:
    """A8: the seat that places the last tile discards to twelve before the final goes begin."""
    state = start(2, 1, hand_limit_when="after_place")
    state.placements_left = 1
    state.seat, state.stack = 0, ()
    state.hands = [(1,), ()]
    state.held = [pack(counted("B1 G3 K3 O3 P2")), 0]
    state.supply = state.rules.supply - state.held[0]
    state._go_on("exchange")
    play(state, "-")
    play(state, "p 1@0,1/1")
    assert (state.step, state.to_act, state.final) == ("discard", 0, False)
    play(state, "c K")
    assert state.final
    assert state.to_act == 0  # seat 1, the start seat, has nothing to choose in its final go
    assert state.step == "dedicate"


# R8 placing


def test_a_tile_may_go_on_every_cell_beside_the_lake() -> None:
    """R8.1, E4: two faces in hand, one of them twice, give 4 x 4 + 4 x 2 placements in the order of the table."""
    state = start(2, 0, "25 10 10 2 9 24")
    actions = listed(state)
    assert len(actions) == 24
    assert actions[0] == "p 10@-1,0/0"
    assert actions[-1] == "p 25@1,0/1"
    assert actions[:4] == [f"p 10@-1,0/{rotation}" for rotation in range(4)]
    data = {"type": "place", "tile": 25, "x": 1, "y": 0, "rotation": 3}
    assert GAME.decode(data) is PLACEMENTS[25][cell_at(1, 0)][1]


@pytest.mark.parametrize(
    "action",
    [
        Place(1, 2, 0, 0),  # not beside the lake
        Place(1, 0, 0, 0),  # on the start tile
        Place(7, 1, 0, 0),  # not in hand
        Place(1, 1, 0, 4),
        Place(1, 0, 128, 0),  # a cell whose number would be another cell's
        Place(25, 1, 0, 2),  # looks like rotation 0: listed once
        SKIP,
        DISCARDS["B"],
    ],
)
def test_other_placements_are_refused(action: Any) -> None:
    """R8.1: a wrong cell, face or rotation is refused, and the position is as before."""
    state = start(2, 0, "1 2 25")
    before = everything(state)
    with pytest.raises(IllegalAction):
        state.apply(action)
    assert everything(state) == before


def test_a_placement_pays_bonus_favor_and_facing_cards() -> None:
    """R8.2 to R8.6, E5: a platform tile that matches: bonus card, one favor token, a card for each seat, a new tile."""
    state = start(2, 0, E5_START)
    events = play(state, E5)
    assert [event.seen_by(0) for event in events] == [
        {
            "type": "place",
            "seat": 0,
            "tile": 25,
            "x": -1,
            "y": 0,
            "rotation": 1,
            "bonus": "B",
            "favor": 1,
            "gains": ["O", "O"],
        },
        {"type": "draw", "seat": 0, "tile": 1},
    ]
    assert events[1].seen_by(1) == {"type": "draw", "seat": 0}
    assert [cards(held) for held in state.held] == ["B1 O1 R1", "K1 O1"]
    assert cards(state.supply) == "B4 G5 K4 O3 P5 R4 W5"
    assert state.favor == [1, 0]
    assert state.hands[0] == (1, 10, 27)
    assert state.to_act == 1


def test_the_start_tile_may_be_a_platform() -> None:
    """A12, E5: with `start_is_platform` the start tile pays a second favor token, and shows as a platform."""
    state = start(2, 0, E5_START, start_is_platform="yes")
    assert play(state, E5)[0].public["favor"] == 2
    assert [tile["platform"] for tile in state.observation(0)["board"]] == [True, True]


def test_nothing_matches_nothing_paid() -> None:
    """R8.4, E6: face 2 touches the start tile without a match: no bonus, no favor, only the facing cards."""
    state = start(2, 0, E5_START)
    placed = play(state, E5 + "; p 2@0,1/0")[2].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("", 0, ["B", "B"])


@pytest.mark.parametrize(("option", "favor"), [("per_platform", 2), ("per_match", 3)])
def test_platforms_pay_favor(option: str, favor: int) -> None:
    """R8.4, R8.5, A11, E6: two sides match, both tiles of one match have platforms; the last O ends the pile."""
    state = start(2, 0, E5_START, platform_favor=option)
    events = play(state, E6)
    placed = [event.public for event in events if event.type == "place"][2]
    assert SHOWN_LETTERS[4 * 27 + 3] == "WOOB"
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("OO", favor, ["W", "O"])
    assert "O" not in cards(state.supply)
    assert "W4" in cards(state.supply)


def test_a_platform_without_a_match_pays_nothing() -> None:
    """R8.4: a tile with a platform that matches nothing earns no token."""
    state = start(2, 0, E5_START)
    placed = play(state, "p 25@-1,0/0")[0].public  # shows BOBO; O meets the start tile's B
    assert (placed["bonus"], placed["favor"]) == ("", 0)


def test_facing_cards_go_clockwise_from_the_placing_seat() -> None:
    """R8.5, R9.2, E10: the placing seat takes the last K as its own; the other, faced by K too, gets nothing."""
    state = start(2, 0, "28 17 18 10 33 11")
    events = play(state, "p 17@1,0/0; p 33@0,-1/0")
    placed = [event.public for event in events if event.type == "place"]
    assert SHOWN_LETTERS[4 * 33] == "KWKW"
    assert (placed[1]["bonus"], placed[1]["favor"], placed[1]["gains"]) == ("K", 1, [None, "K"])
    assert "K" not in cards(state.supply)
    assert [cards(held) for held in state.held] == ["K1 R1 W1", "K4"]


def test_the_stack_is_drawn_from_the_top_until_it_is_empty() -> None:
    """R8.6, A18: the drawn tile is the stack's first, comes after the payments; with no stack there is no draw."""
    state = start(2, 0, E5_START)
    top = state.stack[0]
    events = play(state, E5)
    assert [event.type for event in events] == ["place", "draw"]
    assert top in state.hands[0]
    state.stack = ()
    events = play(state, "p 2@0,1/0")
    assert [event.type for event in events] == ["place"]
    assert len(state.hands[1]) == 2


# R9 shortage


def test_a_missing_card_is_not_made_up_for() -> None:
    """R9.1, R9.3, A15, E7: the match on O pays no card but its favor; seat 0, faced by O, gets nothing."""
    state = start(2, 0, E5_START)
    placed = play(state, E7)[-2].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("", 1, [None, "B"])


def test_a_sixth_card_comes_first_to_the_placing_seat() -> None:
    """R9.2, E7: with edition `text` the sixth O goes to seat 1 as its bonus; seat 0 still gets nothing."""
    state = start(2, 0, E5_START, edition="text")
    placed = play(state, E7)[-2].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("O", 1, [None, "B"])


def test_bonus_cards_come_north_east_south_west() -> None:
    """R9.2: matching sides are paid in the order N, E, S, W."""
    state = start(2, 1, "16 5 10 32 17 20 30 12 10 27 22 9")
    play(state, "p 32@0,-1/1; p 16@-1,0/3; -")
    assert play(state, "p 20@-1,-1/2")[0].public["bonus"] == "O"  # north matches on R, and no R is left
    state = start(2, 1, "16 5 10 32 17 20 30 12 10 27 22 9", edition="text")
    play(state, "p 32@0,-1/1; p 16@-1,0/3; -")
    assert play(state, "p 20@-1,-1/2")[0].public["bonus"] == "RO"


def test_a_short_favor_supply_pays_what_it_has() -> None:
    """R9.4, A14: of two tokens earned only the last one is there; the rest is not owed."""
    state = start(2, 0, E5_START, start_is_platform="yes")
    state.favor_supply, state.favor = 1, [0, 19]
    assert play(state, E5)[0].public["favor"] == 1
    assert state.favor_supply == 0
    assert state.favor == [1, 19]


# R10 end, scores, ranks


@pytest.mark.parametrize(("seats", "each"), [(2, 11), (3, 9), (4, 8)])
def test_all_seats_place_equally_often(seats: int, each: int) -> None:
    """R10.1: when stack and hands are empty every seat has placed 11, 9 or 8 tiles."""
    state, rng = GAME.new(seats), Random(seats)
    placed: Counter[int] = Counter()
    while state.to_act is not None:
        action = state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_actions())
        placed.update(event.public["seat"] for event in state.apply(action) if event.type == "place")
    assert placed == dict.fromkeys(range(seats), each)
    assert state.stack == ()
    assert state.hands == [()] * seats


def test_final_goes_begin_with_the_start_seat() -> None:
    """R10.1, R10.2, A19: exchange, dedicate, discard in seat order from the start seat, once each, no placing."""
    state = position([counted("B4"), counted("G4"), counted("K4")], seat=1, start_seat=1, favor=[0, 2, 0], final=True)
    asked = []
    while state.to_act is not None:
        asked.append((state.to_act, state.step))
        state.apply(state.legal_actions()[-1] if state.step == "dedicate" else SKIP)
    assert asked == [(1, "exchange"), (1, "dedicate"), (2, "dedicate"), (0, "dedicate")]
    assert state.scores() == (6, 8, 7)


def test_final_goes_without_a_choice_do_not_appear() -> None:
    """R10.2, R4.3, E12: no sets and no favor: terminal at once; with favor one exchange, and its set, are asked."""
    seats = [counted("G3 P3 B1 K1 O1 R1"), counted("B3 W2")]
    assert position(seats, seat=1, start_seat=1, favor=[0, 1], final=True).to_act is None
    state = position(seats, seat=1, start_seat=1, favor=[0, 2], final=True)
    assert (state.to_act, state.step) == (1, "exchange")
    skipped = state.clone()
    play(skipped, "-")
    assert skipped.to_act is None
    other = state.clone()
    play(other, "x B>G")
    assert other.to_act is None
    play(state, "x W>B")
    assert listed(state) == ["-", "d BBBB"]


def test_the_last_placement_may_end_the_match() -> None:
    """R10.2: without any choice in the final goes, the placement of the last tile is the last turn."""
    state = start(2, 1)
    state.placements_left = 1
    state.seat, state.stack = 0, ()
    state.hands = [(1,), ()]
    state._go_on("exchange")
    events = play(state, "p 1@0,1/0")
    assert [event.type for event in events] == ["place"]
    assert state.to_act is None
    assert state.observation(0)["step"] == "over"


def test_the_score_is_the_sum_of_tokens_at_any_time() -> None:
    """R10.3: favor tokens and cards score nothing."""
    state = position([counted("B3"), ""], favor=[3, 0], taken=[[8, 4], [9]])
    assert state.scores() == (12, 9)
    assert [table["score"] for table in state.observation(None)["tables"]] == [12, 9]


@pytest.mark.parametrize(
    ("triples", "expected"),
    [
        ([(12, 1, 3), (12, 0, 9)], (0, 1)),
        ([(12, 2, 3), (12, 2, 4)], (1, 0)),
        ([(5, 0, 2), (9, 1, 0), (5, 0, 2), (5, 0, 1)], (1, 0, 1, 3)),
        ([(7, 0, 4), (7, 0, 4), (7, 0, 4)], (0, 0, 0)),
    ],
)
def test_ties_break_by_favor_then_cards(triples: list[tuple[int, int, int]], expected: tuple[int, ...]) -> None:
    """R10.4, E13: score, then favor tokens, then held cards, then a shared rank, by themselves and in a position."""
    points, favor, held = zip(*triples, strict=True)
    assert ranks(points, favor, held) == expected
    state = position([""] * len(triples), taken=[[value] for value in points])
    state.favor = list(favor)
    state.held = [pack((COLOURS * 2)[:number]) for number in held]
    assert state.ranks() == expected


# Decisions and their JSON


@pytest.mark.parametrize(
    ("step", "data"),
    [
        ("-", {"type": "skip"}),
        ("x B>R", {"type": "exchange", "give": "B", "take": "R"}),
        ("d BBGGKK", {"type": "dedicate", "cards": "BBGGKK"}),
        ("c B", {"type": "discard", "card": "B"}),
        ("p 25@-1,0/1", {"type": "place", "tile": 25, "x": -1, "y": 0, "rotation": 1}),
    ],
)
def test_actions_have_the_json_of_the_table(step: str, data: dict[str, Any]) -> None:
    """Decisions: each kind of action is written and read as the table says, and read as the one object there is."""
    assert GAME.encode(read(step)) == data
    assert GAME.decode(data) is read(step)


def test_reading_is_lenient_in_two_points() -> None:
    """Decisions: cards of a set in any order; half a turn of faces 25 and 33 counts as none."""
    assert GAME.decode({"type": "dedicate", "cards": "KGBBGK"}) is read("d BBGGKK")
    for tile in (25, 33):
        for rotation in range(4):
            data = {"type": "place", "tile": tile, "x": 0, "y": 1, "rotation": rotation}
            assert GAME.decode(data) is PLACEMENTS[tile][cell_at(0, 1)][rotation % 2]


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ({"type": "plaice"}, "did you mean 'place'"),
        ({"type": "skip", "step": "exchange"}, "expected the fields type, got step, type"),
        ({"type": "exchange", "give": "B", "take": "B"}, "two different colours"),
        ({"type": "exchange", "give": "B", "take": "blue"}, "take: expected one of the colours"),
        ({"type": "dedicate", "cards": "BBB"}, "expected a set such as"),
        ({"type": "dedicate", "cards": "BBBBGG"}, "expected a set such as"),
        ({"type": "dedicate", "cards": ["B"] * 4}, "expected a set such as"),
        ({"type": "discard", "card": "BB"}, "card: expected one of the colours"),
        ({"type": "place", "tile": 0, "x": 0, "y": 1, "rotation": 0}, "tile: expected an integer from 1 to 34"),
        ({"type": "place", "tile": 1, "x": 0, "y": True, "rotation": 0}, "y: expected an integer"),
        ({"type": "place", "tile": 1, "x": 33, "y": 0, "rotation": 0}, "x: expected an integer from -32 to 32"),
        ({"type": "place", "tile": 25, "x": 0, "y": 1, "rotation": 4}, "rotation: expected an integer from 0 to 3"),
        ({"type": "orient", "seat": 4}, "seat: expected"),
        ({"type": "shuffle", "order": [1, 2, 3]}, "order: expected the 35 faces"),
    ],
)
def test_what_cannot_be_read_is_explained(data: dict[str, Any], hint: str) -> None:
    """Decisions: everything else is malformed, with a message that says what was expected."""
    with pytest.raises(MalformedAction, match=hint):
        GAME.decode(data)


def test_only_actions_have_json() -> None:
    """Encoding something that is no action of this game is a mistake of the caller."""
    with pytest.raises(TypeError, match="expected an action of lanterns"):
        GAME.encode(("exchange", "B", "R"))


def test_refusals_say_who_is_to_act() -> None:
    """A refused action names the seat and the step that it does not fit."""
    with pytest.raises(IllegalAction, match="seat 0 is to act, in step place"):
        start(2, 0).apply(SKIP)
    with pytest.raises(IllegalAction, match="nobody is to act, in step setup"):
        GAME.new(2).apply(SKIP)


def test_wrong_options_are_refused() -> None:
    """Options: an unknown name or value is an error that names what was expected."""
    with pytest.raises(OptionError, match="did you mean 'edition'"):
        GAME.new(2, {"editon": "text"})
    with pytest.raises(OptionError, match="expected one of"):
        GAME.new(2, {"two_player_stack": 5})


# Observation, events, belief


def test_unseen_tiles_of_a_small_position() -> None:
    """K1, K2, E14: after two placements viewer 0 has 30 unseen faces, one of them 10, at these sizes."""
    state = start(2, 0, E5_START)
    play(state, E5 + "; p 2@0,1/0")
    seen = state.observation(0)
    assert [tile["tile"] for tile in seen["hand"]] == [1, 10, 27]
    assert [tile["tile"] for tile in seen["board"]] == [0, 25, 2]
    sample = state.resample(0, Random(1))
    sizes = len(sample.hands[1]), len(sample.stack), len(sample.removed)  # type: ignore[attr-defined]
    assert sizes == (3, 14, 13)
    unseen = sorted([*sample.hands[1], *sample.stack, *sample.removed])  # type: ignore[attr-defined]
    expected = Counter(POOL) - Counter([1, 10, 27, 25, 2])
    assert Counter(unseen) == expected
    assert len(unseen) == 30
    assert unseen.count(10) == 1
    assert unseen.count(9) == 1  # the start tile on the lake does not use up face 9


def test_events_of_a_small_match_by_viewer() -> None:
    """E14: the shuffle and each draw show a seat its own tiles, and a spectator none."""
    state = GAME.new(2)
    events = [*state.apply(ORIENTS[0])]
    first = [25, 27, 10, 2, 9, 3]
    rest = list(POOL)
    for tile in first:
        rest.remove(tile)
    events += state.apply(Shuffle((*first, *rest)))
    events += play(state, E5 + "; p 2@0,1/0")
    by_viewer = {viewer: [event.seen_by(viewer) for event in events] for viewer in (None, 0, 1)}
    for seen in by_viewer.values():
        assert [event["type"] for event in seen] == ["orient", "shuffle", "place", "draw", "place", "draw"]
    assert by_viewer[0][0] == {"type": "orient", "seat": 0, "rotation": 3}
    assert by_viewer[0][1] == {"type": "shuffle", "cards": ["R", "K"], "hand": [10, 25, 27]}
    assert by_viewer[1][1] == {"type": "shuffle", "cards": ["R", "K"], "hand": [2, 3, 9]}
    assert by_viewer[None][1] == {"type": "shuffle", "cards": ["R", "K"]}
    assert [by_viewer[0][index].get("tile") for index in (3, 5)] == [1, None]
    assert [by_viewer[1][index].get("tile") for index in (3, 5)] == [None, 4]
    assert [by_viewer[None][index].get("tile") for index in (3, 5)] == [None, None]


def test_a_spectator_sees_no_hand() -> None:
    """Observation: the field `hand` is the viewer's own; a spectator has none, others are only counted."""
    state = start(3, 0)
    assert "hand" not in state.observation(None)
    for viewer in range(3):
        seen = state.observation(viewer)
        assert [tile["tile"] for tile in seen["hand"]] == list(state.hands[viewer])
        assert [table["hand_size"] for table in seen["tables"]] == [3, 3, 3]


def test_an_observation_in_full() -> None:
    """Observation: the whole of it after E5, for the seat to act."""
    state = start(2, 0, E5_START)
    play(state, E5)
    seen = state.observation(1)
    options = {name: option.default for name, option in GAME.options.items()}
    assert seen == {
        "viewer": 1,
        "seats": 2,
        "to_act": 1,
        "turn": 1,
        "options": options,
        "step": "place",
        "start_seat": 0,
        "final": False,
        "placements_left": 21,
        "board": [
            {"x": 0, "y": 0, "tile": 0, "rotation": 3, "shown": "RWKB", "platform": False},
            {"x": -1, "y": 0, "tile": 25, "rotation": 1, "shown": "OBOB", "platform": True},
        ],
        "supply": {"B": 4, "G": 5, "K": 4, "O": 3, "P": 5, "R": 4, "W": 5},
        "favor_supply": 19,
        "dedications": BOX["dedications"]["by_seats"]["2"],
        "generic_left": None,
        "stack": 15,
        "removed": 13,
        "tables": [
            {
                "seat": 0,
                "side": "N",
                "cards": {"B": 1, "G": 0, "K": 0, "O": 1, "P": 0, "R": 1, "W": 0},
                "favor": 1,
                "taken": [],
                "score": 0,
                "hand_size": 3,
            },
            {
                "seat": 1,
                "side": "S",
                "cards": {"B": 0, "G": 0, "K": 1, "O": 1, "P": 0, "R": 0, "W": 0},
                "favor": 0,
                "taken": [],
                "score": 0,
                "hand_size": 3,
            },
        ],
        "hand": [
            {"tile": 2, "sides": "BGBO", "platform": False},
            {"tile": 3, "sides": "BKOG", "platform": False},
            {"tile": 9, "sides": "BRWK", "platform": False},
        ],
    }


def test_the_fallback_is_the_first_of_each_list() -> None:
    """Decisions: the first entry is skip, skip, the first colour held, the first placement."""
    state = position([counted("G5 K4 O2 P2"), ""], favor=[2, 0])
    fallbacks = []
    for _ in range(4):
        action = state.legal_actions()[0]
        fallbacks.append(GAME.encode(action)["type"])
        state.apply(action)
    assert fallbacks == ["skip", "skip", "discard", "place"]
