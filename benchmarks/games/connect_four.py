"""Connect four as a plug-in; its observation is the board in the form of kaggle-environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from engine.core import Action, Actor, Belief, Event, Game, IllegalAction, MalformedAction, Scalar, State, Viewer

COLUMNS, ROWS = 7, 6
STRIDE = ROWS + 1
"""Bits of a column: one more than its cells, always empty, so that no line runs from one column into the next."""


class Drop(NamedTuple):
    """A seat drops a disc into a column."""

    column: int


DROPS = tuple(Drop(column) for column in range(COLUMNS))
DROPPED = tuple(
    tuple((Event("drop", {"seat": seat, "column": column}),) for column in range(COLUMNS)) for seat in (0, 1)
)


class Board(State):
    """One position: the board as bots see it, the discs of each seat as bits, and the height of each column."""

    __slots__ = ("board", "discs", "heights", "turn", "winner")

    def __init__(self) -> None:
        self.board = [0] * (COLUMNS * ROWS)
        self.discs = [0, 0]
        self.heights = [0] * COLUMNS
        self.turn = 0
        self.winner: int | None = None

    @property
    def game(self) -> Game:
        return GAME

    @property
    def seats(self) -> int:
        return 2

    @property
    def to_act(self) -> Actor:
        return None if self.winner is not None or self.turn == COLUMNS * ROWS else self.turn % 2

    def legal_actions(self) -> Sequence[Action]:
        if self.winner is not None:
            return ()
        return [drop for drop, height in zip(DROPS, self.heights, strict=True) if height < ROWS]

    def apply(self, action: Action) -> tuple[Event, ...]:
        if self.to_act is None or type(action) is not Drop or self.heights[action.column] == ROWS:
            raise IllegalAction(f"expected a column that is not full, got {action!r}")
        seat, column = self.turn % 2, action.column
        discs = self.discs[seat] | 1 << column * STRIDE + self.heights[column]
        self.discs[seat] = discs
        self.board[(ROWS - 1 - self.heights[column]) * COLUMNS + column] = seat + 1
        self.heights[column] += 1
        self.turn += 1
        for step in (1, STRIDE - 1, STRIDE, STRIDE + 1):
            pairs = discs & discs >> step
            if pairs & pairs >> 2 * step:
                self.winner = seat
        return DROPPED[seat][column]

    @property
    def chance_key(self) -> str:
        raise AssertionError("there is no chance")

    def sample_chance(self, rng: Random) -> Action:
        raise AssertionError("there is no chance")

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        return {
            "viewer": viewer,
            "seats": 2,
            "to_act": self.to_act,
            "turn": self.turn,
            "tables": [{}, {}],
            "board": list(self.board),
        }

    def scores(self) -> tuple[float, ...]:
        if self.winner is None:
            return (0.5, 0.5)
        return (1.0, 0.0) if self.winner == 0 else (0.0, 1.0)

    def ranks(self) -> tuple[int, ...]:
        if self.winner is None:
            return (0, 0)
        return (0, 1) if self.winner == 0 else (1, 0)

    def clone(self) -> Board:
        copy = Board()
        copy.board = list(self.board)
        copy.discs = list(self.discs)
        copy.heights = list(self.heights)
        copy.turn = self.turn
        copy.winner = self.winner
        return copy


class Known(Belief):
    """The belief of a game without hidden information."""

    def __init__(self, observation: Mapping[str, Any]) -> None:
        self._seen = observation

    def sample(self, rng: Random) -> State:
        board = Board()
        board.board = list(self._seen["board"])
        cells = [column * STRIDE + row for row in range(ROWS - 1, -1, -1) for column in range(COLUMNS)]
        for cell, disc in zip(cells, self._seen["board"], strict=True):
            if disc:
                board.discs[disc - 1] |= 1 << cell
                board.heights[cell // STRIDE] += 1
        board.turn = self._seen["turn"]
        return board


class ConnectFour(Game):
    """The rule set."""

    key = "connect_four"
    title = "Connect Four"
    version = 1
    seats = range(2, 3)
    draw_probability = 0.01
    max_turns = COLUMNS * ROWS

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> State:
        self.check_seats(seats)
        self.complete_options(options)
        return Board()

    def encode(self, action: Action) -> dict[str, Any]:
        return {"type": "drop", "column": action.column}  # type: ignore[attr-defined]

    def decode(self, data: Mapping[str, Any]) -> Action:
        match data:
            case {"type": "drop", "column": int(column)} if len(data) == 2 and 0 <= column < COLUMNS:
                return DROPS[column]
        raise MalformedAction('expected {"type":"drop","column":N}')

    def belief(self, observation: Mapping[str, Any]) -> Belief:
        return Known(observation)


GAME = ConnectFour()
