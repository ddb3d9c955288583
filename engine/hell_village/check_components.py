"""Check a component table before it becomes a game, and report every problem as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.hell_village.components import KINDS, SIDES, WORKPLACES
from engine.hell_village.scoring import COUNTS

SYMBOLS: Final = ("ep2", "card", "resource", "equal", "blank")
CARD_GROUPS: Final = {"demons": "demon", "plans": "plan", "industries": "industry"}
CARDS_WANTED: Final = ("all", "demon", "plan", "industry")
GATHERING: Final = WORKPLACES[1:4]

_CONSTANTS: Final = {
    "rounds": (1, 7),
    "dice_per_seat": (1, 3),
    "hand_limit": (1, 99),
    "start_ep": (-99, 99),
    "hell_cards_dealt": (1, 12),
    "hell_cards_kept": (1, 12),
    "knowledge_dealt": (2, 2),
    "knowledge_kept": (1, 1),
    "ep_per_unpaid_resource": (0, 99),
    "cemetery_ep_per_card": (0, 99),
    "audience_room_resource": (1, 9),
    "kick_lowers_by": (1, 5),
}
"""The required whole numbers with their ranges. The ranges keep matches within `max_turns` and lists short."""
_LIMITS: Final = {"stock_row": 20, "income_row": 12, "industries_per_seat": 24}
_MOST_CARDS: Final = 120


class _Bad(Exception):
    """This part of the table cannot be checked any further."""


def check_tables(data: Any) -> list[str]:
    """Return every problem of a component table as a sentence. An empty list means that it can be played.

    The table must have the form of `components.json` in this package. Never raises, whatever `data` is.

    >>> check_tables({"format": 1})[0]
    'constants: expected an object, but it is missing'
    >>> from engine.hell_village.components import read_built_in
    >>> check_tables(read_built_in())
    []
    """
    if not isinstance(data, Mapping):
        return [f"the table: expected an object, got {_short(data)}"]
    problems: list[str] = []
    if data.get("format") != 1:
        problems.append(f"format: expected 1, got {_short(data.get('format'))}")
    parts: tuple[Callable[[Mapping[str, Any]], Iterator[str]], ...] = (
        _check_constants, _check_limits, _check_tiles, _check_workplaces, _check_supers, _check_payments,
        _check_knowledge, _check_start_land, _check_cards,
    )  # fmt: skip
    for part in parts:
        try:
            problems += part(data)
        except _Bad as error:
            problems.append(str(error))
    return problems


# --- reading ---------------------------------------------------------------------------------------------------------


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _object(data: Mapping[str, Any], name: str, path: str = "") -> Mapping[str, Any]:
    where = f"{path}.{name}" if path else name
    if name not in data:
        raise _Bad(f"{where}: expected an object, but it is missing")
    value = data[name]
    if not isinstance(value, Mapping):
        raise _Bad(f"{where}: expected an object, got {_short(value)}")
    return value


def _list(data: Mapping[str, Any], name: str, path: str = "") -> Sequence[Mapping[str, Any]]:
    where = f"{path}.{name}" if path else name
    value = data.get(name)
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise _Bad(f"{where}: expected a list of objects, got {_short(value)}")
    return value


def _is_whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _whole(data: Mapping[str, Any], name: str, path: str, low: int = 0, high: int = 99) -> Iterator[str]:
    value = data.get(name)
    if not _is_whole(value, low, high):
        yield f"{path}.{name}: expected a whole number from {low} to {high}, got {_short(value)}"


def _wholes(data: Mapping[str, Any], names: Sequence[str], path: str, high: int = 99) -> Iterator[str]:
    for name in names:
        yield from _whole(data, name, path, 0, high)


def _ids(entries: Sequence[Mapping[str, Any]], path: str, named: bool = True) -> Iterator[str]:
    """Report ids that are missing, repeated, or not plain."""
    seen = set()
    for index, entry in enumerate(entries):
        name = entry.get("id")
        if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
            yield f"{path}[{index}].id: expected a plain ASCII id, got {_short(name)}"
        elif name in seen:
            yield f"{path}[{index}].id: {name!r} is there twice"
        seen.add(name if isinstance(name, str) else index)
        title = entry.get("name")
        if named and not (isinstance(title, str) and title and title.isascii() and title.isprintable()):
            yield f"{path}[{index}].name: expected printable ASCII text, got {_short(title)}"


# --- the parts -------------------------------------------------------------------------------------------------------


def _check_constants(data: Mapping[str, Any]) -> Iterator[str]:
    constants = _object(data, "constants")
    value: dict[str, Any] = {
        name: entry.get("value") for name, entry in constants.items() if isinstance(entry, Mapping)
    }
    for name, (low, high) in _CONSTANTS.items():
        if not _is_whole(value.get(name), low, high):
            yield f"constants.{name}: expected a value from {low} to {high}, got {_short(value.get(name))}"
    for name, wanted in (
        ("start_stock", KINDS),
        ("start_income", ("card", "resource")),
        ("evil_worship", ("dice_set", "any", "ep")),
        ("payment_cards_by_round", ()),
        ("edge_rewards", ()),
    ):
        if not isinstance(value.get(name), Mapping):
            yield f"constants.{name}: expected an object as value, got {_short(value.get(name))}"
        else:
            yield from _wholes(value[name], wanted, f"constants.{name}")
    if isinstance(value.get("edge_rewards"), Mapping):
        for symbol, fields in (
            ("ep2", ("ep",)),
            ("card", ("card_income", "draw")),
            ("resource", ("resource_income", "any")),
        ):
            yield from _wholes(_object(value["edge_rewards"], symbol, "constants.edge_rewards"), fields, symbol)
    yield from _check_war_room(value.get("war_room"))
    dealt, kept = value.get("hell_cards_dealt"), value.get("hell_cards_kept")
    if type(dealt) is int and type(kept) is int and kept >= dealt:
        yield f"constants.hell_cards_kept: expected fewer than the {dealt} cards dealt, got {kept}"


def _check_war_room(rows: Any) -> Iterator[str]:
    if not isinstance(rows, list) or not rows:
        yield f"constants.war_room: expected a list of rows, got {_short(rows)}"
        return
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping):
            yield f"constants.war_room[{index}]: expected an object, got {_short(row)}"
        else:
            yield from _wholes(row, ("from", "each", "any"), f"constants.war_room[{index}]")


def _check_limits(data: Mapping[str, Any]) -> Iterator[str]:
    limits = _object(data, "limits")
    for name, most in _LIMITS.items():
        yield from _whole(_object(limits, name, "limits"), "value", f"limits.{name}", 1, most)
    constants = _object(data, "constants")
    for start, row in (("start_stock", "stock_row"), ("start_income", "income_row")):
        amounts = _object(_object(constants, start, "constants"), "value", f"constants.{start}")
        most = limits[row].get("value")
        over = [amount for amount in amounts.values() if _is_whole(amount, 0, 99) and _is_whole(most, 1, 99)]
        if any(amount > most for amount in over):
            yield f"constants.{start}: expected at most {most}, as limits.{row} says, got {max(over)}"


def _check_tiles(data: Mapping[str, Any]) -> Iterator[str]:
    tiles = _list(_object(data, "turn_order_tiles"), "list", "turn_order_tiles")
    if len(tiles) < 5:
        yield f"turn_order_tiles.list: expected a tile for each of 5 seats, got {len(tiles)}"
    for index, tile in enumerate(tiles):
        yield from _wholes(tile, ("cards", "resources"), f"turn_order_tiles.list[{index}]")


def _check_workplaces(data: Mapping[str, Any]) -> Iterator[str]:
    places = _list(_object(data, "workplaces"), "list", "workplaces")
    found = tuple(place.get("id") for place in places)
    if found != WORKPLACES:
        raise _Bad(f"workplaces.list: expected {', '.join(WORKPLACES)} in this order, got {_short(found)}")
    yield from _ids(places, "workplaces.list")
    for place in places:
        path = f"workplaces.{place['id']}.spaces"
        spaces = place.get("spaces")
        if place["id"] in ("evil_worship", "audience_room"):
            if spaces is not None:
                yield f"{path}: expected null, since a seat must always find a place (R1.4), got {_short(spaces)}"
        elif spaces is not None:
            if not isinstance(spaces, Mapping):
                yield f"{path}: expected null or an object by seat count, got {_short(spaces)}"
            else:
                yield from _wholes(spaces, ("2", "3", "4", "5"), path, 15)


def _check_supers(data: Mapping[str, Any]) -> Iterator[str]:
    part = _object(data, "super_workplaces")
    tiles = _list(part, "list", "super_workplaces")
    yield from _ids(tiles, "super_workplaces.list", named=False)
    rounds = part.get("rounds")
    if not isinstance(rounds, list) or not all(_is_whole(number, 1, 7) for number in rounds):
        yield f"super_workplaces.rounds: expected a list of rounds, got {_short(rounds)}"
    elif len(rounds) > len(tiles) or sorted(set(rounds)) != rounds:
        yield f"super_workplaces.rounds: expected at most {len(tiles)} different ascending rounds, got {rounds}"
    allowed = {
        **{name: {*KINDS, "any", "ep", "draw"} for name in GATHERING},
        "laboratory": {"play_card"},
        "market": {"any"},
    }
    for tile in tiles:
        path = f"super_workplaces.{tile.get('id')}"
        replaced, extra = tile.get("replaces"), tile.get("extra")
        if not isinstance(replaced, str) or replaced not in allowed:
            yield f"{path}.replaces: expected one of {', '.join(allowed)}, got {_short(replaced)}"
        elif not isinstance(extra, Mapping) or not extra.keys() <= allowed[replaced]:
            names = ", ".join(sorted(allowed[replaced]))
            yield f"{path}.extra: expected an object with {names} at most, got {_short(extra)}"
        else:
            yield from _wholes(extra, tuple(extra), f"{path}.extra")


def _check_payments(data: Mapping[str, Any]) -> Iterator[str]:
    cards = _list(_object(data, "payments"), "list", "payments")
    yield from _ids(cards, "payments.list")
    for card in cards:
        path = f"payments.{card.get('id')}"
        yield from _wholes(_object(card, "pay", path), (*KINDS, "any"), f"{path}.pay", 9)
    by_round = _object(_object(_object(data, "constants"), "payment_cards_by_round", "constants"), "value")
    rounds = _object(_object(data, "constants"), "rounds", "constants").get("value")
    last = rounds if isinstance(rounds, int) and 1 <= rounds <= 7 else 0
    counts: list[Any] = [by_round.get(str(number + 1)) for number in range(last)]
    if not counts or not all(_is_whole(count, 1, 9) for count in counts) or counts[0] != 1:
        yield f"constants.payment_cards_by_round: expected 1 for round 1 and 1 or more for others, got {counts}"
    elif sum(counts) > len(cards):
        yield f"payments.list: expected at least {sum(counts)} cards for all rounds, got {len(cards)}"


def _check_knowledge(data: Mapping[str, Any]) -> Iterator[str]:
    cards = _list(_object(data, "knowledge"), "list", "knowledge")
    yield from _ids(cards, "knowledge.list")
    if len(cards) < 10:
        yield f"knowledge.list: expected at least 10 cards, two for each of 5 seats, got {len(cards)}"
    for index, card in enumerate(cards):
        path = f"knowledge.list[{index}]"
        yield from _wholes(card, ("ep_each", "cap"), path)
        if card.get("count") not in tuple(COUNTS):
            yield f"{path}.count: expected one of {', '.join(COUNTS)}, got {_short(card.get('count'))}"


def _check_start_land(data: Mapping[str, Any]) -> Iterator[str]:
    land = _object(data, "start_land")
    yield from _ids([land], "start_land", named=False)
    yield from _check_edges(land, "start_land")


def _check_edges(card: Mapping[str, Any], path: str) -> Iterator[str]:
    edges = _object(card, "edges", path)
    for side in SIDES:
        if edges.get(side) not in SYMBOLS:
            yield f"{path}.edges.{side}: expected one of {', '.join(SYMBOLS)}, got {_short(edges.get(side))}"


def _check_cards(data: Mapping[str, Any]) -> Iterator[str]:
    part = _object(data, "hell_cards")
    entries: list[Mapping[str, Any]] = []
    expected = 0
    for group, kind in CARD_GROUPS.items():
        cards = _list(part, group, "hell_cards")
        entries += cards
        for index, card in enumerate(cards):
            path = f"hell_cards.{group}[{index}] ({card.get('id')})"
            yield from _check_card(card, kind, path)
            if card.get("number") != expected:
                yield f"{path}.number: expected {expected}, since copies count too, got {card.get('number')}"
            expected += card["copies"] if _is_whole(card.get("copies"), 1, 9) else 1
    yield from _ids(entries, "hell_cards")
    count = counts.get("hell_cards") if isinstance(counts := data.get("counts"), Mapping) else None
    stated = count.get("value") if isinstance(count, Mapping) else None
    if stated is not None and stated != expected:
        yield f"hell_cards: expected {stated} cards as counts.hell_cards says, got {expected}"
    dealt: Any = _object(_object(data, "constants"), "hell_cards_dealt", "constants").get("value")
    least = 5 * dealt + 1 if _is_whole(dealt, 1, 12) else 1  # the deck must be enough for five seats
    if not least <= expected <= _MOST_CARDS:
        yield f"hell_cards: expected {least} to {_MOST_CARDS} cards, got {expected}"
    words = {"card", *KINDS} & {str(card.get("id")) for card in entries}
    if words:
        yield f"hell_cards: {', '.join(sorted(words))} cannot be the id of a card, since trades use the word"


def _check_card(card: Mapping[str, Any], kind: str, path: str) -> Iterator[str]:
    dice = card.get("dice")
    if not isinstance(dice, list) or not dice or not all(_is_whole(die, 1, 6) for die in dice):
        yield f"{path}.dice: expected a list of faces 1-6, got {_short(dice)}"
    yield from _wholes(_object(card, "cost", path), KINDS, f"{path}.cost")
    yield from _whole(card, "ep", path, -99)
    yield from _whole(card, "copies", path, 1, 9)
    if kind == "industry":
        yield from _check_edges(card, path)
    elif kind == "plan":
        yield from _wholes(_object(card, "gain", path), (*KINDS, "any"), f"{path}.gain")
    else:
        yield from _check_effect(_object(card, "effect", path), f"{path}.effect")


def _check_effect(effect: Mapping[str, Any], path: str) -> Iterator[str]:
    hook = effect.get("hook")
    check = _EFFECTS.get(hook) if isinstance(hook, str) else None
    if check is None:
        yield f"{path}.hook: expected one of {', '.join(_EFFECTS)}, got {_short(hook)}"
        return
    yield from check(effect, path)


def _flag(name: str) -> Callable[[Mapping[str, Any], str], Iterator[str]]:
    def check(effect: Mapping[str, Any], path: str) -> Iterator[str]:
        if effect.get(name) is not True:
            yield f"{path}.{name}: expected true, got {_short(effect.get(name))}"

    return check


def _value_effect(effect: Mapping[str, Any], path: str) -> Iterator[str]:
    if effect.get("workplace") not in (*WORKPLACES[1:], "all_numbered"):
        yield f"{path}.workplace: expected a workplace or all_numbered, got {_short(effect.get('workplace'))}"
    yield from _whole(effect, "step", path, 1, 5)
    yield from _whole(effect, "cost_per_step", path)


def _use_effect(effect: Mapping[str, Any], path: str) -> Iterator[str]:
    if effect.get("workplace") not in GATHERING:
        yield f"{path}.workplace: expected one of {', '.join(GATHERING)}, got {_short(effect.get('workplace'))}"
    gain = effect.get("gain", {})
    if not isinstance(gain, Mapping) or not gain.keys() <= {*KINDS, "any"}:
        yield f"{path}.gain: expected an object of kinds and any, got {_short(gain)}"
    else:
        yield from _wholes(gain, tuple(gain), f"{path}.gain")
    yield from _wholes(effect, [name for name in ("ep", "draw") if name in effect], path)


def _kicked_effect(effect: Mapping[str, Any], path: str) -> Iterator[str]:
    if "ep" in effect:
        yield from _whole(effect, "ep", path)
    elif effect.get("reroll_returned_die") is not True:
        yield f"{path}: expected ep or reroll_returned_die, got {_short(dict(effect))}"


def _payment_effect(effect: Mapping[str, Any], path: str) -> Iterator[str]:
    names = [name for name in ("owed_less", "ep_per_unpaid") if name in effect]
    if not names:
        yield f"{path}: expected owed_less or ep_per_unpaid, got {_short(dict(effect))}"
    yield from _wholes(effect, names, path)


def _card_effect(*amounts: str) -> Callable[[Mapping[str, Any], str], Iterator[str]]:
    def check(effect: Mapping[str, Any], path: str) -> Iterator[str]:
        if effect.get("cards") not in CARDS_WANTED:
            yield f"{path}.cards: expected one of {', '.join(CARDS_WANTED)}, got {_short(effect.get('cards'))}"
        yield from _wholes(effect, amounts, path)
        if "printed_total_over" in effect:
            yield from _whole(effect, "printed_total_over", path)

    return check


def _any_effect(*amounts: str) -> Callable[[Mapping[str, Any], str], Iterator[str]]:
    def check(effect: Mapping[str, Any], path: str) -> Iterator[str]:
        gain = _object(effect, "gain", path)
        yield from _whole(gain, "any", f"{path}.gain", 1)
        yield from _wholes(effect, amounts, path)

    return check


_EFFECTS: Final[dict[str, Callable[[Mapping[str, Any], str], Iterator[str]]]] = {
    "after_roll": _flag("reroll_all_own_dice"),
    "die_value": _value_effect,
    "evil_worship": lambda effect, path: _whole(effect, "dice_set", path, 1, 6),
    "extra_workplace": _any_effect("dice_per_round"),
    "own_die_kicked": _kicked_effect,
    "workplace_use": _use_effect,
    "card_cost": _card_effect("less"),
    "card_played": _card_effect("ep"),
    "card_played_after": _card_effect("draw"),
    "payment": _payment_effect,
    "conversion": _any_effect(),
}
"""The check of a demon's numbers by its hook."""
