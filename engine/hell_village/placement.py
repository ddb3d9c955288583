"""Placing dice: values, kicks, immediate effects (R5), and rolling dice again (R3.3, R5.6)."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from engine.core import Event
from engine.hell_village import actions, board, upkeep
from engine.hell_village.agenda import Step
from engine.hell_village.components import EVIL_WORSHIP, WORKPLACES
from engine.hell_village.position import Position

WARLOCK: Final = "warlock"
FACES: Final = range(1, 7)

_PLAIN: Final = tuple(tuple(actions.place(die, at, die) for at in WORKPLACES) for die in range(7))
"""The action of placing a die with its own value on a free space, by die and workplace."""
_ON_WARLOCK: Final = tuple(actions.place(die, WARLOCK, die) for die in range(7))
_NUMBER: Final = {at: number for number, at in enumerate(WORKPLACES)}
_SETS: Final = tuple(tuple(actions.set_die(die, face) for face in FACES if face != die) for die in range(7))


def next_to_place(state: Position, out: list[Event], step: Step) -> None:
    """Let the next seat in tile order with dice in hand place one. End the phase if no seat has a die (R5.1)."""
    start = step[1]
    seats, order, dice = state.seats, state.order, state.dice
    for ahead in range(seats):
        seat = order[(start + ahead) % seats]
        if dice[seat]:
            state.agenda.append(("placement", (start + ahead + 1) % seats))
            state.agenda.append(("place", seat))
            return
    state.phase = "workplaces"
    state.agenda.append(("work", 1, 0))


def legal_places(state: Position, step: Step) -> list[actions.Place | actions.Burn]:
    """Return for each distinct die every workplace, value and kick, then the Warlock. Burns are last."""
    seat = step[1]
    powers = state.powers[seat]
    free, targets, highest = _targets(state, seat)
    on_warlock = takes_worker(state, seat)
    found: list[Any] = []
    add = found.append
    last = 0
    for die in state.dice[seat]:
        if die == last:
            continue
        last = die
        if not powers.plain:
            _changed_places(state, seat, die, targets, found)
        elif die >= highest:  # nothing can be kicked, so the list is one of a few that are cached
            found += _free_places(die, free)
        else:
            plain = _PLAIN[die]
            for number, kickable in targets:
                if kickable is None:
                    add(plain[number])
                else:
                    for index, value in kickable:
                        if value > die:
                            add(actions.place(die, WORKPLACES[number], die, index))
        if on_warlock:
            add(_ON_WARLOCK[die])
    if powers.burns:
        found += upkeep.burns(state, seat)
    return found


@cache
def _free_places(die: int, free: int) -> tuple[actions.Place, ...]:
    """Return the actions of placing the die with its own value at each workplace whose bit is set."""
    return tuple(action for number, action in enumerate(_PLAIN[die]) if free >> number & 1)


def _targets(state: Position, seat: int) -> tuple[int, list[tuple[int, list[tuple[int, int]] | None]], int]:
    """Return three things: the workplaces with a free space as bits, every workplace that may be chosen, and a value.

    A workplace that may be chosen has `None` for a free space, or else (index, value) of the dice that may be kicked.
    The value is the highest of these dice.
    """
    rules = state.rules
    spaces, kick_own, workplaces = rules.spaces, rules.kick_own, state.workplaces
    targets: list[tuple[int, list[tuple[int, int]] | None]] = []
    free = highest = 0
    for number in rules.open_workplaces:
        there = workplaces[number]
        if len(there) < spaces[number]:
            targets.append((number, None))
            free |= 1 << number
            continue
        kickable = []
        last = None
        for index, die in enumerate(there):
            owner, value = die
            # Two equal dice side by side lead to the same position: only the first is offered (R0.4).
            if value > 1 and (kick_own or owner != seat) and die != last:
                kickable.append((index, value))
                if value > highest:
                    highest = value
            last = die
        if kickable:
            targets.append((number, kickable))
    return free, targets, highest


def _changed_places(
    state: Position, seat: int, die: int, targets: list[tuple[int, list[tuple[int, int]] | None]], found: list[Any]
) -> None:
    """Add the placements of a die for a seat whose demons change die values (R5.7, R5.8)."""
    values = state.powers[seat].values
    at = 3 * seat
    stock = sum(state.stock[at : at + 3])
    for number, kickable in targets:
        for value, cost in values[number][die]:
            if cost > stock:
                continue
            if kickable is None:
                found.append(actions.place(die, WORKPLACES[number], value))
            else:
                found += [
                    actions.place(die, WORKPLACES[number], value, index) for index, other in kickable if other > value
                ]


def takes_worker(state: Position, seat: int) -> bool:
    """Return whether the seat may place a die on its Warlock now (R5.10)."""
    powers = state.powers[seat]
    return bool(powers.worker_gain) and (state.rules.warlock_any or len(state.warlock[seat]) < powers.worker_limit)


def choose_place(state: Position, out: list[Event], step: Step, action: actions.Place) -> None:
    """Place the die. If its value costs resources, they are paid before (R5.8)."""
    seat = step[1]
    _, die, at, value, kick = action
    if at == WARLOCK:
        _take_from_hand(state, seat, die)
        state.warlock[seat] = (*state.warlock[seat], die)
        state.agenda.append(("gain", seat, state.powers[seat].worker_gain))
        return
    number = _NUMBER[at]
    powers = state.powers[seat]
    cost = 0 if powers.plain else dict(powers.values[number][die])[value]
    if cost:
        state.agenda.append(("put", seat, die, number, value, kick))
        state.agenda.append(("kerberos", seat, cost))
    else:
        put(state, out, ("put", seat, die, number, value, kick))


def put(state: Position, out: list[Event], step: Step) -> None:
    """Move the die from the hand to the end of the workplace's line. Return a kicked die to its owner (R5.2-R5.6)."""
    _, seat, die, number, value, kick = step
    _take_from_hand(state, seat, die)
    there = state.workplaces[number]
    if kick is None:
        state.workplaces[number] = (*there, (seat, value))
        if number == EVIL_WORSHIP:
            _worship(state, seat)
        return
    owner, old = there[kick]
    state.workplaces[number] = (*there[:kick], *there[kick + 1 :], (seat, value))
    lowered = max(1, old - state.rules.tables.kick_lowers_by)
    _add_to_hand(state, owner, lowered)
    out.append(Event("return", {"seat": owner, "die": lowered}))
    powers = state.powers[owner]
    board.score(state, out, owner, powers.kicked_ep)
    if powers.kicked_reroll:
        state.agenda.append(("imp", owner, lowered))


def _take_from_hand(state: Position, seat: int, die: int) -> None:
    dice = state.dice[seat]
    at = dice.index(die)
    state.dice[seat] = dice[:at] + dice[at + 1 :]


def _add_to_hand(state: Position, seat: int, die: int) -> None:
    state.dice[seat] = tuple(sorted((*state.dice[seat], die)))


def _worship(state: Position, seat: int) -> None:
    """Add the immediate effects of Evil Worship: setting dice, then EP and a resource (R5.9)."""
    state.agenda.append(("worship", seat))
    most = state.powers[seat].dice_set
    dice: tuple[Any, ...] = state.dice[seat]
    if state.rules.dullahan_any and most > state.rules.tables.worship_dice:
        dice = tuple([(owner, die) for owner, hand in enumerate(state.dice) for die in hand])
    if dice and most:
        state.agenda.append(("set", seat, most, dice))


def worship(state: Position, out: list[Event], step: Step) -> None:
    """Give what Evil Worship gives after the dice are set."""
    board.give(state, out, step[1], state.rules.tables.worship)


def legal_sets(state: Position, step: Step) -> list[Any]:
    """Return stand, then each distinct die that may be set with each other face."""
    found: list[Any] = [actions.STAND]
    for die in sorted(set(step[3])):
        if isinstance(die, tuple):
            found += [actions.set_die(die[1], face, die[0]) for face in FACES if face != die[1]]
        else:
            found += _SETS[die]
    return found


def choose_set(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Set the die. With Dullahan the seat may set another die, but never the same die twice."""
    if action is actions.STAND or action == actions.STAND:
        return
    _, seat, left, unset = step
    _, die, face, owner = action
    _take_from_hand(state, seat if owner is None else owner, die)
    _add_to_hand(state, seat if owner is None else owner, face)
    at = unset.index(die if owner is None else (owner, die))
    unset = unset[:at] + unset[at + 1 :]
    if left > 1 and unset:
        state.agenda.append(("set", seat, left - 1, unset))


def legal_kerberos(state: Position, step: Step) -> tuple[actions.Pay, ...]:
    """Return all ways to pay for the value (R5.8)."""
    _, seat, count = step
    a, b, c = state.stock[3 * seat : 3 * seat + 3]
    return board.pay_splits(count, min(a, count), min(b, count), min(c, count))


def legal_reroll(state: Position, step: Step) -> tuple[Any, ...]:
    """Return the two choices: let the dice stand, or roll again."""
    return (actions.STAND, actions.REROLL)


def choose_gargoyle(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Roll all dice of the seat again if Gold Gargoyle was used (R3.3)."""
    if action == actions.REROLL:
        state.agenda.append(("dice", step[1], 0))


def choose_imp(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Roll the returned die again if Imp was used (R5.6)."""
    if action == actions.REROLL:
        state.agenda.append(("dice", step[1], step[2]))


def apply_dice(state: Position, out: list[Event], step: Step, action: actions.Dice) -> None:
    """Set the new faces of all dice, or replace the lowered value of the returned die (R5.6)."""
    _, seat, returned = step
    out.append(Event("dice", {"seat": seat, "faces": list(action.faces)}))
    if not returned:
        state.dice[seat] = action.faces
        return
    face = action.faces[0]
    if state.rules.imp_minus_one:
        face = max(1, face - 1)
    _take_from_hand(state, seat, returned)
    _add_to_hand(state, seat, face)
