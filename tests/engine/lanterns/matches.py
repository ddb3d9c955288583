"""Random matches of Lanterns for properties that hold in every position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from hypothesis import settings
from hypothesis import strategies as st

from engine.core import CHANCE, Action, Event, Scalar
from engine.lanterns import GAME
from engine.lanterns.actions import KIND_OF_LENGTH, SKIP
from engine.lanterns.state import LanternsState

OPTIONS = {name: st.sampled_from(option.choices) for name, option in GAME.options.items()}


@dataclass(frozen=True)
class Match:
    """A random match of a certain temper: what it likes to do decides which corners of the rules it gets to."""

    seats: int
    options: dict[str, Scalar] = field(default_factory=dict)
    seed: int = 0
    temper: str = "any"

    def new(self) -> LanternsState:
        return GAME.new(self.seats, self.options)

    def choose(self, state: LanternsState, rng: Random) -> Action:
        """Any action; or hoard cards; or only dedicate one kind; or place where most sides match."""
        if state.to_act == CHANCE:
            return state.sample_chance(rng)
        legal = state.legal_actions()
        if self.temper == "hoard" and legal[0] == SKIP:
            return SKIP
        if self.temper in ("four", "pairs", "seven") and state.step == "dedicate":
            kind = ("four", "pairs", "seven").index(self.temper)
            return next((action for action in legal[1:] if KIND_OF_LENGTH[len(action.cards)] == kind), SKIP)  # type: ignore[attr-defined]
        if self.temper == "match" and state.step == "place":
            return max(rng.sample(list(legal), min(len(legal), 30)), key=lambda action: matches(state, action))
        return rng.choice(legal)

    def walk(self) -> Iterator[tuple[LanternsState, tuple[Event, ...]]]:
        """The state after each action, and what the action did."""
        state, rng = self.new(), Random(self.seed)
        while state.to_act is not None:
            events = state.apply(self.choose(state, rng))
            yield state, events


def matches(state: LanternsState, action: Action) -> int:
    """How many sides of a placement match."""
    placed = state.clone().apply(action)[0].public
    return len(placed["bonus"]) + int(placed["favor"])


any_match = st.builds(
    Match,
    seats=st.integers(2, 4),
    options=st.one_of(st.just({}), st.fixed_dictionaries(OPTIONS)),
    seed=st.integers(0, 2**32),
    temper=st.sampled_from(["any", "hoard", "four", "pairs", "seven", "match"]),
)
slow = settings(max_examples=60, deadline=None)
