"""The observation of a position as JSON data for one viewer (see the table in RULES.md)."""

from __future__ import annotations

from typing import Any

from engine.core import Viewer
from engine.lanterns import scoring
from engine.lanterns.cards import unpack
from engine.lanterns.components import DIRECTIONS, FACES, KINDS, SHOWN_LETTERS, cell_position
from engine.lanterns.position import Position


def observe(state: Position, viewer: Viewer) -> dict[str, Any]:
    """Return everything that one viewer may know. A seat sees its own `hand`. A spectator has no `hand`."""
    rules = state.rules
    seen: dict[str, Any] = {
        "viewer": viewer,
        "seats": rules.seats,
        "to_act": state.to_act,
        "turn": state.turn,
        "options": dict(rules.options),
        "step": state.step,
        "start_seat": state.start_seat,
        "final": state.final,
        "placements_left": state.placements_left,
        "board": [_tile_on_lake(cell, code, rules.platforms[code]) for cell, code in state.lake.items()],
        "supply": unpack(state.supply),
        "favor_supply": state.favor_supply,
        "dedications": {kind: list(left) for kind, left in zip(KINDS, state.dedications, strict=True)},
        "generic_left": state.generic_left,
        "stack": len(state.stack),
        "removed": len(state.removed),
        "tables": [
            {
                "seat": seat,
                "side": DIRECTIONS[rules.sides[seat]],
                "cards": unpack(state.held[seat]),
                "favor": state.favor[seat],
                "taken": list(state.taken[seat]),
                "score": scoring.score(state.taken[seat]),
                "hand_size": len(state.hands[seat]),
            }
            for seat in range(rules.seats)
        ],
    }
    if viewer is not None:
        seen["hand"] = [
            {"tile": tile, "sides": FACES[tile].sides, "platform": FACES[tile].platform} for tile in state.hands[viewer]
        ]
    return seen


def _tile_on_lake(cell: int, code: int, platform: bool) -> dict[str, Any]:
    x, y = cell_position(cell)
    return {
        "x": x,
        "y": y,
        "tile": code // 4,
        "rotation": code % 4,
        "shown": SHOWN_LETTERS[code],
        "platform": platform,
    }
