"""Helpers for tests that set up, play and read positions of Lanterns."""

from __future__ import annotations

import json
from typing import Any

from engine.core import Action, Event, Scalar
from engine.lanterns import GAME
from engine.lanterns.actions import DEDICATIONS, DISCARDS, EXCHANGES, ORIENTS, PLACEMENTS, SKIP, Shuffle
from engine.lanterns.cards import pack, unpack
from engine.lanterns.components import POOL, cell_at
from engine.lanterns.go import go_on
from engine.lanterns.position import Position
from engine.lanterns.ruleset import make_ruleset
from engine.lanterns.state import LanternsState
from engine.lanterns.steps import EXCHANGE

TOP = 128 * sum(1 << 8 * colour for colour in range(7))


def order_of(first: str | list[int], pool: tuple[int, ...] = POOL) -> tuple[int, ...]:
    """An order of the pool: the faces named come first, the rest follows ascending."""
    named = [int(tile) for tile in first.split()] if isinstance(first, str) else list(first)
    rest = list(pool)
    for tile in named:
        rest.remove(tile)
    return (*named, *rest)


def start(seats: int, orient: int, first: str | list[int] = "", **options: Scalar) -> LanternsState:
    """A match after both chances: the seat that red faces, and the faces that lie first in the order."""
    state = GAME.new(seats, options)
    state.apply(ORIENTS[orient])
    state.apply(Shuffle(order_of(first, state.rules.pool)))
    return state


def read(step: str) -> Action:
    """One step: `p 25@-1,0/1` place face 25 at (-1, 0), rotation 1; `x W>O` exchange; `d KKKK`; `c P`; `-` skip."""
    kind, _, rest = step.strip().partition(" ")
    if kind == "-":
        return SKIP
    if kind == "x":
        give, _, take = rest.partition(">")
        return EXCHANGES[give, take]
    if kind == "d":
        return DEDICATIONS[rest]
    if kind == "c":
        return DISCARDS[rest]
    tile, _, where = rest.partition("@")
    place, _, rotation = where.partition("/")
    x, _, y = place.partition(",")
    return PLACEMENTS[int(tile)][cell_at(int(x), int(y))][int(rotation)]


def play(state: LanternsState, steps: str) -> list[Event]:
    """Play steps parted by semicolons; all that happened."""
    return [event for step in steps.split(";") for event in state.apply(read(step))]


def written(action: Action) -> str:
    """An action in the notation of `read`."""
    data = GAME.encode(action)
    match data["type"]:
        case "skip":
            return "-"
        case "exchange":
            return f"x {data['give']}>{data['take']}"
        case "dedicate":
            return f"d {data['cards']}"
        case "discard":
            return f"c {data['card']}"
    return f"p {data['tile']}@{data['x']},{data['y']}/{data['rotation']}"


def listed(state: LanternsState) -> list[str]:
    """The legal actions in the notation of `read`."""
    return [written(action) for action in state.legal_actions()]


def cards(packed: int) -> str:
    """Cards with their counts where there are any, in colour order: `B1 O2`."""
    return " ".join(f"{letter}{number}" for letter, number in unpack(packed).items() if number)


def position(
    held: list[str],
    *,
    seat: int = 0,
    favor: list[int] | None = None,
    start_seat: int = 0,
    taken: list[list[int]] | None = None,
    empty: str = "",
    final: bool = False,
    **options: Scalar,
) -> LanternsState:
    """A made-up position at the first step of a go that asks something.

    `held` is each seat's cards as letters; the supply has the rest of its colours, the stacks named in `empty` have no
    token. With `final` all tiles are placed, as far as the steps of a go can tell.
    """
    seats = len(held)
    state = start(seats, start_seat, "", **options)
    rules = make_ruleset(seats, GAME.complete_options(options))
    state.held = [pack(letters) for letters in held]
    state.supply = rules.supply - sum(state.held)
    assert state.supply >= 0
    assert not state.supply & TOP, "more cards of a colour than there are"
    state.favor = favor or [0] * seats
    state.favor_supply = rules.favor - sum(state.favor)
    if taken is not None:
        state.taken = [tuple(values) for values in taken]
    state.dedications = [
        () if kind in empty.split() else left
        for kind, left in zip(("four", "pairs", "seven"), rules.dedications, strict=True)
    ]
    if final:
        state.placements_left = 0
        state.hands = [()] * seats
        state.stack = ()
    state.seat = seat
    go_on(state, EXCHANGE)
    return state


def counted(text: str) -> str:
    """Letters for counts: `B3 G2` is `BBBGG`."""
    return "".join(part[0] * int(part[1:] or 1) for part in text.split())


def everything(state: LanternsState) -> dict[str, Any]:
    """Every field of a position, hidden ones too, for comparing two positions."""
    fields = {name: getattr(state, name) for name in Position.__slots__ if name not in ("game", "rules")}
    fields["lake"] = list(state.lake.items())
    return json.loads(json.dumps(fields))  # type: ignore[no-any-return]
