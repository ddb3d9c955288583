"""The setup and the course of a round: deals, rolls, tile order, income, the end (R2, R3, R4, R9.2, R10)."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

from engine.core import Event, IllegalAction, shown
from engine.hell_village import actions, scoring
from engine.hell_village.actions import Dice, KnowledgeDeck, Payments, Roll, Supers, Tiles
from engine.hell_village.agenda import Step
from engine.hell_village.position import Position

# --- setup (R2) ------------------------------------------------------------------------------------------------------


def drawn_payments(state: Position) -> tuple[int, ...]:
    """Return how many of the drawn payment cards each round after the first one gets."""
    return state.rules.tables.payments_by_round[1:]


def sample_payments(state: Position, rng: Random, step: Step) -> Payments:
    """Draw the payment cards of all rounds but the first, uniformly (R2.2)."""
    tables = state.rules.tables
    names = [name for name in tables.payments if name != tables.first_payment]
    drawn = rng.sample(names, sum(drawn_payments(state)))
    return Payments("payments", tuple(name for group in _by_round(state, drawn) for name in group))


def _by_round(state: Position, drawn: list[str]) -> list[tuple[str, ...]]:
    """Divide the cards into rounds. Several cards of one round are in table order."""
    groups = []
    at = 0
    for count in drawn_payments(state):
        groups.append(tuple(sorted(drawn[at : at + count], key=state.rules.tables.payment_index.__getitem__)))
        at += count
    return groups


def check_payments(state: Position, action: Any, step: Step) -> None:
    """Raise `IllegalAction` unless chance could have drawn these."""
    tables = state.rules.tables
    good = type(action) is Payments and len(set(action.cards)) == len(action.cards) == sum(drawn_payments(state))
    good = good and all(name in tables.payments and name != tables.first_payment for name in action.cards)
    if not good or tuple(name for group in _by_round(state, list(action.cards)) for name in group) != action.cards:
        raise IllegalAction(f"expected the payment cards of the later rounds, got {shown(action, 200)}")


def apply_payments(state: Position, out: list[Event], step: Step, action: Payments) -> None:
    """Lay out the payment cards and turn up round 2 (R2.2)."""
    state.payments = ((state.rules.tables.first_payment,), *_by_round(state, list(action.cards)))
    out.append(Event("payments"))
    if len(state.payments) > 1:  # another table may have a single round
        _reveal(state, out, 2)


def _reveal(state: Position, out: list[Event], number: int) -> None:
    state.face_up = number
    out.append(Event("reveal", {"round": number, "cards": list(state.payments[number - 1])}))


def sample_supers(state: Position, rng: Random, step: Step) -> Supers:
    """Draw the super tiles in their order (R2.3)."""
    tables = state.rules.tables
    return Supers("supers", tuple(rng.sample(list(tables.supers), len(tables.super_rounds))))


def check_supers(state: Position, action: Any, step: Step) -> None:
    """Raise `IllegalAction` unless chance could have drawn these."""
    tables = state.rules.tables
    good = type(action) is Supers and len(set(action.tiles)) == len(action.tiles) == len(tables.super_rounds)
    if not good or not set(action.tiles) <= tables.supers.keys():
        raise IllegalAction(f"expected {len(tables.super_rounds)} different super workplaces, got {shown(action, 200)}")


def apply_supers(state: Position, out: list[Event], step: Step, action: Supers) -> None:
    """Lay out the tiles, open to all."""
    state.supers = action.tiles
    out.append(Event("supers", {"tiles": list(action.tiles)}))


def sample_knowledge(state: Position, rng: Random, step: Step) -> KnowledgeDeck:
    """Return any order of all knowledge cards (R2.5)."""
    names = list(state.rules.tables.knowledge)
    rng.shuffle(names)
    return KnowledgeDeck("knowledge", tuple(names))


def check_knowledge(state: Position, action: Any, step: Step) -> None:
    """Raise `IllegalAction` unless the action orders all knowledge cards."""
    if type(action) is not KnowledgeDeck or sorted(action.order) != sorted(state.rules.tables.knowledge):
        raise IllegalAction(f"expected an order of all knowledge cards, got {shown(action, 200)}")


def apply_knowledge(state: Position, out: list[Event], step: Step, action: KnowledgeDeck) -> None:
    """Deal the knowledge cards. The rest leaves the game unseen (R2.5)."""
    tables = state.rules.tables
    count = tables.knowledge_dealt
    out.append(Event("knowledge"))
    for seat in range(state.seats):
        dealt = sorted(action.order[seat * count : (seat + 1) * count], key=tables.knowledge_index.__getitem__)
        state.knowledge_dealt[seat] = tuple(dealt)
        out.append(Event("deal", {"seat": seat}, {seat: {"knowledge": list(dealt)}}))


def legal_keeps(state: Position, step: Step) -> list[Any]:
    """Return all pairs of the dealt designs, each with each knowledge card (R2.6)."""
    seat = step[1]
    tables = state.rules.tables
    dealt = [tables.cards[number].id for number in state.dealt[seat]]
    pairs = dict.fromkeys(combinations(dealt, tables.cards_kept))
    return [actions.keep(pair, name) for pair in pairs for name in state.knowledge_dealt[seat]]


def choose_keep(state: Position, out: list[Event], step: Step, action: actions.Keep) -> None:
    """Keep these cards. The others go back when all seats have chosen (R2.6, R2.7)."""
    seat = step[1]
    cards = state.rules.tables.cards
    rest = list(state.dealt[seat])
    kept = []
    for name in action.cards:
        number = next(number for number in rest if cards[number].id == name)
        rest.remove(number)
        kept.append(number)
    state.hands[seat] = tuple(sorted(kept))
    state.returned[seat] = tuple(rest)
    state.knowledge[seat] = action.knowledge


# --- a round (R3, R4) ------------------------------------------------------------------------------------------------


def begin_round(state: Position, out: list[Event], step: Step) -> None:
    """Begin the next round. Its super tile is laid first (R11.1)."""
    state.round = step[1]
    state.phase = "roll"
    tables = state.rules.tables
    fields: dict[str, Any] = {"round": state.round}
    if state.supers and state.round in tables.super_rounds:
        fields["super"] = state.supers[tables.super_rounds.index(state.round)]
    out.append(Event("round", fields))
    state.agenda.append(("roll",))


def sample_roll(state: Position, rng: Random, step: Step) -> Roll:
    """Roll fair dice for every seat."""
    count = state.rules.tables.dice_per_seat
    return Roll("roll", tuple([tuple(sorted([rng.randint(1, 6) for _ in range(count)])) for _ in range(state.seats)]))


def check_roll(state: Position, action: Any, step: Step) -> None:
    """Raise `IllegalAction` unless the action shows ascending faces of all dice."""
    count = state.rules.tables.dice_per_seat
    if (
        type(action) is not Roll
        or len(action.dice) != state.seats
        or any(len(faces) != count or not _are_faces(faces) for faces in action.dice)
    ):
        raise IllegalAction(
            f"expected {count} ascending faces for each of {state.seats} seats, got {shown(action, 200)}"
        )


def _are_faces(faces: tuple[int, ...]) -> bool:
    return all(type(face) is int and 1 <= face <= 6 for face in faces) and list(faces) == sorted(faces)


def apply_roll(state: Position, out: list[Event], step: Step, action: Roll) -> None:
    """Show the dice. Gold Gargoyle may roll again before the seats get their tiles (R3.2, R3.3)."""
    state.dice = list(action.dice)
    out.append(Event("roll", {"dice": [list(faces) for faces in action.dice]}))
    state.agenda.append(("tiles",))
    for seat in reversed(range(state.seats)):
        if state.powers[seat].reroll_all:
            state.agenda.append(("gargoyle", seat))


def sample_dice(state: Position, rng: Random, step: Step) -> Dice:
    """Roll all dice of a seat again, or one of them."""
    count = 1 if step[2] else len(state.dice[step[1]])
    return Dice("dice", step[1], tuple(sorted(rng.randint(1, 6) for _ in range(count))))


def check_dice(state: Position, action: Any, step: Step) -> None:
    """Raise `IllegalAction` unless the action shows ascending faces of the dice that are rolled."""
    count = 1 if step[2] else len(state.dice[step[1]])
    if type(action) is not Dice or action.seat != step[1] or len(action.faces) != count or not _are_faces(action.faces):
        raise IllegalAction(f"expected {count} ascending faces for seat {step[1]}, got {shown(action, 200)}")


def are_tied(state: Position) -> bool:
    """Return whether two seats rolled the same sum (R3.4)."""
    return len({sum(faces) for faces in state.dice}) < state.seats


def sample_tiles(state: Position, rng: Random, step: Step) -> Tiles:
    """Return the seats, higher sums first, ties in random order."""
    order = list(range(state.seats))
    rng.shuffle(order)
    return Tiles("tiles", tuple(sorted(order, key=lambda seat: -sum(state.dice[seat]))))


def check_tiles(state: Position, action: Any, step: Step) -> None:
    """Raise `IllegalAction` unless the sums never rise along the order."""
    good = type(action) is Tiles and sorted(action.order) == list(range(state.seats))
    sums = [sum(state.dice[seat]) for seat in action.order] if good else []
    if not good or sums != sorted(sums, reverse=True):
        raise IllegalAction(f"expected the seats with sums that never rise, got {shown(action, 200)}")


def apply_tiles(state: Position, out: list[Event], step: Step, action: Tiles) -> None:
    """Set the tile order of this round, and continue with the income."""
    state.order = list(action.order)
    out.append(Event("tiles", {"order": list(action.order)}))
    state.phase = "income"
    state.agenda.append(("income", 0))


def untied_tiles(state: Position, out: list[Event], step: Step) -> None:
    """Set the tile order without a chance, since the sums differ."""
    order = sorted(range(state.seats), key=lambda seat: -sum(state.dice[seat]))
    apply_tiles(state, out, step, Tiles("tiles", tuple(order)))


def next_income(state: Position, out: list[Event], step: Step) -> None:
    """Let the next seat in tile order draw cards, then gain resources (R4.1)."""
    index = step[1]
    if index == state.seats:
        state.phase = "placement"
        state.agenda.append(("placement", 0))
        return
    state.agenda.append(("income", index + 1))
    seat = state.order[index]
    cards, resources = state.rules.tables.tiles[index]
    cards += state.income[2 * seat]
    resources += state.income[2 * seat + 1]
    if resources:
        state.agenda.append(("gain", seat, resources))
    if cards:
        state.agenda.append(("draw", seat, cards))


def close_round(state: Position, out: list[Event], step: Step) -> None:
    """Return the dice, remove the payment cards, and turn up those of the round after next; or end the match."""
    seats, number = state.seats, state.round
    tables = state.rules.tables
    state.dice, state.warlock = [()] * seats, [()] * seats
    state.workplaces = [()] * len(state.workplaces)
    state.payments_gone = (*state.payments_gone, *state.payments[number - 1])
    state.payments = (*state.payments[: number - 1], (), *state.payments[number:])
    if number == tables.rounds:
        state.phase = "over"
        state.to_act = None
        fields = {"knowledge": list(state.knowledge), "scores": [int(points) for points in scoring.scores(state)]}
        out.append(Event("end", fields))
        return
    if number + 2 <= tables.rounds:
        _reveal(state, out, number + 2)
    state.agenda.append(("round", number + 1))


def payment_groups(state: Position) -> list[list[str | None]]:
    """Return the payment cards by round as all see them: `None` is face down, a round that is over has none (R9.2)."""
    tables = state.rules.tables
    if not state.payments:
        hidden: list[list[str | None]] = [[None] * count for count in drawn_payments(state)]
        return [[tables.first_payment], *hidden]
    return [
        list(names) if number <= state.face_up else [None] * len(names)
        for number, names in enumerate(state.payments, 1)
    ]
