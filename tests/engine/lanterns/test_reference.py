"""The engine against a second, slow one that is written from the rules alone: letters, counts, a dictionary of cells.

Whole matches are played on both; at each turn the legal actions, their order, and what everybody sees must be the same.
"""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lanterns import GAME
from engine.lanterns.components import BOX

COLOURS = "BGKOPRW"
STEPS = ("exchange", "dedicate", "discard", "place")
AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0))
FACES = {face["tile"]: face for face in BOX["faces"]["list"]}
KINDS = ("four", "pairs", "seven")

Json = dict[str, Any]


def shown(tile: int, rotation: int) -> str:
    """R2.2, by turning the list of sides."""
    sides = FACES[tile]["sides"]
    for _ in range(rotation):
        sides = sides[-1] + sides[:-1]
    return str(sides)


class Reference:
    """A match after setup; actions are their JSON."""

    def __init__(self, seats: int, options: Json, start: int, order: tuple[int, ...]) -> None:
        self.seats, self.options, self.start = seats, options, start
        edition, stack, favor = options["edition"], options["two_player_stack"], options["favor_supply"]
        a_colour = BOX["cards_per_colour"][edition][str(seats)]
        if seats == 2 and stack != "edition":
            a_colour = int(stack)
        self.supply = dict.fromkeys(COLOURS, a_colour)
        self.favor_supply = BOX["favor_tokens"][edition] if favor == "edition" else int(favor)
        self.sides = [0, 1] if seats == 2 and options["two_player_seats"] == "adjacent" else [0, 2]
        self.sides = self.sides if seats == 2 else list(range(seats))
        self.held = [dict.fromkeys(COLOURS, 0) for _ in range(seats)]
        self.favor = [0] * seats
        self.taken: list[list[int]] = [[] for _ in range(seats)]
        self.stacks = [list(BOX["dedications"]["by_seats"][str(seats)][kind]) for kind in KINDS]
        self.generic = None if options["generic_limit"] == "none" else 3
        sizes = BOX["tile_counts"]["by_seats"][str(seats)]
        tiles = list(order)
        self.hands = [[tiles.pop(0) for _ in range(3)] for _ in range(seats)]
        self.stack, self.removed = tiles[: sizes["stack"]], tiles[sizes["stack"] :]
        self.left = sizes["placements"]
        rotation = next(turn for turn in range(4) if shown(0, turn)[self.sides[start]] == "R")
        self.lake = {(0, 0): (0, rotation)}
        self.seat, self.turn = start, 0
        for seat in range(seats):
            self.pay_card(seat, shown(0, rotation)[self.sides[seat]])
        self.ask("exchange")

    def pay_card(self, seat: int, colour: str) -> bool:
        """R9.1: only what is there."""
        there: bool = self.supply[colour] > 0
        self.supply[colour] -= there
        self.held[seat][colour] += there
        return there

    def return_cards(self, cards: str) -> None:
        for colour in cards:
            self.held[self.seat][colour] -= 1
            self.supply[colour] += 1

    # What may be done

    def exchanges(self) -> list[Json]:
        if self.favor[self.seat] < 2:
            return []
        return [
            {"type": "exchange", "give": give, "take": take}
            for give in COLOURS
            for take in COLOURS
            if give != take and self.held[self.seat][give] and self.supply[take]
        ]

    def dedications(self) -> list[Json]:
        mine = self.held[self.seat]
        fours = [colour * 4 for colour in COLOURS if mine[colour] >= 4]
        pairs = ["".join(2 * colour for colour in three) for three in combinations(COLOURS, 3)]
        pairs = [cards for cards in pairs if all(mine[colour] >= 2 for colour in cards)]
        seven = [COLOURS] if all(mine.values()) else []
        sets = zip(self.stacks, (fours, pairs, seven), strict=True)
        listed = [cards for stack, group in sets for cards in group if stack or self.generic != 0]
        return [{"type": "dedicate", "cards": cards} for cards in listed]

    def placements(self) -> list[Json]:
        beside = {(x + dx, y + dy) for x, y in self.lake for dx, dy in AROUND} - set(self.lake)
        return [
            {"type": "place", "tile": tile, "x": x, "y": y, "rotation": rotation}
            for tile in sorted(set(self.hands[self.seat]))
            for x, y in sorted(beside)
            for rotation in range(4)
            if shown(tile, rotation) not in [shown(tile, before) for before in range(rotation)]
        ]

    def legal(self) -> list[Json]:
        if self.step == "exchange":
            return [{"type": "skip"}, *self.exchanges()]
        if self.step == "dedicate":
            return [{"type": "skip"}, *self.dedications()]
        if self.step == "discard":
            return [{"type": "discard", "card": colour} for colour in COLOURS if self.held[self.seat][colour]]
        return self.placements() if self.step == "place" else []

    def ask(self, step: str) -> None:
        """Go on to the next step that asks something (R4.3), in final goes from seat to seat (R10.1)."""
        limited = self.options["hand_limit_when"] == "before_place"
        while True:
            asks = {
                "exchange": bool(self.exchanges()),
                "dedicate": bool(self.dedications()),
                "discard": limited and sum(self.held[self.seat].values()) > 12,
                "place": self.left > 0,
            }
            asking = [name for name in STEPS[STEPS.index(step) :] if asks[name]]
            if asking:
                self.step = asking[0]
                return
            self.seat, step = (self.seat + 1) % self.seats, "exchange"
            if self.seat == self.start:
                self.step = "over"
                return

    # What an action does

    def play(self, action: Json) -> None:
        self.turn += 1
        kind = action["type"]
        if kind == "skip":
            self.ask("dedicate" if self.step == "exchange" else "discard")
        elif kind == "exchange":
            self.return_cards(action["give"])
            self.pay_card(self.seat, action["take"])
            self.favor[self.seat] -= 2
            self.favor_supply += 2
            self.ask("dedicate")
        elif kind == "dedicate":
            self.dedicate(action["cards"])
        elif kind == "discard":
            self.return_cards(action["card"])
            if self.options["hand_limit_when"] == "before_place":
                self.ask("discard")
            else:
                self.end_placing()
        else:
            self.place(action["tile"], action["x"], action["y"], action["rotation"])
            self.end_placing()

    def dedicate(self, cards: str) -> None:
        self.return_cards(cards)
        stack = self.stacks[{4: 0, 6: 1, 7: 2}[len(cards)]]
        if not stack and self.generic is not None:
            self.generic -= 1
        self.taken[self.seat].append(stack.pop(0) if stack else 4)
        self.ask("discard")

    def place(self, tile: int, x: int, y: int, rotation: int) -> None:
        self.left -= 1
        self.hands[self.seat].remove(tile)
        sides = shown(tile, rotation)
        beside = [self.lake.get((x + dx, y + dy)) for dx, dy in AROUND]
        matching = self.matching(tile, x, y, rotation)
        for side in matching:
            self.pay_card(self.seat, sides[side])
        each_match = self.options["platform_favor"] == "per_match"
        earned = sum(self.is_platform(n[0]) for side in matching if (n := beside[side]))
        if matching and self.is_platform(tile):
            earned += len(matching) if each_match else 1
        earned = min(earned, self.favor_supply)
        self.favor[self.seat] += earned
        self.favor_supply -= earned
        for offset in range(self.seats):
            seat = (self.seat + offset) % self.seats
            self.pay_card(seat, sides[self.sides[seat]])
        self.lake[x, y] = (tile, rotation)

    def matching(self, tile: int, x: int, y: int, rotation: int) -> list[int]:
        """R8.2: the sides that would touch their own colour."""
        beside = [self.lake.get((x + dx, y + dy)) for dx, dy in AROUND]
        sides = shown(tile, rotation)
        return [side for side in range(4) if (n := beside[side]) and shown(*n)[side - 2] == sides[side]]

    def end_placing(self) -> None:
        if self.options["hand_limit_when"] == "after_place" and sum(self.held[self.seat].values()) > 12:
            self.step = "discard"
            return
        if self.stack:
            self.hands[self.seat].append(self.stack.pop(0))
        self.seat = (self.seat + 1) % self.seats
        self.ask("exchange")

    def is_platform(self, tile: int) -> bool:
        return bool(FACES[tile]["platform"]) or (tile == 0 and self.options["start_is_platform"] == "yes")

    # How it stands

    def ranks(self) -> list[int]:
        keys = [
            (sum(taken), favor, sum(held.values()))
            for taken, favor, held in zip(self.taken, self.favor, self.held, strict=True)
        ]
        return [sum(other > key for other in keys) for key in keys]

    def seen(self, viewer: int | None) -> Json:
        """The observation, key by key as the rules list it."""
        still_placing = self.step == "discard" and self.options["hand_limit_when"] == "after_place"
        tables = [
            {
                "seat": seat,
                "side": "NESW"[self.sides[seat]],
                "cards": self.held[seat],
                "favor": self.favor[seat],
                "taken": self.taken[seat],
                "score": sum(self.taken[seat]),
                "hand_size": len(self.hands[seat]),
            }
            for seat in range(self.seats)
        ]
        board = [
            {
                "x": x,
                "y": y,
                "tile": tile,
                "rotation": rotation,
                "shown": shown(tile, rotation),
                "platform": self.is_platform(tile),
            }
            for (x, y), (tile, rotation) in self.lake.items()
        ]
        seen = {
            "viewer": viewer,
            "seats": self.seats,
            "to_act": None if self.step == "over" else self.seat,
            "turn": self.turn,
            "options": self.options,
            "step": self.step,
            "start_seat": self.start,
            "final": self.left == 0 and not still_placing,
            "placements_left": self.left,
            "board": board,
            "supply": self.supply,
            "favor_supply": self.favor_supply,
            "dedications": dict(zip(KINDS, self.stacks, strict=True)),
            "generic_left": self.generic,
            "stack": len(self.stack),
            "removed": len(self.removed),
            "tables": tables,
        }
        if viewer is not None:
            seen["hand"] = [
                {"tile": tile, "sides": FACES[tile]["sides"], "platform": FACES[tile]["platform"]}
                for tile in sorted(self.hands[viewer])
            ]
        return seen


def tasty(reference: Reference, listed: list[Json], taste: str, rng: Random) -> list[Json]:
    """The actions that a seat of some taste likes, so that matches of all kinds come up."""
    if taste == "any" or rng.random() < 0.2:
        return listed
    if reference.step == "place":
        some = rng.sample(listed, min(len(listed), 40))
        return [max(some, key=lambda at: len(reference.matching(at["tile"], at["x"], at["y"], at["rotation"])))]
    return listed[:1] if taste == "hoard" else listed[-1:]


@settings(max_examples=20, deadline=None)
@given(
    seats=st.sampled_from(GAME.seats),
    options=st.fixed_dictionaries({name: st.sampled_from(option.choices) for name, option in GAME.options.items()}),
    seed=st.integers(0, 2**32),
    taste=st.sampled_from(["any", "hoard", "spend"]),
)
def test_whole_matches_are_played_alike(seats: int, options: Json, seed: int, taste: str) -> None:
    """R1 to R10: both give the same lists in the same order, the same views, scores and ranks, under all options."""
    rng, state = Random(seed), GAME.new(seats, options)
    orient = state.sample_chance(rng)
    state.apply(orient)
    shuffle = state.sample_chance(rng)
    state.apply(shuffle)
    reference = Reference(seats, options, orient[0], shuffle[0])
    while state.to_act is not None:
        listed = [GAME.encode(action) for action in state.legal_actions()]
        assert listed == reference.legal()
        for viewer in (None, rng.randrange(seats)):
            assert state.observation(viewer) == reference.seen(viewer)
        chosen = rng.choice(tasty(reference, listed, taste, rng))
        state.apply(GAME.decode(chosen))
        reference.play(chosen)
    for viewer in (None, *range(seats)):
        assert state.observation(viewer) == reference.seen(viewer)
    assert list(state.scores()) == [sum(taken) for taken in reference.taken]
    assert list(state.ranks()) == reference.ranks()
