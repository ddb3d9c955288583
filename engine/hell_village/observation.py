"""The observation of a position as JSON data for one viewer (RULES.md, Observation).

An observation is complete: `engine.hell_village.belief` needs nothing else. `agenda` shows the pending decision or
chance, and what follows.
"""

from __future__ import annotations

from typing import Any

from engine.core import CHANCE, Viewer
from engine.hell_village import piles, playing, rounds, village, workplaces
from engine.hell_village.agenda import CARD_STEPS, Step
from engine.hell_village.components import LABORATORY, NO_LIMIT, WORKPLACES
from engine.hell_village.position import Position


def observe(state: Position, viewer: Viewer) -> dict[str, Any]:
    """Return the observation of a seat or of a spectator. A spectator has no `me`."""
    rules = state.rules
    tables = rules.tables
    cards = tables.cards
    over = state.to_act is None
    seen: dict[str, Any] = {
        "viewer": viewer,
        "seats": state.seats,
        "to_act": state.to_act,
        "turn": state.turn,
        "options": dict(rules.options),
        "round": state.round,
        "phase": state.phase,
        "order": state.order[:],
        "decision": _decision(state),
        "agenda": [_step(state, step) for step in reversed(state.agenda)],
        "tables": [_table(state, seat) for seat in range(state.seats)],
        "workplaces": {
            name: {
                "dice": [[seat, value] for seat, value in state.workplaces[number]],
                "spaces": None if rules.spaces[number] == NO_LIMIT else rules.spaces[number],
                "super": _super_at(state, number),
            }
            for number, name in enumerate(WORKPLACES)
        },
        "village": [
            {"card": tables.start_land, "x": 0, "y": 0, "owner": None, "turned": False},
            *[
                {"card": cards[number].id, "x": x, "y": y, "owner": owner, "turned": turned}
                for (x, y), (number, owner, turned) in state.village.items()
            ],
        ],
        "payments": {str(r): names for r, names in enumerate(rounds.payment_groups(state), 1)},
        "payments_gone": list(state.payments_gone),
        "super_workplaces": {str(r): tile for r, tile in zip(tables.super_rounds, state.supers, strict=False)},
        "pile": len(state.pile) - state.top,
        "pile_number": state.pile_number,
        "recycled": piles.recycled(state),
        "discard": [cards[number].id for number in sorted(state.discard)],
        "knowledge": list(state.knowledge) if over else None,
    }
    if viewer is not None:
        seen["me"] = _me(state, viewer)
    return seen


def _super_at(state: Position, number: int) -> str | None:
    tile = workplaces.tile_at(state, number) if state.supers else None
    return tile.id if tile else None


def _table(state: Position, seat: int) -> dict[str, Any]:
    """Return what is open in front of one seat."""
    cards = state.rules.tables.cards
    a, b, c = state.stock[3 * seat : 3 * seat + 3]
    return {
        "ep": state.ep[seat],
        "stock": {"sacrifice": a, "armor": b, "food": c},
        "income": {"card": state.income[2 * seat], "resource": state.income[2 * seat + 1]},
        "hand_size": len(state.hands[seat]),
        "cards_by_pile": piles.counts_by_pile(state, seat),
        "dice": list(state.dice[seat]),
        "warlock_dice": list(state.warlock[seat]),
        "demons": [cards[number].id for number in state.demons[seat]],
        "plans": [cards[number].id for number in state.plans[seat]],
        "industries": [cards[number].id for number in state.industries[seat]],
        "kept": state.knowledge[seat] is not None,
        "shown_from_first_pile": list(state.shown[seat]),
        "shown_unsure": [
            {"card": entry.card, "most": {str(pile): count for pile, count in entry.most}}
            for entry in state.unsure[seat]
        ],
    }


def _me(state: Position, viewer: int) -> dict[str, Any]:
    """Return what only the viewer knows."""
    tables = state.rules.tables
    cards = tables.cards
    kept = state.knowledge[viewer]
    dealt = state.knowledge_dealt[viewer]
    # The order of two copies must not tell which is which.
    hand = sorted([(tables.numbers_of[cards[number].id][0], state.numbers[number]) for number in state.hands[viewer]])
    return {
        "seat": viewer,
        "hand": [{"card": cards[number].id, "pile": pile} for number, pile in hand],
        "knowledge": list(dealt) if kept is None else [kept],
        "removed_knowledge": None if kept is None else next(name for name in dealt if name != kept),
        "dealt": [cards[number].id for number in state.dealt[viewer]],
        "returned": [cards[number].id for number in state.returned[viewer]],
        "unsure_piles": [entry.pile for entry in state.unsure[viewer]],
    }


def _step(state: Position, step: Step) -> list[Any]:
    """Return a step of the agenda as JSON. A card is shown by its id."""
    written: list[Any] = _lists(step)
    if step[0] in CARD_STEPS:
        written[2] = state.rules.tables.cards[step[2]].id
    return written


def _lists(value: Any) -> Any:
    return [_lists(entry) for entry in value] if isinstance(value, tuple) else value


def _decision(state: Position) -> dict[str, Any] | None:
    """Return the kind and details of the pending decision, or `None` if no seat is to act."""
    if state.to_act is None or state.to_act == CHANCE:
        return None
    step = state.agenda[-1]
    return {"kind": _KINDS.get(step[0], step[0]), **_details(state, step)}


_KINDS = {"war": "use"}


def _details(state: Position, step: Step) -> dict[str, Any]:
    name, seat = step[0], step[1]
    cards = state.rules.tables.cards
    if name in ("gain", "kerberos"):
        return {"count": step[2]}
    if name == "imp":
        return {"die": step[2]}
    if name == "set":
        return {"dice": _lists(step[3]), "count": min(step[2], len(step[3]))}
    if name == "use":
        return {"workplace": WORKPLACES[step[2]], "value": step[3]}
    if name == "war":
        return {"workplace": "war_room", "dice": list(step[2])}
    if name == "trade":
        return {"left": step[2], "owed": step[3]}
    if name == "bury":
        return {"left": step[2]}
    if name == "audience":
        return {"die": step[2]}
    if name == "super_lab":
        return {"dice": list(workplaces.own_dice(state, seat, LABORATORY))}
    if name == "cost":
        card = cards[step[2]]
        return {"card": card.id, "price": playing.price(state, seat, card)}
    if name == "build":
        return {"card": cards[step[2]].id}
    if name == "order":
        return {"sides": [action.side for action in village.legal_orders(state, step)]}
    if name == "payment":
        return {"owed": step[2]}
    if name == "discard":
        return {"over": len(state.hands[seat]) - state.rules.tables.hand_limit}
    return {}
