"""The observation of a position as JSON data for one viewer (RULES.md, section R9)."""

from __future__ import annotations

from typing import Any

from engine.burn_my_village.components import CODES, NAMES
from engine.burn_my_village.counts import FIELD, SHIFTS, as_json, size
from engine.burn_my_village.position import Position
from engine.core import Viewer


def observe(state: Position, viewer: Viewer) -> dict[str, Any]:
    """Return everything that the viewer may know."""
    over = state.ended is not None
    seen: dict[str, Any] = {
        "viewer": viewer,
        "seats": state.seats,
        "to_act": state.to_act,
        "turn": state.turn,
        "options": dict(state.rules.options),
        "track": [NAMES[code] for code in state.track],
        "values": list(state.rules.values),
        "stalls": [[NAMES[card] for card in goods] for goods in state.stalls],
        "next_stall": state.next_stall,
        "deck": len(state.deck) - state.top,
        "wilds": state.rules.wilds,
        "discards": as_json(state.discards),
        "tables": [
            {
                "hand_size": size(state.hands[seat]),
                "known": as_json(state.known[seat]),
                "bribes": _bribes(state, seat),
                "hand": as_json(state.hands[seat]) if over else None,
            }
            for seat in range(state.seats)
        ],
        "ended": state.ended,
    }
    if viewer is not None:
        seen["hand"] = as_json(state.hands[viewer])
    return seen


def _bribes(state: Position, seat: int) -> dict[str, dict[str, int]]:
    wilds = state.wilds[seat]
    return {
        name: {"cards": count, "wilds": wilds >> SHIFTS[CODES[name]] & FIELD}
        for name, count in as_json(state.columns[seat]).items()
    }
