"""Helpers for tests that set up, play and read positions of Hell Village."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.core import CHANCE, Action, Event, Scalar
from engine.hell_village import GAME, flow
from engine.hell_village.actions import Deck, Dice, KnowledgeDeck, Payments, Roll, Tiles
from engine.hell_village.components import WORKPLACES
from engine.hell_village.demons import powers_of
from engine.hell_village.ruleset import make_ruleset
from engine.hell_village.state import HellState

TABLES = GAME.tables
E1_PAYMENTS = (
    "tithe_of_souls", "tax_collector", "border_patrol", "cult_uprising", "lean_season", "common_levy", "angelic_raid",
)  # fmt: skip
STARTS: dict[str, list[tuple[Any, ...]]] = {
    "roll": [("roll",)],
    "income": [("income", 0)],
    "placement": [("placement", 0)],
    "workplaces": [("work", 1, 0)],
    "payment": [("dues", 0)],
    "limits": [("limits", 0)],
    "close": [("close",)],
}
"""What is next in a position that starts at this point of a round."""

BySeat = Mapping[int, Any]


class _Taken:
    """Gives out card numbers by name, lowest copy first, each once."""

    def __init__(self) -> None:
        self.used: set[int] = set()

    def __call__(self, names: str) -> tuple[int, ...]:
        found = []
        for name in names.split():
            number = next(n for n in TABLES.numbers_of[name] if n not in self.used)
            self.used.add(number)
            found.append(number)
        return tuple(found)


def position(
    at: str | Sequence[tuple[Any, ...]],
    seats: int = 3,
    *,
    dice: BySeat | None = None,
    places: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    stock: BySeat | None = None,
    income: BySeat | None = None,
    ep: BySeat | None = None,
    hands: BySeat | None = None,
    demons: BySeat | None = None,
    plans: BySeat | None = None,
    village: Sequence[tuple[str, int, int, int]] = (),
    order: Sequence[int] | None = None,
    pile: str | None = None,
    discard: str = "",
    round_number: int = 3,
    payments: Sequence[str] = E1_PAYMENTS,
    supers: Sequence[str] = (),
    knowledge: BySeat | None = None,
    options: Mapping[str, Scalar] | None = None,
) -> HellState:
    """A position of the worked examples: round 3, stocks 4/4/4, hands empty, start land alone, all else as said.

    `at` says where in the round it starts (or which steps are next, the last one first). Cards are named; `pile` is
    the whole pile, top first; without it all cards not named elsewhere are in it by number.
    """
    state = HellState(GAME, make_ruleset(TABLES, seats, GAME.complete_options(options)))
    take = _Taken()
    state.round, state.phase = round_number, at if isinstance(at, str) else "workplaces"
    for seat in range(seats):
        state.stock[3 * seat : 3 * seat + 3] = (stock or {}).get(seat, (4, 4, 4))
        state.income[2 * seat : 2 * seat + 2] = (income or {}).get(seat, (0, 0))
        state.ep[seat] = (ep or {}).get(seat, 0)
        state.dice[seat] = tuple((dice or {}).get(seat, ()))
        state.hands[seat] = tuple(sorted(take((hands or {}).get(seat, ""))))
        state.demons[seat] = take((demons or {}).get(seat, ""))
        state.plans[seat] = take((plans or {}).get(seat, ""))
        state.powers[seat] = powers_of(TABLES, state.demons[seat])
    for card, owner, x, y in village:
        (number,) = take(card)
        state.village[x, y] = (number, owner, False)
        state.industries[owner] = (*state.industries[owner], number)
    for name, there in (places or {}).items():
        state.workplaces[WORKPLACES.index(name)] = tuple(there)
    state.discard = take(discard)
    state.pile = take(pile) if pile is not None else tuple(n for n in range(len(TABLES.cards)) if n not in take.used)
    state.pile_number = 1
    names = list(TABLES.knowledge)
    for seat in range(seats):
        kept = (knowledge or {}).get(seat)
        if kept:
            names.remove(kept)
    for seat in range(seats):
        state.knowledge[seat] = (knowledge or {}).get(seat) or names.pop()
        state.knowledge_dealt[seat] = (state.knowledge[seat] or "", names.pop())
    groups = [("peaceful_day",), *[(name,) for name in payments[:5]], tuple(payments[5:])]
    state.payments = tuple(() if number < round_number else group for number, group in enumerate(groups, 1))
    state.face_up = min(7, round_number + 1)
    state.supers = tuple(supers)
    if order:
        state.order = list(order)
    state.agenda = list(STARTS[at] if isinstance(at, str) else at)
    flow.advance(state, [])
    return state


def written(action: Action) -> str:
    """An action in a few letters, e.g. `2@market=3x0`: place a 2 there as a 3, kicking die 0."""
    kind, *rest = action
    if kind == "place":
        die, at, value, kick = rest
        return f"{die}@{at}" + (f"={value}" if value != die else "") + ("" if kick is None else f"x{kick}")
    if kind in ("gain", "pay"):
        return f"{kind} {'/'.join(map(str, rest))}"
    if kind == "use":
        return f"use {'+'.join(map(str, rest))}"
    if kind == "set":
        return f"set {rest[0]}>{rest[1]}"
    if kind == "build":
        return f"build {rest[0]},{rest[1]}" + {None: "", True: " turned", False: " upright"}[rest[2]]
    if kind == "keep":
        return f"keep {' '.join(rest[0])} {rest[1]}"
    return " ".join([kind, *rest])


def listed(state: HellState) -> list[str]:
    """The legal actions in the notation of `written`."""
    return [written(action) for action in state.legal_actions()]


def do(state: HellState, *steps: str) -> list[Event]:
    """Play legal actions named in the notation of `written`; all that happened."""
    events: list[Event] = []
    for step in steps:
        found = [action for action in state.legal_actions() if written(action) == step]
        assert found, f"{step!r} is not among {listed(state)}"
        events += state.apply(found[0])
    return events


def chance(state: HellState, action: Action) -> list[Event]:
    """Let chance choose."""
    assert state.to_act == CHANCE
    return list(state.apply(action))


def stock(state: HellState, seat: int) -> tuple[int, ...]:
    """The seat's resources."""
    return tuple(state.stock[3 * seat : 3 * seat + 3])


def income(state: HellState, seat: int) -> tuple[int, ...]:
    """The seat's card and resource income."""
    return tuple(state.income[2 * seat : 2 * seat + 2])


def names(numbers: Sequence[int]) -> list[str]:
    """Ids of cards."""
    return [TABLES.cards[number].id for number in numbers]


def hand(state: HellState, seat: int) -> list[str]:
    """Ids in the seat's hand."""
    return names(state.hands[seat])


def decision(state: HellState) -> dict[str, Any]:
    """The pending decision as everybody sees it."""
    found: dict[str, Any] = state.observation(None)["decision"]
    return found


def types(events: Sequence[Event]) -> list[str]:
    """What happened, by type."""
    return [event.type for event in events]


def number_of(name: str) -> int:
    """The lowest card number of a design."""
    return TABLES.numbers_of[name][0]


def deck(first: str = "", pool: Sequence[int] | None = None) -> Deck:
    """An order of the cards (all, or those of `pool`) that begins with the named ones."""
    take = _Taken()
    top = take(first)
    cards = range(len(TABLES.cards)) if pool is None else pool
    return Deck("deck", (*top, *[number for number in cards if number not in top]))


def start(seats: int = 2, first: str = "", knowledge: str = "", **options: Scalar) -> HellState:
    """A match with all that is dealt, the first seat about to choose what it keeps."""
    state = GAME.new(seats, options)
    state.apply(Payments("payments", E1_PAYMENTS))
    if options.get("super_workplaces"):
        state.apply(GAME.decode({"type": "supers", "tiles": list(TABLES.supers)[:4]}))
    state.apply(deck(first))
    given = knowledge.split()
    state.apply(KnowledgeDeck("knowledge", (*given, *[name for name in TABLES.knowledge if name not in given])))
    return state


def roll(*dice: tuple[int, ...]) -> Roll:
    """The chance `roll`."""
    return Roll("roll", dice)


def tiles(*order: int) -> Tiles:
    """The chance `tiles`."""
    return Tiles("tiles", order)


def faces(seat: int, *found: int) -> Dice:
    """The chance `dice`."""
    return Dice("dice", seat, found)


def audience(value: int, seats: int = 3, **more: Any) -> HellState:
    """A position in which seat 0 has a die of this value in the Audience Room."""
    return position("workplaces", seats, places={"audience_room": [(0, value)]}, **more)
