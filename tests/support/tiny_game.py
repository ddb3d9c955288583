"""A small complete game for tests: hidden cards, two chances, private events, 2 to 5 seats, two kinds of decision.

Every seat has three cards. In a round each seat in turn lays one card face down or passes. Then a die decides whether
the highest or the lowest card wins the point, all laid cards are shown, and each seat that laid a card draws another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from engine.core import (
    CHANCE,
    Action,
    Actor,
    Belief,
    Event,
    Game,
    IllegalAction,
    MalformedAction,
    Option,
    Scalar,
    State,
    Viewer,
    ranks_from_scores,
)

HAND = 3


class Shuffle(NamedTuple):
    """Chance: the order of the deck; the first entry leaves it first."""

    cards: tuple[int, ...]


class Roll(NamedTuple):
    """Chance: the die that ends a round; even lets the highest card win, odd the lowest."""

    face: int


class Play(NamedTuple):
    """A seat lays one card face down."""

    card: int


class Pass(NamedTuple):
    """A seat lays nothing this round."""


PLAYS = tuple(Play(card) for card in range(300))
ROLLS = tuple(Roll(face) for face in range(7))
PASS = Pass()


class TinyState(State):
    """One position of the tiny game."""

    __slots__ = ("_options", "_seats", "deck", "hands", "laid", "passed", "points", "round", "shown", "turn")

    def __init__(self, seats: int, options: Mapping[str, Scalar]) -> None:
        self._seats = seats
        self._options = options
        self.deck: list[int] = []
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.laid: list[int | None] = [None] * seats
        self.passed = [False] * seats
        self.points = [0] * seats
        self.shown: list[int] = []
        self.round = -1
        self.turn = 0

    @property
    def game(self) -> Game:
        return GAME

    @property
    def seats(self) -> int:
        return self._seats

    @property
    def rounds(self) -> int:
        rounds = self._options["rounds"]
        assert isinstance(rounds, int)
        return rounds

    @property
    def cards(self) -> range:
        """Return every card of the match."""
        return range(1, self._seats * (HAND + self.rounds) + 1)

    @property
    def to_act(self) -> Actor:
        if self.round < 0:
            return CHANCE
        if self.round == self.rounds:
            return None
        chosen = self.turn - self.round * self._seats
        return CHANCE if chosen == self._seats else chosen

    def legal_actions(self) -> Sequence[Action]:
        actor = self.to_act
        if not isinstance(actor, int):
            return ()
        return (*(PLAYS[card] for card in self.hands[actor]), PASS)

    def apply(self, action: Action) -> tuple[Event, ...]:
        actor = self.to_act
        if actor == CHANCE and self.round < 0 and isinstance(action, Shuffle):
            return self._deal(action)
        if actor == CHANCE and self.round >= 0 and isinstance(action, Roll):
            return self._settle(action)
        if isinstance(actor, int) and isinstance(action, Pass):
            self.passed[actor] = True
            self.turn += 1
            return (Event("pass", {"seat": actor}),)
        if isinstance(actor, int) and isinstance(action, Play) and action.card in self.hands[actor]:
            self.hands[actor].remove(action.card)
            self.laid[actor] = action.card
            self.turn += 1
            return (Event("play", {"seat": actor}, {actor: {"card": action.card}}),)
        raise IllegalAction(f"expected an action of {actor}, got {action!r}")

    def _deal(self, action: Shuffle) -> tuple[Event, ...]:
        if sorted(action.cards) != list(self.cards):
            raise IllegalAction("expected every card once")
        self.deck = list(action.cards)
        self.round = 0
        return tuple(self._draw(seat) for seat in range(self._seats) for _ in range(HAND))

    def _draw(self, seat: int) -> Event:
        card = self.deck.pop(0)
        self.hands[seat] = sorted([*self.hands[seat], card])
        return Event("draw", {"seat": seat}, {seat: {"card": card}})

    def _settle(self, action: Roll) -> tuple[Event, ...]:
        if not 1 <= action.face <= 6:
            raise IllegalAction(f"expected a face of 1 to 6, got {action.face}")
        laid = [card for card in self.laid if card is not None]
        winner = None
        if laid:
            winner = self.laid.index(max(laid) if action.face % 2 == 0 else min(laid))
            self.points[winner] += 1
        events = [Event("settle", {"face": action.face, "cards": list(self.laid), "winner": winner})]
        self.shown += laid
        events += [self._draw(seat) for seat in range(self._seats) if self.laid[seat] is not None]
        self.laid = [None] * self._seats
        self.passed = [False] * self._seats
        self.round += 1
        return tuple(events)

    @property
    def chance_key(self) -> str:
        assert self.to_act == CHANCE
        return "shuffle" if self.round < 0 else f"roll:{self.round}"

    def sample_chance(self, rng: Random) -> Action:
        if self.round < 0:
            return Shuffle(tuple(rng.sample(self.cards, len(self.cards))))
        return ROLLS[rng.randint(1, 6)]

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        seen: dict[str, Any] = {
            "viewer": viewer,
            "seats": self._seats,
            "to_act": self.to_act,
            "turn": self.turn,
            "round": self.round,
            "deck": len(self.deck),
            "shown": list(self.shown),
            "options": dict(self._options),
            "tables": [
                {
                    "points": self.points[seat],
                    "cards": len(self.hands[seat]),
                    "laid": self.laid[seat] is not None,
                    "passed": self.passed[seat],
                }
                for seat in range(self._seats)
            ],
        }
        if viewer is not None:
            seen["me"] = {"hand": list(self.hands[viewer]), "laid": self.laid[viewer]}
        padding = self._options["padding"]
        if padding:
            assert isinstance(padding, int)
            seen["padding"] = "." * padding
        return seen

    def scores(self) -> tuple[float, ...]:
        return tuple(float(points) for points in self.points)

    def ranks(self) -> tuple[int, ...]:
        return ranks_from_scores(self.points)

    def clone(self) -> TinyState:
        copy = TinyState(self._seats, self._options)
        copy.deck = list(self.deck)
        copy.hands = [list(hand) for hand in self.hands]
        copy.laid = list(self.laid)
        copy.passed = list(self.passed)
        copy.points = list(self.points)
        copy.shown = list(self.shown)
        copy.round = self.round
        copy.turn = self.turn
        return copy


class TinyBelief(Belief):
    """All deals of the unseen cards, each equally likely."""

    __slots__ = ("_seen",)

    def __init__(self, observation: Mapping[str, Any]) -> None:
        self._seen = observation

    def sample(self, rng: Random) -> State:
        seen = self._seen
        state = TinyState(seen["seats"], seen["options"])
        state.round = seen["round"]
        state.turn = seen["turn"]
        state.shown = list(seen["shown"])
        me, viewer = seen.get("me"), seen["viewer"]
        known = set(state.shown)
        if me is not None:
            known |= {*me["hand"], me["laid"]}
        unseen = [card for card in state.cards if card not in known]
        rng.shuffle(unseen)
        for seat, table in enumerate(seen["tables"]):
            state.points[seat] = table["points"]
            state.passed[seat] = table["passed"]
            if me is not None and seat == viewer:
                state.hands[seat] = list(me["hand"])
                state.laid[seat] = me["laid"]
                continue
            state.hands[seat] = sorted(unseen.pop() for _ in range(table["cards"]))
            state.laid[seat] = unseen.pop() if table["laid"] else None
        state.deck = unseen if state.round >= 0 else []
        return state


class TinyGame(Game):
    """The rule set."""

    key = "tiny"
    title = "High or Low"
    version = 1
    seats = range(2, 6)
    options = {  # noqa: RUF012 - the contract's own type
        "rounds": Option(3, (1, 3, 50), "rounds of a match"),
        "padding": Option(0, (0, 1500), "characters that fill each observation, to weigh messages"),
    }
    draw_probability = 0.3
    max_turns = 250

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> State:
        return TinyState(self.check_seats(seats), self.complete_options(options))

    def encode(self, action: Action) -> dict[str, Any]:
        return {"type": type(action).__name__.lower(), **action._asdict()}  # type: ignore[attr-defined]

    def decode(self, data: Mapping[str, Any]) -> Action:
        match data:
            case {"type": "pass"} if len(data) == 1:
                return PASS
            case {"type": "play", "card": int(card)} if len(data) == 2 and type(card) is int and 0 < card < len(PLAYS):
                return PLAYS[card]
            case {"type": "roll", "face": int(face)} if len(data) == 2 and type(face) is int and 0 < face < len(ROLLS):
                return ROLLS[face]
            case {"type": "shuffle", "cards": list(cards)} if len(data) == 2 and {*map(type, cards)} <= {int}:
                return Shuffle(tuple(cards))
        raise MalformedAction('expected {"type":"play","card":N} or {"type":"pass"}')

    def belief(self, observation: Mapping[str, Any]) -> Belief:
        return TinyBelief(observation)

    def draw(self, observation: Mapping[str, Any]) -> str:
        rows = [f"round {observation['round']}, {observation['deck']} cards in the deck"]
        for seat, table in enumerate(observation["tables"]):
            laid = "laid a card" if table["laid"] else "passed" if table["passed"] else "to choose"
            rows.append(f"seat {seat}: {table['points']} points, {table['cards']} cards, {laid}")
        return "\n".join(rows)

    def describe(self, event: Mapping[str, Any]) -> str:
        match event["type"]:
            case "settle":
                return f"the die shows {event['face']}: cards {event['cards']}, winner {event['winner']}"
            case kind:
                card = f" {event['card']}" if "card" in event else ""
                return f"seat {event['seat']} {kind}{card}"


GAME = TinyGame()
