"""One position of the game, the hidden parts included, and how actions change it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final, NoReturn

from engine.burn_my_village import scoring
from engine.burn_my_village.actions import (
    BRIBES,
    BUYS,
    DRAW,
    TAKE_FREE,
    Bribe,
    Buy,
    Draw,
    Shuffle,
    Track,
    bribe_rows,
    buys_of,
)
from engine.burn_my_village.components import CODES, FIRST_STALL, NAMES, SEATS, STALLS, TOP_SPACE, TYPES, WILD, Rules
from engine.burn_my_village.counts import (
    FIELD,
    GUARD,
    GUARDS,
    SHIFTS,
    UNITS,
    WILD_SHIFT,
    as_json,
    at_most,
    pack_cards,
    remove_up_to,
    size,
)
from engine.core import CHANCE, Action, Actor, Event, Game, IllegalAction, State, Viewer, shown

SHIFT_0, SHIFT_1, SHIFT_2, SHIFT_3, SHIFT_4, SHIFT_5 = SHIFTS[: len(TYPES)]

DRAWN: Final = tuple(
    tuple(Event("draw", {"seat": seat}, {seat: {"card": name}}) for name in NAMES) for seat in range(SEATS.stop)
)
"""The event of a draw, by seat and card code: made once."""


class VillageState(State):
    """One position. Cards are codes (`components.NAMES`), multisets are integers (`counts`).

    Every attribute may be read; only `apply` and the builders of positions (`belief`, tests) write them.
    """

    __slots__ = (
        "bribed",
        "columns",
        "deck",
        "discards",
        "ended",
        "game",
        "hands",
        "known",
        "next_stall",
        "rules",
        "seats",
        "stalls",
        "to_act",
        "top",
        "track",
        "turn",
        "wilds",
    )

    game: Game
    rules: Rules
    seats: int
    to_act: Actor
    turn: int
    """Turns played."""
    track: list[int]
    """Type code on each space, lowest first; empty before R2.1."""
    stalls: list[tuple[int, ...]]
    next_stall: int
    deck: tuple[int, ...]
    """The deck as shuffled, shared between clones; before R2.3 all used cards, unshuffled."""
    top: int
    """Place of the deck's first card in `deck`."""
    hands: list[int]
    known: list[int]
    """R9.1 for each seat."""
    columns: list[int]
    """Treasures in each seat's columns."""
    wilds: list[int]
    """Wilds in each seat's columns, counted in the field of the column's type."""
    bribed: list[int]
    """The guard bit of each type of which the seat has a column."""
    discards: int
    ended: str | None
    """Cause of the end (R7.1), else None."""

    def __init__(self, game: Game, seats: int, rules: Rules) -> None:
        self.game = game
        self.rules = rules
        self.seats = seats
        self.to_act = CHANCE
        self.turn = 0
        self.track = []
        self.stalls = [()] * STALLS
        self.next_stall = FIRST_STALL
        self.deck = rules.pack
        self.top = 0
        self.hands = [0] * seats
        self.known = [0] * seats
        self.columns = [0] * seats
        self.wilds = [0] * seats
        self.bribed = [0] * seats
        self.discards = 0
        self.ended = None

    def clone(self) -> VillageState:
        other = VillageState.__new__(VillageState)
        other.game = self.game
        other.rules = self.rules
        other.seats = self.seats
        other.to_act = self.to_act
        other.turn = self.turn
        other.track = self.track[:]
        other.stalls = self.stalls[:]
        other.next_stall = self.next_stall
        other.deck = self.deck
        other.top = self.top
        other.hands = self.hands[:]
        other.known = self.known[:]
        other.columns = self.columns[:]
        other.wilds = self.wilds[:]
        other.bribed = self.bribed[:]
        other.discards = self.discards
        other.ended = self.ended
        return other

    def __eq__(self, other: object) -> bool:
        """Equal in all that matters from here on: cards that have left the deck don't count."""
        if not isinstance(other, VillageState):
            return NotImplemented
        return self._essence() == other._essence()

    __hash__ = None  # type: ignore[assignment]

    def _essence(self) -> tuple[object, ...]:
        return (
            (self.game.key, self.rules, self.seats, self.to_act, self.turn, self.track, self.stalls, self.next_stall),
            (self.deck[self.top :], self.hands, self.known, self.columns, self.wilds, self.discards, self.ended),
        )

    def legal_actions(self) -> Sequence[Action]:
        """The list of the rules' section "Decisions", in its order."""
        seat = self.to_act
        if not isinstance(seat, int):
            return ()
        hand = self.hands[seat]
        legal: list[Action] = [DRAW]
        free, one, two, three = self.stalls
        if free:
            legal.append(TAKE_FREE)
        if one:
            legal += buys_of(1, at_most(hand, 1))
        if two:
            legal += buys_of(2, at_most(hand, 2))
        if three:
            legal += buys_of(3, at_most(hand, 3))
        rows = bribe_rows(hand >> WILD_SHIFT)
        index = hand | self.bribed[seat]
        legal += rows[0][index >> SHIFT_0 & FIELD]
        legal += rows[1][index >> SHIFT_1 & FIELD]
        legal += rows[2][index >> SHIFT_2 & FIELD]
        legal += rows[3][index >> SHIFT_3 & FIELD]
        legal += rows[4][index >> SHIFT_4 & FIELD]
        legal += rows[5][index >> SHIFT_5 & FIELD]
        if self.rules.draw_only_if_forced and self.top == len(self.deck) and len(legal) > 1:
            del legal[0]
        return legal

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action. Raises `IllegalAction`, and changes nothing, if it is not allowed here."""
        seat = self.to_act
        if not isinstance(seat, int):
            return self._apply_chance(action)
        if isinstance(action, Bribe):
            events = self._bribe(seat, action)
        elif isinstance(action, Buy):
            events = self._buy(seat, action)
        elif isinstance(action, Draw):
            events = self._draw(seat)
        else:
            self._refuse(action, "it is a seat's turn to draw, buy or bribe")
        self.turn += 1
        if self.ended is None:
            self.to_act = seat + 1 if seat + 1 < self.seats else 0
        return events

    def _bribe(self, seat: int, action: Bribe) -> tuple[Event, ...]:
        treasure, count, wilds, _ = action
        if action not in BRIBES:
            self._refuse(action, "no such bribe can ever be made")
        code = CODES[treasure]
        shift = SHIFTS[code]
        cost = (count << shift) + (wilds << WILD_SHIFT)
        hand = self.hands[seat]
        if ((hand | GUARDS) - cost) & GUARDS != GUARDS:
            self._refuse(action, f"the hand is {as_json(hand)}")
        if not count and not self.bribed[seat] >> shift & GUARD:
            self._refuse(action, f"Wilds alone need a column of {treasure}")
        self._spend(seat, cost)
        self.columns[seat] += count << shift
        self.wilds[seat] += wilds << shift
        self.bribed[seat] |= GUARD << shift
        track = self.track
        start = track.index(code)
        space = min(TOP_SPACE, start + count + wilds)
        if space > start:
            track.insert(space, track.pop(start))
        bribed = Event(
            "bribe",
            {"seat": seat, "treasure": treasure, "cards": count, "wilds": wilds, "from": start, "to": space},
        )
        placed, stopped = self._refill(code)
        refilled = Event("refill", {"seat": seat, "placed": placed})
        return (bribed, refilled) if stopped else (bribed, refilled, self._end(seat, "refill"))

    def _refill(self, code: int) -> tuple[list[list[object]], bool]:
        """Deal cards to the stalls until one of the type or a Wild; whether such a card came (R4.5 to R4.8)."""
        stalls = self.stalls
        stall = self.next_stall
        placed: list[list[object]] = []
        stopped = False
        for card in self.deck[self.top :]:
            stalls[stall] += (card,)
            placed.append([stall, NAMES[card]])
            stall = stall - 1 if stall else FIRST_STALL
            if card in (code, WILD):
                stopped = True
                break
        self.top += len(placed)
        if self.rules.refill_continues:
            self.next_stall = stall
        return placed, stopped

    def _buy(self, seat: int, action: Buy) -> tuple[Event, ...]:
        purchase = BUYS.get(action)
        if purchase is None:
            self._refuse(action, "no such purchase can ever be made")
        stall, cost, curse, pay = purchase
        goods = self.stalls[stall]
        if not goods:
            self._refuse(action, f"stall {stall} is empty")
        start = space = None
        if cost:
            hand = self.hands[seat]
            if ((hand | GUARDS) - cost) & GUARDS != GUARDS:
                self._refuse(action, f"the hand is {as_json(hand)}")
            self._spend(seat, cost)  # before the goods are taken: they cannot pay for themselves (R5.3)
            self.discards += cost
            track = self.track
            start = track.index(curse)
            space = max(0, start - stall)
            if space < start:
                track.insert(space, track.pop(start))
        taken = pack_cards(goods)
        self.hands[seat] += taken
        self.known[seat] += taken
        self.stalls[stall] = ()
        public = {
            "seat": seat,
            "stall": stall,
            "pay": pay,
            "curse": action.curse,
            "from": start,
            "to": space,
            "taken": [NAMES[card] for card in goods],
        }
        return (Event("buy", public),)

    def _draw(self, seat: int) -> tuple[Event, ...]:
        if self.top == len(self.deck):
            if self.rules.draw_only_if_forced and self.legal_actions()[0] is not DRAW:
                self._refuse(DRAW, "the deck is empty and something else can be done")
            return (self._end(seat, "empty_draw"),)
        card = self.deck[self.top]
        self.top += 1
        self.hands[seat] += UNITS[card]
        return (DRAWN[seat][card],)

    def _spend(self, seat: int, cost: int) -> None:
        """Take cards from a hand; those that the table knows of are spent first (R9.2)."""
        self.hands[seat] -= cost
        if self.known[seat]:
            self.known[seat] = remove_up_to(self.known[seat], cost)

    def _end(self, seat: int, cause: str) -> Event:
        self.ended = cause
        self.to_act = None
        before = [as_json(hand) for hand in self.hands]
        joined = [scoring.joining(*pair) for pair in zip(self.hands, self.columns, strict=True)]
        for player, cards in enumerate(joined):
            self.hands[player] -= cards
            self.columns[player] += cards
        self.known = self.hands[:]  # hands are open now (R7.5)
        return Event(
            "end", {"cause": cause, "seat": seat, "hands": before, "joined": [as_json(cards) for cards in joined]}
        )

    @property
    def chance_key(self) -> str:
        """`track`, then `shuffle`."""
        if self.to_act != CHANCE:
            raise LookupError("no chance is pending")
        return "shuffle" if self.track else "track"

    def sample_chance(self, rng: Random) -> Action:
        """An even order of the six types, then of the whole deck."""
        if self.chance_key == "track":
            return Track(tuple(rng.sample(TYPES, len(TYPES))))
        deck = list(self.deck)
        rng.shuffle(deck)
        return Shuffle(tuple([NAMES[code] for code in deck]))

    def _apply_chance(self, action: Action) -> tuple[Event, ...]:
        if self.to_act is None:
            self._refuse(action, "the match is over")
        if self.chance_key == "track":
            if not isinstance(action, Track) or sorted(action.order) != sorted(TYPES):
                self._refuse(action, "the order of all six types is to be drawn first")
            self.track = [CODES[name] for name in action.order]
            return (Event("track", {"order": list(action.order)}),)
        if not isinstance(action, Shuffle) or sorted(action.order) != sorted([NAMES[code] for code in self.deck]):
            self._refuse(action, "a shuffle of all used cards is due")
        self.deck = tuple([CODES[name] for name in action.order])
        return self._set_up()

    def _set_up(self) -> tuple[Event, ...]:
        """Deal the hands and the first market (R2.4, R2.5)."""
        events = [Event("shuffle", {"cards": len(self.deck)})]
        count = self.rules.hand_at_start
        for seat in range(self.seats):
            self.hands[seat] = pack_cards(self.deck[self.top : self.top + count])
            self.top += count
            events.append(Event("deal", {"seat": seat, "count": count}, {seat: {"cards": as_json(self.hands[seat])}}))
        placed: list[list[object]] = []
        for _ in range(self.rules.market_start):
            for stall in range(FIRST_STALL, -1, -1):
                self.stalls[stall] += (self.deck[self.top],)
                placed.append([stall, NAMES[self.deck[self.top]]])
                self.top += 1
        events.append(Event("market", {"placed": placed}))
        self.to_act = 0
        return tuple(events)

    def _refuse(self, action: Action, why: str) -> NoReturn:
        raise IllegalAction(f"{shown(action, 200)} is not allowed: {why}")

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """All that the viewer may know; see `RULES.md`, section R9."""
        over = self.ended is not None
        seen: dict[str, Any] = {
            "viewer": viewer,
            "seats": self.seats,
            "to_act": self.to_act,
            "turn": self.turn,
            "options": dict(self.rules.options),
            "track": [NAMES[code] for code in self.track],
            "values": list(self.rules.values),
            "stalls": [[NAMES[card] for card in goods] for goods in self.stalls],
            "next_stall": self.next_stall,
            "deck": len(self.deck) - self.top,
            "wilds": self.rules.wilds,
            "discards": as_json(self.discards),
            "tables": [
                {
                    "hand_size": size(self.hands[seat]),
                    "known": as_json(self.known[seat]),
                    "bribes": self._bribes(seat),
                    "hand": as_json(self.hands[seat]) if over else None,
                }
                for seat in range(self.seats)
            ],
            "ended": self.ended,
        }
        if viewer is not None:
            seen["hand"] = as_json(self.hands[viewer])
        return seen

    def _bribes(self, seat: int) -> dict[str, dict[str, int]]:
        wilds = self.wilds[seat]
        return {
            name: {"cards": count, "wilds": wilds >> SHIFTS[CODES[name]] & FIELD}
            for name, count in as_json(self.columns[seat]).items()
        }

    def scores(self) -> tuple[int, ...]:
        """R8.2; defined at the end only."""
        if self.ended is None:
            raise LookupError("the match is not over: nothing is scored yet")
        return tuple([self.points_if_over(seat) for seat in range(self.seats)])

    def points_if_over(self, seat: int) -> int:
        """What a seat would have if the match were over now, its treasures joined to its columns (R7.3, R8.2).

        For bots that search: a quick measure of a position in which hidden cards have been filled in.
        """
        hand, columns = self.hands[seat], self.columns[seat]
        joined = scoring.joining(hand, columns)
        return scoring.score(hand - joined, columns + joined + self.wilds[seat], self.track, self.rules.values)

    def ranks(self) -> tuple[int, ...]:
        """R8.3 and R8.4; defined at the end only."""
        return scoring.ranks(self.scores(), self._laid(), self.track)

    def _laid(self) -> list[int]:
        return [cards + wilds for cards, wilds in zip(self.columns, self.wilds, strict=True)]
