"""The interface of every game: `Game`, `State`, `Belief`, `Event`, and the errors of an action.

A `Game` describes the rules. A `State` is one position of a match. An `Event` is something that happened. A `Belief`
holds what a seat considers possible when it does not see everything. This module knows no particular game, no clock
and no bot.
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
"""The value of `State.to_act` while a chance is pending. Observations show the same value under `to_act`."""

Action: TypeAlias = tuple[Any, ...]
"""One choice of a seat or of chance: a small immutable `NamedTuple`, created once for each kind and arguments."""

Seat: TypeAlias = int
Viewer: TypeAlias = int | None
"""The seat that looks, or `None` for a spectator. A spectator sees only what is public."""

Actor: TypeAlias = int | Literal["chance"] | None
"""Who acts next: a seat, `CHANCE`, or `None` when the state is terminal."""

Scalar: TypeAlias = bool | int | float | str | None


class ActionError(Exception):
    """An action was refused. The state is unchanged."""


class MalformedAction(ActionError):
    """The JSON cannot be read as an action of this game."""


class IllegalAction(ActionError):
    """The action is an action of this game, but it is not allowed in this position."""


class OptionError(ValueError):
    """A game option is unknown, or its value is not one of the choices. The message names what was expected."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game's rules: its default, every allowed value, and one line of help."""

    default: Scalar
    choices: tuple[Scalar, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. Fields that only some seats may see are kept apart from the public fields.

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
        """Return the event as JSON for one viewer: `type`, the public fields, and the private fields of that seat."""
        seen = {"type": self.type, **self.public}
        if viewer is not None and viewer in self.private:
            seen.update(self.private[viewer])
        return seen


class State(ABC):
    """One full position, hidden parts included. A state is mutable and cheap to clone, and it keeps no history."""

    __slots__ = ()

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game that this position belongs to."""

    @property
    @abstractmethod
    def seats(self) -> int:
        """The number of seats."""

    @property
    @abstractmethod
    def to_act(self) -> Actor:
        """The seat to act, `CHANCE`, or `None` when the state is terminal."""

    @abstractmethod
    def legal_actions(self) -> Sequence[Action]:
        """Return every allowed action of the seat to act once, in a stable order.

        The list is empty while a chance is pending and at the end. The arena plays the first entry for a seat that has
        forfeited. The list never depends on information that the seat to act may not have.
        """

    @abstractmethod
    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action of the seat to act (or of chance), and return what happened, in order.

        Raises `IllegalAction`, and changes nothing, if the action is not allowed here.
        """

    @property
    @abstractmethod
    def chance_key(self) -> str:
        """The name of the pending chance (`"shuffle"`, `"roll:3"`), unique in a match. Else raises `LookupError`."""

    @abstractmethod
    def sample_chance(self, rng: Random) -> Action:
        """Draw one outcome of the pending chance with the probabilities of the rules. Use no generator but `rng`."""

    @abstractmethod
    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """Return everything that one viewer may know, as fresh JSON data.

        An observation is complete: what everybody knows from earlier events is one of its fields. It has at least the
        fields `viewer`, `seats`, `to_act` and `turn` (the number of decisions so far).
        """

    @abstractmethod
    def scores(self) -> tuple[float, ...]:
        """Return the points of each seat. A game must define them at the end; it may define them earlier."""

    @abstractmethod
    def ranks(self) -> tuple[int, ...]:
        """Return the rank of each seat at the end, after the game's own tie-breaks: 0 is best, equal ranks are ties."""

    @abstractmethod
    def clone(self) -> State:
        """Return an independent copy: playing on one never changes the other."""

    def resample(self, viewer: Viewer, rng: Random) -> State:
        """Return a full state that this viewer cannot tell from this one: a sample of its belief."""
        return self.game.belief(self.observation(viewer)).sample(rng)


class Belief(ABC):
    """The full states that one viewer considers possible. It is made from the viewer's observation alone."""

    __slots__ = ()

    @abstractmethod
    def sample(self, rng: Random) -> State:
        """Return one full state in which the viewer has the same observation and the same legal actions."""


class Game(ABC):
    """One set of rules: how to start a match, how to write its actions as JSON, how to show it to a person."""

    key: str
    title: str
    version: int
    """Increase it whenever an old replay would play out differently."""
    seats: range
    """The allowed numbers of seats, for example `range(2, 6)`."""
    options: Mapping[str, Option] = {}
    draw_probability: float
    """How often two equal players tie: a setting of TrueSkill."""
    max_turns: int
    """No match has more turns (decisions of seats) than this under any options."""
    notice: str = ""
    """One or two sentences that an organiser should know about the rules as implemented. May be empty."""

    @abstractmethod
    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> State:
        """Return a new match before its first chance. Raises `ValueError` (wrong number of seats) or `OptionError`."""

    @abstractmethod
    def encode(self, action: Action) -> dict[str, Any]:
        """Return an action of a seat or of chance as a JSON object."""

    @abstractmethod
    def decode(self, data: Mapping[str, Any]) -> Action:
        """Return the action that a JSON object names. Raises `MalformedAction`, which says what was expected."""

    @abstractmethod
    def belief(self, observation: Mapping[str, Any]) -> Belief:
        """Return what the viewer of this observation considers possible."""

    def draw(self, observation: Mapping[str, Any]) -> str:
        """Return what one viewer sees as text that fits 80 columns."""
        return json.dumps(observation, indent=1)

    def picture(self, observation: Mapping[str, Any]) -> str | None:
        """Return what one viewer sees as an SVG picture, or `None` if the game draws none.

        The picture depends on the observation alone. It is plain drawing: `engine.svg_check` says what is allowed, and
        `engine.svg` helps to draw it.
        """
        return None

    def describe(self, event: Mapping[str, Any]) -> str:
        """Return an event as one viewer sees it (see `Event.seen_by`) as one line for a person."""
        return json.dumps(event)

    def check_tables(self, data: object) -> list[str] | None:
        """Return every problem of a component table for this game as a sentence. With no problem it can be played.

        A component table is a game's cards and numbers as JSON data. Another table makes another game. The default is
        for games without such a table: it returns `None`. Never raises, whatever `data` is.
        """
        return None

    def check_seats(self, seats: int) -> int:
        """Return the number of seats unchanged. Raises `ValueError` unless this game allows it."""
        if isinstance(seats, bool) or seats not in self.seats:
            raise ValueError(f"{self.key} is played by {self.seats[0]} to {self.seats[-1]} seats, got {seats!r}")
        return seats

    def complete_options(self, given: Mapping[str, Scalar] | None = None) -> dict[str, Scalar]:
        """Return every option with its value: the given one, or the default.

        Raises `OptionError` for an unknown name (the message names the nearest) or a value that is not a choice.
        """
        given = given or {}
        for name in given:
            if name not in self.options:
                near = difflib.get_close_matches(name, self.options, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(self.options) or 'none'}"
                raise OptionError(f"{self.key} has no option {name!r}: {hint}")
        complete: dict[str, Scalar] = {}
        for name, option in self.options.items():
            value = given.get(name, option.default)
            # In Python 1, True and 1.0 are equal; in JSON they differ. So compare the JSON texts.
            matching = [choice for choice in option.choices if json.dumps(choice) == json.dumps(value)]
            if not matching:
                choices = ", ".join(json.dumps(choice) for choice in option.choices)
                raise OptionError(f"option {name!r} of {self.key}: expected one of {choices}, got {json.dumps(value)}")
            complete[name] = matching[0]
        return complete

    def option_from_text(self, name: str, text: str) -> Scalar:
        """Return the choice that a user typed on a command line, as JSON or as a bare string.

        Raises `OptionError` for an unknown name or a text that is not a choice.
        """
        if name in self.options:
            for choice in self.options[name].choices:
                if text in (json.dumps(choice), choice):
                    return choice
        self.complete_options({name: text})  # raises, and explains
        raise AssertionError("complete_options accepted a text that is not a choice")


def shown(value: object, limit: int = 80) -> str:
    """Return any value as short ASCII text for a message: like `repr`, but escaped and cut. Never raises.

    >>> shown("\\x1b[31mred"), shown(["axe"] * 99, 20)
    ("'\\\\x1b[31mred'", "['axe', 'axe', 'a...")
    """
    try:
        text = ascii(value)
    except (ValueError, RecursionError):
        # Python refuses to write an integer of thousands of digits or a list that is nested too deeply.
        text = f"a value of type {type(value).__name__} that cannot be written"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def shown_names(names: Iterable[object], limit: int = 200) -> str:
    """Return names of fields, sorted, for a message. Plain names stay as they are, `shown` writes all others.

    >>> shown_names(["x", "tile", "\\x07", 3])
    "'\\\\x07', 3, tile, x"
    """
    plain = (
        name if isinstance(name, str) and name.isascii() and name.isidentifier() else shown(name) for name in names
    )
    text = ", ".join(sorted(plain))
    return text if len(text) <= limit else text[: limit - 3] + "..."


def ranks_from_scores(keys: Sequence[Any]) -> tuple[int, ...]:
    """Return the rank of each entry where higher is better: the number of entries strictly ahead. Ties share a rank.

    Entries may be numbers, or tuples of (score, tie-break, ...).

    >>> ranks_from_scores([8, 12, 8, 3])
    (1, 0, 1, 3)
    >>> ranks_from_scores([(8, 1), (8, 2)])
    (1, 0)
    """
    return tuple(sum(other > key for other in keys) for key in keys)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "card"), counted(0, "card"), counted(2, "match", "matches")
    ('1 card', '0 cards', '2 matches')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"
