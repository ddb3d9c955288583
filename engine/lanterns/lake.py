"""Placing a tile on the lake, and what every seat gets for it (R8.2 to R8.5)."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from engine.lanterns.cards import ONE, PILE
from engine.lanterns.components import COLOURS, SHOWN, STEPS
from engine.lanterns.position import Position

# (step to the neighbour, side of the new tile, side of the neighbour that it touches) for N, E, S, W (R2.3).
_TOUCHING: Final = tuple((step, side, (side + 2) % 4) for side, step in enumerate(STEPS))


def lay(state: Position, cell: int, code: int) -> tuple[str, int]:
    """Put a tile on the lake and pay its matches (R8.2 to R8.4). Return the letters of bonus cards and the favor."""
    seat, supply, lake, frontier = state.seat, state.supply, state.lake, state.frontier
    platforms = state.rules.platforms
    mine = state.held[seat]
    shown = SHOWN[code]
    bonus = ""
    matches = favor = 0
    for step, side, touching_side in _TOUCHING:
        beside = cell + step
        neighbour = lake.get(beside)
        if neighbour is None:
            spot = bisect_left(frontier, beside)
            if spot == len(frontier) or frontier[spot] != beside:
                frontier.insert(spot, beside)
            continue
        colour = shown[side]
        if SHOWN[neighbour][touching_side] == colour:
            matches += 1
            if platforms[neighbour]:
                favor += 1
            if supply & PILE[colour]:  # a missing card is lost (R9.1), but its favor is paid (R9.3)
                supply -= ONE[colour]
                mine += ONE[colour]
                bonus += COLOURS[colour]
    lake[cell] = code
    if matches:
        if platforms[code]:
            favor += matches if state.rules.favor_per_match else 1
        favor = min(favor, state.favor_supply)  # R9.4
        state.favor_supply -= favor
        state.favor[seat] += favor
        state.held[seat] = mine
        state.supply = supply
    return bonus, favor


def pay_facing(state: Position, code: int) -> list[str | None]:
    """Give every seat, beginning with the placing seat, the card that faces it (R8.5).

    Return for each seat the letter of its card, or `None` if the supply had none.
    """
    rules, held, supply = state.rules, state.held, state.supply
    shown, sides = SHOWN[code], rules.sides
    gains: list[str | None] = [None] * rules.seats
    for owner in rules.clockwise[state.seat]:
        colour = shown[sides[owner]]
        if supply & PILE[colour]:
            supply -= ONE[colour]
            held[owner] += ONE[colour]
            gains[owner] = COLOURS[colour]
    state.supply = supply
    return gains
