"""What every game promises: `Game`, `State`, `Belief`, `Event`, and the errors of an action.

A game is described once (`Game`), played in positions (`State`), watched through events (`Event`), and imagined by a
seat that does not see everything (`Belief`). Nothing here knows a particular game, a clock, or a bot.
"""

from __future__ import annotations

import difflib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal, TypeAlias

CHANCE: Final = "chance"
"""`State.to_act` while nature is to choose; also what observations show under `to_act`."""

Action: TypeAlias = tuple[Any, ...]
"""One choice of a seat or of chance: a small immutable `NamedTuple`, made once per kind and arguments."""

Seat: TypeAlias = int
Viewer: TypeAlias = int | None
"""The seat that looks, or `None` for a spectator, who sees only what is public."""

Actor: TypeAlias = int | Literal["chance"] | None
"""Who acts next: a seat, `CHANCE`, or `None` when the state is terminal."""

Scalar: TypeAlias = bool | int | float | str | None


class ActionError(Exception):
    """An action was refused; the state that refused it is unchanged."""


class MalformedAction(ActionError):
    """The action cannot be read: it is no action of this game at all."""


class IllegalAction(ActionError):
    """The action is readable, but not allowed in this position."""


class OptionError(ValueError):
    """A game option is unknown or has a value that is no choice; the message names what was expected."""


@dataclass(frozen=True, slots=True)
class Option:
    """One switch of a game's rules: its default, every allowed value, and one line of help."""

    default: Scalar
    choices: tuple[Scalar, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, with the fields that only some seats may see kept apart.

    >>> draw = Event("draw", {"seat": 1}, {1: {"card": "axe"}})
    >>> draw.seen_by(1)
    {'type': 'draw', 'seat': 1, 'card': 'axe'}
    >>> draw.seen_by(0) == draw.seen_by(None) == {'type': 'draw', 'seat': 1}
    True
    """

    type: str
    public: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[Seat, Mapping[str, Any]] = field(default_factory=dict)

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """The event as JSON for one viewer: `type`, the public fields, and the private ones of that seat alone."""
        seen = {"type": self.type, **self.public}
        if viewer is not None and viewer in self.private:
            seen.update(self.private[viewer])
        return seen


class State(ABC):
    """One full position, hidden parts included. Mutable, cheap to clone, and without history."""

    __slots__ = ()

    @property
    @abstractmethod
    def game(self) -> Game:
        """The rule set that this position belongs to."""

    @property
    @abstractmethod
    def seats(self) -> int:
        """Number of seats."""

    @property
    @abstractmethod
    def to_act(self) -> Actor:
        """The seat to act, `CHANCE`, or `None` when the state is terminal."""

    @abstractmethod
    def legal_actions(self) -> Sequence[Action]:
        """Every allowed action of the seat to act, in a stable order, each once; empty for chance and at the end.

        The first entry is the fallback that is played for a seat that has forfeited. The list depends on nothing
        that the seat to act may not know.
        """

    @abstractmethod
    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action of the seat to act (or of chance) and return what happened, in order.

        Raises `IllegalAction`, and changes nothing, if the action is not allowed here.
        """

    @property
    @abstractmethod
    def chance_key(self) -> str:
        """The name of the pending chance (`"shuffle"`, `"roll:3"`), unique within a match; an error at other times."""

    @abstractmethod
    def sample_chance(self, rng: Random) -> Action:
        """One outcome of the pending chance, drawn with the probabilities of the rules from `rng` alone."""

    @abstractmethod
    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """All that one viewer may know, as fresh JSON data.

        Complete: public knowledge that rests on history is a field of it. Holds at least `viewer`, `seats`, `to_act`
        and `turn` (decisions so far).
        """

    @abstractmethod
    def scores(self) -> tuple[float, ...]:
        """Points of each seat; defined when terminal."""

    @abstractmethod
    def ranks(self) -> tuple[int, ...]:
        """Finishing order of each seat after the game's own tie-breaks: 0 is best, equal means tied; when terminal."""

    @abstractmethod
    def clone(self) -> State:
        """An independent copy: playing on one never changes the other."""

    def resample(self, viewer: Viewer, rng: Random) -> State:
        """A full state that this viewer cannot tell from this one: a sample of its belief."""
        return self.game.belief(self.observation(viewer)).sample(rng)


class Belief(ABC):
    """What one viewer considers possible, built from its observation alone."""

    __slots__ = ()

    @abstractmethod
    def sample(self, rng: Random) -> State:
        """One full state that gives the viewer the same observation and legal actions, with no history in it."""


class Game(ABC):
    """One rule set: how to start it, how to write its actions as JSON, how to show it to a person."""

    key: str
    title: str
    version: int
    """Raised whenever an old replay would play out differently."""
    seats: range
    """Allowed numbers of seats, for example `range(2, 6)`."""
    options: Mapping[str, Option] = {}
    draw_probability: float
    """How often two equal players tie: a setting of TrueSkill."""
    max_turns: int
    """No match has more turns (decisions of seats) than this, whatever the options."""
    notice: str = ""
    """What an organiser should know about the rules as implemented, in a sentence or two; may be empty."""

    @abstractmethod
    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> State:
        """A fresh match before its first chance. Raises `ValueError` for a wrong number of seats, or `OptionError`."""

    @abstractmethod
    def encode(self, action: Action) -> dict[str, Any]:
        """The action as a JSON object, for seats' and for chance's actions alike."""

    @abstractmethod
    def decode(self, data: Mapping[str, Any]) -> Action:
        """The action that a JSON object names. Raises `MalformedAction`, saying what was expected, for all else."""

    @abstractmethod
    def belief(self, observation: Mapping[str, Any]) -> Belief:
        """What the viewer of this observation considers possible."""

    def draw(self, observation: Mapping[str, Any]) -> str:
        """The table as text that fits 80 columns."""
        return json.dumps(observation, indent=1)

    def describe(self, event: Mapping[str, Any]) -> str:
        """One seen event (see `Event.seen_by`) as one line for a person."""
        return json.dumps(event)

    def check_tables(self, data: object) -> list[str] | None:
        """Return every problem of a component table for this game as a sentence; no problem: it can be played.

        A game may keep the numbers on its cards as data, so that another table makes another game. Return `None`, as
        this method does unless a game has one of its own, if there is no such table. Never raises, whatever `data` is.
        """
        return None

    def check_seats(self, seats: int) -> int:
        """The number itself. Raises `ValueError` unless this game is played by that many."""
        if isinstance(seats, bool) or seats not in self.seats:
            raise ValueError(f"{self.key} is played by {self.seats[0]} to {self.seats[-1]} seats, got {seats!r}")
        return seats

    def settle_options(self, given: Mapping[str, Scalar] | None = None) -> dict[str, Scalar]:
        """Every option with its value: those given, else the defaults.

        Raises `OptionError` for an unknown name (naming the nearest) or a value that is no choice.
        """
        given = given or {}
        for name in given:
            if name not in self.options:
                near = difflib.get_close_matches(name, self.options, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(self.options) or 'none'}"
                raise OptionError(f"{self.key} has no option {name!r}: {hint}")
        settled: dict[str, Scalar] = {}
        for name, option in self.options.items():
            value = given.get(name, option.default)
            # `1 == True == 1.0` in Python, but they are three different values in JSON: compare the written form.
            matching = [choice for choice in option.choices if json.dumps(choice) == json.dumps(value)]
            if not matching:
                choices = ", ".join(json.dumps(choice) for choice in option.choices)
                raise OptionError(f"option {name!r} of {self.key}: expected one of {choices}, got {json.dumps(value)}")
            settled[name] = matching[0]
        return settled

    def option_from_text(self, name: str, text: str) -> Scalar:
        """The choice of an option whose JSON text (or bare string) is `text`, as typed on a command line.

        Raises `OptionError` for an unknown name or a text that is no choice.
        """
        if name in self.options:
            for choice in self.options[name].choices:
                if text in (json.dumps(choice), choice):
                    return choice
        self.settle_options({name: text})  # raises with the full explanation
        raise AssertionError("a text that matches no choice is refused by settle_options")


def shown(value: object, limit: int = 80) -> str:
    """Any value as short plain ASCII text for a message: like `repr`, but escaped, cut, and never an error.

    >>> shown("\\x1b[31mred"), shown(["axe"] * 99, 20)
    ("'\\\\x1b[31mred'", "['axe', 'axe', 'a...")
    """
    try:
        text = ascii(value)
    except (ValueError, RecursionError):
        # An integer of thousands of digits, a list that is too deep: there is no text of these.
        text = f"a value of type {type(value).__name__} that cannot be written"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def shown_names(names: Iterable[object], limit: int = 200) -> str:
    """Names of fields for a message, sorted: plain ones as they are, all others as `shown` writes them; cut.

    >>> shown_names(["x", "tile", "\\x07", 3])
    "'\\\\x07', 3, tile, x"
    """
    plain = (
        name if isinstance(name, str) and name.isascii() and name.isidentifier() else shown(name) for name in names
    )
    text = ", ".join(sorted(plain))
    return text if len(text) <= limit else text[: limit - 3] + "..."


def ranks_from_scores(keys: Sequence[Any]) -> tuple[int, ...]:
    """Rank of each entry when higher is better: the number of entries strictly ahead, so ties share a rank.

    Entries may be numbers, or tuples of (score, tie-break, ...).

    >>> ranks_from_scores([8, 12, 8, 3])
    (1, 0, 1, 3)
    >>> ranks_from_scores([(8, 1), (8, 2)])
    (1, 0)
    """
    return tuple(sum(other > key for other in keys) for key in keys)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun, for texts.

    >>> counted(1, "card"), counted(0, "card"), counted(2, "match", "matches")
    ('1 card', '0 cards', '2 matches')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"
