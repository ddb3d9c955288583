"""Take the steps of the agenda: what each step does, and when a seat is asked (R0.4, R0.5).

The rules themselves are in `rounds`, `placement`, `workplaces`, `playing`, `village`, `upkeep` and `piles`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from engine.core import CHANCE, Action, Event
from engine.hell_village import board, piles, placement, playing, rounds, upkeep, village, workplaces
from engine.hell_village.agenda import Step
from engine.hell_village.components import WORKPLACES
from engine.hell_village.position import Position

Legal = Callable[[Position, Step], Sequence[Action]]
Automatic = Callable[[Position, list[Event], Step], None]
Choose = Callable[[Position, list[Event], Step, Any], None]


class Decision(NamedTuple):
    """One kind of decision: its legal actions, what a choice does, and when a seat is asked even without a choice."""

    legal: Legal
    choose: Choose
    asked: Callable[[Position, Step], bool] | None


class Chance(NamedTuple):
    """One kind of chance: how to draw an outcome, how to check it, and what it does."""

    sample: Callable[[Position, Random, Step], Action]
    check: Callable[[Position, Any, Step], None]
    apply: Choose


def _always(state: Position, step: Step) -> bool:
    return True


def _holds_cards(state: Position, step: Step) -> bool:
    """Ask every seat that holds cards: the size of a hand is public, but its cards are not (R0.5)."""
    return bool(state.hands[step[1]])


def _holds_cards_and_value(state: Position, step: Step) -> bool:
    return bool(step[2] and state.hands[step[1]])


def _over_the_limit(state: Position, step: Step) -> bool:
    return len(state.hands[step[1]]) > state.rules.tables.hand_limit


DECISIONS: Final[dict[str, Decision]] = {
    "keep": Decision(rounds.legal_keeps, rounds.choose_keep, _always),
    "gargoyle": Decision(placement.legal_reroll, placement.choose_gargoyle, _always),
    "gain": Decision(upkeep.legal_gains, upkeep.choose_gain, None),
    "place": Decision(placement.legal_places, placement.choose_place, _always),
    "kerberos": Decision(placement.legal_kerberos, upkeep.choose_pay, None),
    "set": Decision(placement.legal_sets, placement.choose_set, _always),
    "imp": Decision(placement.legal_reroll, placement.choose_imp, _always),
    "use": Decision(workplaces.legal_uses, workplaces.choose_use, None),
    "war": Decision(workplaces.legal_war, workplaces.choose_war, None),
    "trade": Decision(workplaces.legal_trades, workplaces.choose_trade, _holds_cards_and_value),
    "bury": Decision(workplaces.legal_burials, workplaces.choose_burial, _holds_cards_and_value),
    "audience": Decision(playing.legal_audience, playing.choose_play, _holds_cards),
    "super_lab": Decision(playing.legal_super_lab, playing.choose_play, _holds_cards),
    "cost": Decision(playing.legal_costs, upkeep.choose_pay, None),
    "build": Decision(village.legal_builds, village.choose_build, None),
    "order": Decision(village.legal_orders, village.choose_order, None),
    "payment": Decision(
        upkeep.legal_payments, upkeep.choose_payment, lambda state, step: upkeep.can_burn(state, step[1])
    ),
    "discard": Decision(upkeep.legal_discards, upkeep.choose_discard, _over_the_limit),
}

AUTOMATIC: Final[dict[str, Automatic]] = {
    "draw": piles.draw,
    "round": rounds.begin_round,
    "income": rounds.next_income,
    "placement": placement.next_to_place,
    "put": placement.put,
    "worship": placement.worship,
    "work": workplaces.next_to_work,
    "played": playing.played,
    "reward": village.reward,
    "dues": upkeep.next_to_pay,
    "limits": upkeep.next_to_discard,
    "close": rounds.close_round,
}

CHANCES: Final[dict[str, Chance]] = {
    "payments": Chance(rounds.sample_payments, rounds.check_payments, rounds.apply_payments),
    "supers": Chance(rounds.sample_supers, rounds.check_supers, rounds.apply_supers),
    "deck": Chance(
        lambda state, rng, step: piles.sample(state, rng, step[1]),
        lambda state, action, step: piles.check(state, action, step[1]),
        lambda state, out, step, action: piles.apply(state, out, action, step[1]),
    ),
    "knowledge": Chance(rounds.sample_knowledge, rounds.check_knowledge, rounds.apply_knowledge),
    "roll": Chance(rounds.sample_roll, rounds.check_roll, rounds.apply_roll),
    "tiles": Chance(rounds.sample_tiles, rounds.check_tiles, rounds.apply_tiles),
    "dice": Chance(rounds.sample_dice, rounds.check_dice, placement.apply_dice),
}

_SHOWN_WHEN_AUTOMATIC: Final = {"gain": board.gain_event, "pay": board.pay_event}


def advance(state: Position, out: list[Event]) -> None:
    """Take the steps of the agenda until a seat or chance has to choose, or the match is over."""
    agenda = state.agenda
    while agenda:
        step = agenda[-1]
        name = step[0]
        automatic = AUTOMATIC.get(name)
        if automatic is not None:
            agenda.pop()
            automatic(state, out, step)
            continue
        decision = DECISIONS.get(name)
        if decision is None:
            if name == "tiles" and not rounds.are_tied(state):
                agenda.pop()
                rounds.untied_tiles(state, out, step)
                continue
            state.to_act, state.legal = CHANCE, ()
            return
        if decision.asked is not None and decision.asked(state, step):
            state.to_act, state.legal = step[1], None
            return
        if name == "discard":
            agenda.pop()  # within the hand limit
            continue
        legal = _legal(state, decision, step)
        if len(legal) > 1:
            state.to_act, state.legal = step[1], legal
            return
        agenda.pop()
        only = legal[0]
        shown = _SHOWN_WHEN_AUTOMATIC.get(only[0])
        if shown is not None and any(only[1:]):
            out.append(shown(step[1], *only[1:]))
        decision.choose(state, out, step, only)
    state.to_act, state.legal = None, ()


def legal(state: Position) -> tuple[Action, ...]:
    """Return the legal actions of the pending decision."""
    step = state.agenda[-1]
    return _legal(state, DECISIONS[step[0]], step)


def _legal(state: Position, decision: Decision, step: Step) -> tuple[Action, ...]:
    found = tuple(decision.legal(state, step))
    may_merge = _MAY_MERGE.get(step[0])
    if may_merge is not None and len(found) > 1 and may_merge(state, step):
        return distinct(state, found)
    return found


def _orders_may_merge(state: Position, step: Step) -> bool:
    return True


def _gains_may_merge(state: Position, step: Step) -> bool:
    agenda = state.agenda
    # The matches of one card fill at most the room of four sides that are rewarded twice.
    if board.total_room(state, step[1]) > 4 * 2 * state.rules.tables.match_resource[1]:
        return False
    return any(later[0] in ("order", "reward") for later in agenda[:-1])


def _trades_may_merge(state: Position, step: Step) -> bool:
    below = state.agenda[-2]
    # A card that is given for a resource takes one more space.
    return bool(below[0] == "gain" and board.total_room(state, step[1]) <= below[2] + 1)


_MAY_MERGE: Final = {"order": _orders_may_merge, "gain": _gains_may_merge, "trade": _trades_may_merge}
"""Whether different choices may lead to equal positions without a chance in between (R0.4).

The rules of workplaces, costs and dice list no equal choices. Other choices become equal if a nearly full stock cuts a
later gain or forces its split: matches of the village that are still to be rewarded, and trades at the super Market.
"""


def distinct(state: Position, found: Sequence[Action]) -> tuple[Action, ...]:
    """Return the actions without those that lead to the same position as an earlier one (R0.4)."""
    kept: list[Action] = []
    results: list[Any] = []
    for action in found:
        clone = state.clone()
        choose(clone, [], action)
        advance(clone, [])
        result = clone.essence()
        if result not in results:
            results.append(result)
            kept.append(action)
    return tuple(kept)


_AT: Final = {
    "war": "war_room",
    "trade": "market",
    "bury": "cemetery",
    "audience": "audience_room",
    "super_lab": "laboratory",
}


def workplace_of(state: Position) -> str | None:
    """Return the workplace that the pending decision is about, or `None`."""
    step = state.agenda[-1]
    name = step[0]
    return WORKPLACES[step[2]] if name == "use" else _AT.get(name)


def choose(state: Position, out: list[Event], action: Action) -> None:
    """Do what an action of the seat to act does at once. `advance` does the rest."""
    if action[0] == "burn":
        upkeep.burn(state, out, state.agenda[-1][1], action)  # type: ignore[arg-type]
        return
    step = state.agenda.pop()
    DECISIONS[step[0]].choose(state, out, step, action)


def check_chance(state: Position, action: Action) -> None:
    """Raise `IllegalAction` unless the pending chance can have this outcome."""
    step = state.agenda[-1]
    CHANCES[step[0]].check(state, action, step)


def apply_chance(state: Position, out: list[Event], action: Action) -> None:
    """Do what an outcome of the pending chance does."""
    step = state.agenda.pop()
    CHANCES[step[0]].apply(state, out, step, action)


def sample_chance(state: Position, rng: Random) -> Action:
    """Return an outcome of the pending chance."""
    step = state.agenda[-1]
    return CHANCES[step[0]].sample(state, rng, step)


def chance_key(state: Position) -> str:
    """Return a name that no other chance of the match has. The same roll or deck has the same name in every match."""
    step = state.agenda[-1]
    name = step[0]
    if name == "deck":
        return f"deck:{step[1]}"
    if name in ("roll", "tiles"):
        return f"{name}:{state.round}"
    if name == "dice":
        return f"imp:{state.turn}:{step[1]}" if step[2] else f"gargoyle:{state.round}:{step[1]}"
    return str(name)
