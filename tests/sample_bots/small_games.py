"""Two games so small that the best action is known: one without chance, one with hidden information."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from engine.core import Action, Actor, Belief, Event, Game, IllegalAction, Scalar, State, Viewer


class Take(NamedTuple):
    """Take so many stones, or bet on that side of the coin."""

    number: int


class SmallState(State):
    """Stones: two seats take 1 to 3, the last stone wins. Coin: see `Coin`."""

    __slots__ = ("_game", "coin", "stones", "taker", "turn")

    def __init__(self, game: Stones, stones: int) -> None:
        self._game = game
        self.stones = stones
        self.coin = 0
        self.taker = 0
        self.turn = 0

    @property
    def game(self) -> Game:
        return self._game

    @property
    def seats(self) -> int:
        return 2

    @property
    def to_act(self) -> Actor:
        return self.taker if self.stones else None

    def legal_actions(self) -> Sequence[Action]:
        return tuple(Take(number) for number in range(1, min(3, self.stones) + 1))

    def apply(self, action: Action) -> tuple[Event, ...]:
        if action not in self.legal_actions():
            raise IllegalAction(f"expected 1 to 3 stones, got {action}")
        self.stones -= action[0]
        self.taker = 1 - self.taker
        self.turn += 1
        return (Event("take", {"number": action[0]}),)

    @property
    def chance_key(self) -> str:
        raise LookupError("nothing is left to chance")

    def sample_chance(self, rng: Random) -> Action:
        raise LookupError("nothing is left to chance")

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        return {
            "viewer": viewer,
            "seats": 2,
            "to_act": self.to_act,
            "turn": self.turn,
            "stones": self.stones,
            "tables": [{}, {}],
        }

    def scores(self) -> tuple[float, ...]:
        if self.stones:
            raise LookupError("the match is not over")
        return (float(self.taker == 1), float(self.taker == 0))

    def ranks(self) -> tuple[int, ...]:
        return (int(self.taker != 1), int(self.taker != 0))

    def clone(self) -> SmallState:
        copy = type(self)(self._game, self.stones)
        copy.coin, copy.taker, copy.turn = self.coin, self.taker, self.turn
        return copy


class SmallBelief(Belief):
    """The stones are open; of the coin nothing is known but how it is weighted."""

    __slots__ = ("_game", "_seen")

    def __init__(self, game: Stones, seen: Mapping[str, Any]) -> None:
        self._game = game
        self._seen = seen

    def sample(self, rng: Random) -> SmallState:
        state = self._game.new(2)
        state.stones, state.taker, state.turn = self._seen["stones"], self._seen["to_act"], self._seen["turn"]
        state.coin = int(rng.random() < 0.7)
        return state


class Stones(Game):
    """Two seats take 1 to 3 of the stones in turn; who takes the last one wins."""

    key = "stones"
    title = "Stones"
    version = 1
    seats = range(2, 3)
    draw_probability = 0.0
    max_turns = 100

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> SmallState:
        return SmallState(self, 21)

    def encode(self, action: Action) -> dict[str, Any]:
        return {"type": "take", "number": action[0]}

    def decode(self, data: Mapping[str, Any]) -> Action:
        return Take(data["number"])

    def belief(self, observation: Mapping[str, Any]) -> Belief:
        return SmallBelief(self, observation)


class CoinState(SmallState):
    """A coin lies covered. Seat 0 names 1 (as which it lies 7 times of 10) or 2, or 3: a certain quarter of a win."""

    __slots__ = ()

    def legal_actions(self) -> Sequence[Action]:
        return (Take(3), Take(2), Take(1)) if self.stones else ()

    def apply(self, action: Action) -> tuple[Event, ...]:
        if action not in self.legal_actions():
            raise IllegalAction(f"expected 1 to 3, got {action}")
        self.turn += 1
        self.stones = 0
        right = (action[0] == 1) == bool(self.coin)
        self.taker = int(right and action[0] != 3)
        return ()


class Coin(Stones):
    """One decision on a covered coin; a bot that could see through it would name either side as often as it lies."""

    key = "coin"
    title = "Coin"

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> SmallState:
        return CoinState(self, 1)
