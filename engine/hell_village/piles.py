"""The pile, the discard pile and the hands: drawing, shuffling, and what everybody knows of hidden cards (R12)."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.core import Event, IllegalAction, shown
from engine.hell_village.actions import Deck
from engine.hell_village.agenda import DEAL, FIRST_PILE, Step
from engine.hell_village.position import Position, Unsure


def draw(state: Position, out: list[Event], step: Step) -> None:
    """Draw cards. If the pile is empty, even in the middle of a draw, shuffle the discard pile first (R0.9).

    Under the option `reshuffle` a draw that empties the pile shuffles the discard pile at once.
    """
    _, seat, count = step
    pile, top = state.pile, state.top
    drawn = pile[top : top + count]
    if drawn:
        state.top = top + len(drawn)
        state.hands[seat] = tuple(sorted(state.hands[seat] + drawn))
        cards = state.rules.tables.cards
        private = {seat: {"cards": [cards[number].id for number in drawn]}}
        out.append(Event("draw", {"seat": seat, "count": len(drawn)}, private))
    left = count - len(drawn)
    if left and state.discard:
        state.agenda.append(("draw", seat, left))
    if state.discard and (left or (state.rules.reshuffle_when_empty and state.top == len(pile))):
        state.agenda.append(("deck", state.pile_number + 1))


def left_to_draw(state: Position) -> int:
    """Return the number of cards in the pile and the discard pile."""
    return len(state.pile) - state.top + len(state.discard)


def needs_shuffle(state: Position, count: int) -> bool:
    """Return whether a draw of `count` cards brings a shuffle (R0.9)."""
    left = len(state.pile) - state.top
    return bool(state.discard and (count > left or (state.rules.reshuffle_when_empty and count == left > 0)))


def copy_in_hand(state: Position, seat: int, card: str) -> int:
    """Return the copy of the design in the seat's hand that has the lowest pile number (R0.2)."""
    hand = state.hands[seat]
    held = [number for number in state.rules.tables.numbers_of[card] if number in hand]
    if not held:
        raise LookupError(f"seat {seat} does not hold {card}")
    return min(held, key=state.numbers.__getitem__)


def leave_hand(state: Position, seat: int, card: str) -> int:
    """Take a copy out of the hand, for all to see, and return its number (R0.2). Keep what all learn (R12.3, R12.4)."""
    number = copy_in_hand(state, seat, card)
    pile = state.numbers[number]
    counts = _counts(state, seat)
    possible = sorted(_hidden_piles(state, card) & counts.keys())
    if len(possible) > 1:
        most = tuple((other, counts[other]) for other in possible)
        state.unsure[seat] = (*state.unsure[seat], Unsure(card, most, pile))
    else:
        if pile == 1:
            state.shown[seat] = (*state.shown[seat], card)
        if state.unsure[seat]:
            state.unsure[seat] = tuple([_after(entry, card, pile, counts[pile] - 1) for entry in state.unsure[seat]])
    hand = state.hands[seat]
    at = hand.index(number)
    state.hands[seat] = hand[:at] + hand[at + 1 :]
    return number


def _hidden_piles(state: Position, card: str) -> set[int]:
    """Return the pile numbers that a copy in a hand or in the pile may have, as all know."""
    numbers = state.rules.tables.numbers_of[card]
    if len(numbers) == 1:
        return {state.numbers[numbers[0]]}
    hidden = {*state.pile[state.top :], *(held for hand in state.hands for held in hand)}
    found = {state.numbers[number] for number in numbers if number in hidden}
    return found | {entry.pile for entries in state.unsure for entry in entries if entry.card == card}


def _after(entry: Unsure, card: str, pile: int, left: int) -> Unsure:
    """Return what is known of an unsure card after its seat has shown a card that certainly had this pile number.

    At most `left` unsure cards of the seat had the number. A copy of the same card that was in the hand all the time
    would have been shown first if its number were the lower one (R0.2).
    """
    most = [(other, min(count, left) if other == pile else count) for other, count in entry.most]
    return entry._replace(
        most=tuple([(other, count) for other, count in most if count and (entry.card != card or other <= pile)])
    )


def discard(state: Position, seat: int, card: str) -> None:
    """Move a card from the hand to the discard pile."""
    number = leave_hand(state, seat, card)
    state.discard = (*state.discard, number)


def designs(state: Position, seat: int) -> list[int]:
    """Return one card number for each design in the seat's hand, ascending."""
    cards = state.rules.tables.cards
    found = []
    last = ""
    for number in state.hands[seat]:
        design = cards[number].id
        if design != last:  # copies are adjacent
            last = design
            found.append(number)
    return found


def pool(state: Position, number: int) -> list[int]:
    """Return the cards that the pending `deck` chance shuffles."""
    if number == DEAL:
        return list(range(len(state.rules.tables.cards)))
    if number == FIRST_PILE:
        kept = {card for hand in state.hands for card in hand}
        return [card for card in range(len(state.rules.tables.cards)) if card not in kept]
    return sorted(state.discard)


def sample(state: Position, rng: Random, number: int) -> Deck:
    """Return a uniformly random order."""
    cards = pool(state, number)
    rng.shuffle(cards)
    return Deck("deck", tuple(cards))


def check(state: Position, action: tuple[Any, ...], number: int) -> None:
    """Raise `IllegalAction` unless the action is an order of exactly these cards."""
    if type(action) is not Deck or sorted(action.order) != pool(state, number):
        raise IllegalAction(f"expected an order of the cards of pile {number}, got {shown(action, 200)}")


def apply(state: Position, out: list[Event], action: Deck, number: int) -> None:
    """Make the pile. At the deal, also deal cards to the seats (R2.4)."""
    order = tuple(action.order)
    out.append(Event("deck", {"count": len(order)}))
    if number == DEAL:
        tables = state.rules.tables
        count = tables.cards_dealt
        for seat in range(state.seats):
            dealt = tuple(sorted(order[seat * count : (seat + 1) * count]))
            state.dealt[seat] = dealt
            private = {seat: {"cards": [tables.cards[card].id for card in dealt]}}
            out.append(Event("deal", {"seat": seat}, private))
        state.pile = order[state.seats * count :]
        return
    state.pile, state.top = order, 0
    state.pile_number = number
    if number > FIRST_PILE:
        numbers = bytearray(state.numbers)
        for card in order:
            numbers[card] = number
        state.numbers = bytes(numbers)
        state.discard = ()


def counts_by_pile(state: Position, seat: int) -> dict[str, int]:
    """Return how many cards of each pile number the seat holds or has shown as unsure. This is public (R12.3)."""
    counts = _counts(state, seat)
    return {str(number): counts[number] for number in sorted(counts)}


def _counts(state: Position, seat: int) -> dict[int, int]:
    counts: dict[int, int] = {}
    for card in state.hands[seat]:
        number = state.numbers[card]
        counts[number] = counts.get(number, 0) + 1
    for entry in state.unsure[seat]:
        counts[entry.pile] = counts.get(entry.pile, 0) + 1
    return counts


def recycled(state: Position) -> dict[str, list[str]]:
    """Return the reshuffled cards in the pile, in a hand, or shown as unsure, by pile number, as all know (R12.3)."""
    if state.pile_number < 2:
        return {}
    tables = state.rules.tables
    hidden = [*state.pile[state.top :], *(card for hand in state.hands for card in hand)]
    found = [(state.numbers[card], tables.numbers_of[tables.cards[card].id][0]) for card in hidden]
    found += [(entry.pile, tables.numbers_of[entry.card][0]) for entries in state.unsure for entry in entries]
    by_pile: dict[str, list[str]] = {}
    for pile, card in sorted(found):
        if pile > 1:
            by_pile.setdefault(str(pile), []).append(tables.cards[card].id)
    return by_pile
