"""Using the workplaces 1-8 (R6) and their super tiles (R11)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.core import Event
from engine.hell_village import actions, board, piles
from engine.hell_village.agenda import Step
from engine.hell_village.components import (
    AUDIENCE_ROOM,
    CEMETERY,
    FAIRY_MINE,
    HUMAN_REALM,
    KINDS,
    LABORATORY,
    MARKET,
    NO_EXTRA,
    WAR_ROOM,
    Extra,
    Kinds,
    SuperTile,
)
from engine.hell_village.position import Position


def next_to_work(state: Position, out: list[Event], step: Step) -> None:
    """Let the next seat with dice in the next workplace act. In the Audience Room each die acts (R6.1)."""
    _, number, index = step
    workplaces, agenda = state.workplaces, state.agenda
    while number < AUDIENCE_ROOM:
        there = workplaces[number]
        if len(there) > index:
            if state.rules.each_die:
                agenda.append(("work", number, index + 1))
                seat, value = there[index]
                _begin(state, seat, number, (value,))
                return
            # A seat acts once, at its first die.
            owners = list(dict.fromkeys([die[0] for die in there])) if len(there) > 1 else [there[0][0]]
            if len(owners) > index:
                agenda.append(("work", number, index + 1))
                _begin(state, owners[index], number, own_dice(state, owners[index], number))
                return
        number, index = number + 1, 0
    there = workplaces[AUDIENCE_ROOM]
    if len(there) > index:
        seat, value = there[index]
        agenda.append(("work", AUDIENCE_ROOM, index + 1))
        agenda.append(("audience", seat, value))
        return
    agenda.append(("dues", 0))


def own_dice(state: Position, seat: int, number: int) -> tuple[int, ...]:
    """Return the values of the seat's dice in a workplace, in the order of placement."""
    return tuple([value for owner, value in state.workplaces[number] if owner == seat])


def _begin(state: Position, seat: int, number: int, dice: tuple[int, ...]) -> None:
    """Put the seat's decision for these dice in this workplace on the agenda."""
    if number == WAR_ROOM:
        state.agenda.append(("war", seat, tuple(sorted(dice))))
    elif number == MARKET:
        extra = extras(state, seat, MARKET)
        if extra.any:
            state.agenda.append(("gain", seat, extra.any))
        state.agenda.append(("trade", seat, sum(dice), 0))
    elif number == CEMETERY:
        state.agenda.append(("bury", seat, sum(dice)))
    else:
        state.agenda.append(("use", seat, number, sum(dice)))


def tile_at(state: Position, number: int) -> SuperTile | None:
    """Return the super tile on a workplace in this round, or `None` (R11.1)."""
    for round_number, name in zip(state.rules.tables.super_rounds, state.supers, strict=False):
        tile = state.rules.tables.supers[name]
        if tile.workplace == number and round_number <= state.round:
            return tile
    return None


def extras(state: Position, seat: int, number: int) -> Extra:
    """Return what the seat's demons and a super tile add when it uses a workplace (R6.10)."""
    extra = state.powers[seat].extras[number]
    if state.supers:
        tile = tile_at(state, number)
        if tile is not None:
            extra = extra.plus(tile.extra)
    if state.rules.bonus_per_die and not state.rules.each_die and extra is not NO_EXTRA:
        extra = extra.times(len(own_dice(state, seat, number)))
    return extra


# --- workplaces 1-4 and 6; the kind of the workplaces 1-3 is `number - HUMAN_REALM` -----------------------------------


@lru_cache(maxsize=256)
def _uses(count: int) -> tuple[Any, ...]:
    """Return skip, then the uses 1 to `count`."""
    return (actions.SKIP, *[actions.use(value) for value in range(1, count + 1)])


def legal_uses(state: Position, step: Step) -> tuple[Any, ...]:
    """Return skip, then every useful value (R6.4, R6.5, R6.7, R11.3)."""
    _, seat, number, value = step
    if number == FAIRY_MINE:
        return _uses(min(value, board.total_room(state, seat)))
    if number == LABORATORY:
        count = min(value, piles.left_to_draw(state))
        if count == 0 and state.hands[seat] and _lets_play(state):
            count = 1  # nothing to draw, but the super tile lets the seat play a card
        return _uses(count)
    stock = board.stock_of(state, seat)
    count = min(value, state.rules.tables.stock_limit - stock[number - HUMAN_REALM])
    extra = extras(state, seat, number)
    if extra is NO_EXTRA:
        return _uses(count)
    if count == 0:
        return _uses(1 if _is_got(state, seat, extra) else 0)
    return _distinct_uses(state, stock, number, count, extra)


def _is_got(state: Position, seat: int, extra: Extra) -> bool:
    """Return whether the seat would get anything of the extra."""
    room = board.rooms(state, seat)
    if extra.ep or any(kind and free for kind, free in zip(extra.kinds, room, strict=True)):
        return True
    return bool((extra.any and sum(room)) or (extra.draw and piles.left_to_draw(state)))


def _distinct_uses(state: Position, stock: Kinds, number: int, count: int, extra: Extra) -> tuple[Any, ...]:
    """Return the uses without those that lead to the same position as a smaller one (R0.4)."""
    limit = state.rules.tables.stock_limit
    seen = set()
    found: list[Any] = [actions.SKIP]
    for value in range(1, count + 1):
        gained = [0, 0, 0]
        gained[number - HUMAN_REALM] = value
        after = board.plus(stock, (gained[0], gained[1], gained[2]), limit)
        after = board.plus(after, extra.kinds, limit)
        # A shuffle before the free choice is a chance, so the positions differ.
        result = (after, -1) if piles.needs_shuffle(state, extra.draw) else board.after_gain(after, limit, extra.any)
        if result not in seen:
            seen.add(result)
            found.append(actions.use(value))
    return tuple(found)


def _lets_play(state: Position) -> bool:
    tile = tile_at(state, LABORATORY) if state.supers else None
    return tile is not None and tile.play_card


def choose_use(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Gather, dig or draw, and give all extras in the order of R0.8."""
    if action == actions.SKIP:
        return
    _, seat, number, _ = step
    value = action.value
    if number == FAIRY_MINE:
        state.agenda.append(("gain", seat, value))
    elif number == LABORATORY:
        if _lets_play(state):
            state.agenda.append(("super_lab", seat))
        state.agenda.append(("draw", seat, value))
    else:
        extra = extras(state, seat, number)
        kinds = list(extra.kinds)
        kinds[number - HUMAN_REALM] += value
        board.give(state, out, seat, Extra((kinds[0], kinds[1], kinds[2]), extra.ep, extra.draw, extra.any))


# --- War Room (R6.6) -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def war_results(
    table: tuple[tuple[int, int, int], ...], dice: tuple[int, ...], mode: str
) -> tuple[tuple[int, int], ...]:
    """Return all results (each, any) that the dice allow, ascending."""
    found: set[tuple[int, int]] = set()
    if mode in ("either", "sum") or len(dice) == 1:
        found |= _rows(table, sum(dice))
    if mode in ("either", "separate"):
        sums = {(0, 0)}
        for die in dice:
            sums |= {(a + each, b + free) for a, b in sums for each, free in _rows(table, die)}
        found |= sums - {(0, 0)}
    return tuple(sorted(found))


def _rows(table: tuple[tuple[int, int, int], ...], value: int) -> set[tuple[int, int]]:
    """Return the results of one value. It may be used as any lower value (R6.3)."""
    return {(each, free) for start, each, free in table if start <= value}


def legal_war(state: Position, step: Step) -> tuple[Any, ...]:
    """Return skip, then the results that lead to different positions (R0.4)."""
    _, seat, dice = step
    tables = state.rules.tables
    limit = tables.stock_limit
    stock = board.stock_of(state, seat)
    seen = {(stock, 0)}
    found: list[Any] = [actions.SKIP]
    for each, free in war_results(tables.war_room, dice, state.rules.war_room_dice):
        result = board.after_gain(board.plus(stock, (each, each, each), limit), limit, free)
        if result not in seen:
            seen.add(result)
            found.append(actions.use_war_room(each, free))
    return tuple(found)


def choose_war(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Apply the chosen result of the war; `SKIP` takes nothing."""
    if action == actions.SKIP:
        return
    _, each, free = action
    board.give(state, out, step[1], Extra((each, each, each), any=free))


# --- Market (R6.8) ---------------------------------------------------------------------------------------------------


def legal_trades(state: Position, step: Step) -> list[Any]:
    """Return done, then all trades, sorted by what is given and what is taken."""
    _, seat, left, owed = step
    found: list[Any] = [actions.DONE]
    if not left:
        return found
    room = board.rooms(state, seat)
    stock = board.stock_of(state, seat)
    available = piles.left_to_draw(state) - owed
    for given in range(3):
        if stock[given]:
            name = KINDS[given]
            found += [actions.trade(name, KINDS[kind]) for kind in range(3) if kind != given and room[kind]]
            if available > 0:
                found.append(actions.trade(name, "card"))
    cards = state.rules.tables.cards
    for number in piles.designs(state, seat):
        name = cards[number].id
        found += [actions.trade(name, KINDS[kind]) for kind in range(3) if room[kind]]
        if available + 1 > 0:
            found.append(actions.trade(name, "card"))
    return found


def choose_trade(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Make one trade. Cards are drawn after the last trade, or at once under the option `market`."""
    _, seat, left, owed = step
    if action == actions.DONE:
        if owed:
            state.agenda.append(("draw", seat, owed))
        return
    _, give, take = action
    at = 3 * seat
    if give in KINDS:
        state.stock[at + KINDS.index(give)] -= 1
    else:
        piles.discard(state, seat, give)
    if take != "card":
        state.stock[at + KINDS.index(take)] += 1
        state.agenda.append(("trade", seat, left - 1, owed))
    elif state.rules.market_sequential:
        state.agenda.append(("trade", seat, left - 1, owed))
        state.agenda.append(("draw", seat, 1))
    else:
        state.agenda.append(("trade", seat, left - 1, owed + 1))


# --- Cemetery (R6.9) -------------------------------------------------------------------------------------------------


def legal_burials(state: Position, step: Step) -> list[Any]:
    """Return done, then each design in hand."""
    _, seat, left = step
    cards = state.rules.tables.cards
    return [actions.DONE, *([cards[number].bury for number in piles.designs(state, seat)] if left else [])]


def choose_burial(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Bury one card for EP. The decision is repeated while cards and value are left."""
    if action == actions.DONE:
        return
    _, seat, left = step
    piles.discard(state, seat, action.card)
    board.score(state, out, seat, state.rules.tables.cemetery_ep)
    state.agenda.append(("bury", seat, left - 1))
