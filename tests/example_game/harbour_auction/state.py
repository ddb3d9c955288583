"""One position of Harbour Auction: what is allowed, what happens, and what each seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.core import CHANCE, Action, Actor, Event, Game, IllegalAction, Scalar, State, Viewer, ranks_from_scores
from engine.core import shown as quoted
from harbour_auction.actions import CRATES, LAYS, Crate, Deal, Lay

HAND = 5
ASIDE = 2
ROUNDS = 4


class HarbourState(State):
    """One full position, hidden cards included. It is mutable and cheap to clone."""

    __slots__ = ("_game", "_seats", "crate", "hands", "laid", "options", "points", "round", "shown")

    def __init__(self, game: Game, seats: int, options: Mapping[str, Scalar]) -> None:
        self._game = game
        self._seats = seats
        self.options = options
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.laid: list[int | None] = [None] * seats
        self.shown: list[list[int]] = [[] for _ in range(seats)]
        self.points = [0] * seats
        self.round = -1  # before the deal
        self.crate: int | None = None

    @property
    def game(self) -> Game:
        return self._game

    @property
    def seats(self) -> int:
        return self._seats

    @property
    def cards(self) -> range:
        """Every card of the match (R1.1)."""
        return range(1, self._seats * HAND + ASIDE + 1)

    @property
    def turn(self) -> int:
        """The number of decisions so far. It follows from the position, so no counter is needed."""
        return sum(len(cards) for cards in self.shown) + self._waiting()

    def _waiting(self) -> int:
        return self._seats - self.laid.count(None)

    @property
    def to_act(self) -> Actor:
        if self.round == ROUNDS:
            return None
        if self.crate is None:
            return CHANCE
        return (self.round + self._waiting()) % self._seats

    def legal_actions(self) -> Sequence[Action]:
        actor = self.to_act
        # The arena plays the first action for a seat that has forfeited: its lowest card.
        return [LAYS[card] for card in self.hands[actor]] if isinstance(actor, int) else []

    def apply(self, action: Action) -> tuple[Event, ...]:
        actor = self.to_act
        if actor == CHANCE and self.round < 0 and isinstance(action, Deal):
            return self._deal(action.cards)
        if actor == CHANCE and self.round >= 0 and isinstance(action, Crate) and action.worth in CRATES:
            self.crate = action.worth
            return (Event("crate", {"worth": action.worth}),)
        if isinstance(actor, int) and isinstance(action, Lay) and action.card in self.hands[actor]:
            return self._lay(actor, action.card)
        # Refuse before anything is changed, with one short line for the bot's author.
        raise IllegalAction(f"not allowed here: {quoted(action)}")

    def _deal(self, cards: tuple[int, ...]) -> tuple[Event, ...]:
        if sorted(cards) != list(self.cards):
            raise IllegalAction("a deal has every card once")
        self.round = 0
        self.hands = [sorted(cards[seat * HAND : (seat + 1) * HAND]) for seat in range(self._seats)]
        # The third part of an event has the fields that only some seats may see.
        return tuple(Event("deal", {"seat": seat}, {seat: {"hand": list(h)}}) for seat, h in enumerate(self.hands))

    def _lay(self, seat: int, card: int) -> tuple[Event, ...]:
        self.hands[seat].remove(card)
        self.laid[seat] = card
        event = Event("lay", {"seat": seat}, {seat: {"card": card}})
        laid = [card for card in self.laid if card is not None]
        if len(laid) < self._seats:
            return (event,)
        place = -1 if self.options["wins"] == "highest" else -2
        winner = self.laid.index(sorted(laid)[place])
        worth = self.crate or 0
        self.points[winner] += worth
        for player, shown in enumerate(laid):
            self.shown[player].append(shown)
        self.laid = [None] * self._seats
        self.crate = None
        self.round += 1
        return (event, Event("show", {"cards": laid, "winner": winner, "worth": worth}))

    @property
    def chance_key(self) -> str:
        if self.to_act != CHANCE:
            raise LookupError("no chance is pending")
        # The name occurs once in a match, so the crate of round 2 is the same whatever was laid before.
        return "deal" if self.round < 0 else f"crate:{self.round}"

    def sample_chance(self, rng: Random) -> Action:
        if self.round < 0:
            return Deal(tuple(rng.sample(self.cards, len(self.cards))))
        return CRATES[rng.randint(1, 6)]

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        seen: dict[str, Any] = {
            "viewer": viewer,
            "seats": self._seats,
            "to_act": self.to_act,
            "turn": self.turn,
            "options": dict(self.options),
            "round": self.round,
            "crate": self.crate,
            "tables": [
                {
                    "points": self.points[seat],
                    "cards": len(self.hands[seat]),
                    "laid": self.laid[seat] is not None,
                    "shown": list(self.shown[seat]),
                }
                for seat in range(self._seats)
            ],
        }
        if viewer is not None:
            seen["me"] = {"hand": list(self.hands[viewer]), "laid": self.laid[viewer]}
        return seen

    def scores(self) -> tuple[float, ...]:
        return tuple(float(points) for points in self.points)

    def ranks(self) -> tuple[int, ...]:
        return ranks_from_scores(self.points)

    def clone(self) -> HarbourState:
        copy = HarbourState(self._game, self._seats, self.options)
        copy.hands = [list(hand) for hand in self.hands]
        copy.laid = list(self.laid)
        copy.shown = [list(cards) for cards in self.shown]
        copy.points = list(self.points)
        copy.round = self.round
        copy.crate = self.crate
        return copy
