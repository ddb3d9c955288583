"""The abilities of the demons in front of a seat, as one `Powers` value for each set of demons.

A demon's name, cost and numbers are an entry of `demons` under `hell_cards` in components.json. Its `hook` names what
it changes. This module turns the hooks of a seat's demons into `Powers`; the modules of the rules read `Powers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.hell_village.components import NO_EXTRA, WORKPLACES, Card, Extra, Tables, extra_of


@dataclass(frozen=True, slots=True)
class Powers:
    """All abilities of one seat by hook (see the table of the demons in RULES.md)."""

    reroll_all: bool
    """Gold Gargoyle."""
    values: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
    """By workplace and die: the values with which the die may be placed, ascending, with their costs (R5.7, R5.8)."""
    plain: bool
    """Whether every die is placed with its own value."""
    dice_set: int
    """The number of dice that Evil Worship may set (R5.9); Dullahan."""
    worker_gain: int
    """Resources for a die on the Warlock (R5.10), 0 without the Warlock."""
    worker_limit: int
    kicked_reroll: bool
    """Imp."""
    kicked_ep: int
    """Medusa."""
    extras: tuple[Extra, ...]
    """By workplace: what the seat gets in addition when it uses the workplace (R6.10)."""
    discounts: tuple[tuple[str, int, int], ...]
    """A tuple for each discount (R7.3): card kind or `all`, the printed total that a card must exceed, the discount."""
    played_ep: tuple[tuple[str, int], ...]
    """A pair for each demon that rewards the play of another card (R7.4): card kind or `all`, EP."""
    played_draw: tuple[tuple[str, int], ...]
    """Demon's Head."""
    owed_less: int
    """Will O' the Wisp."""
    ep_per_unpaid: int
    """Jewel Gargoyle."""
    burns: int
    """Resources for a burnt card (R7.11), 0 without the Salamander."""

    def discount(self, kind: str, total: int) -> int:
        """Return the discount on a card of this kind and printed cost."""
        less = 0
        for cards, over, amount in self.discounts:
            if total > over and cards in ("all", kind):
                less += amount
        return less

    def ep_for(self, kind: str) -> int:
        """Return the EP for playing a card of this kind."""
        return sum(ep for cards, ep in self.played_ep if cards in ("all", kind))

    def draws_for(self, kind: str) -> int:
        """Return the number of cards to draw after a card of this kind has been played."""
        return sum(draws for cards, draws in self.played_draw if cards in ("all", kind))


def own_trigger(card: Card) -> int:
    """Return the EP that a demon gives for its own play under the option `self_trigger`."""
    effect = card.effect
    if effect.get("hook") == "card_played" and effect["cards"] in ("all", card.kind):
        return int(effect["ep"])
    return 0


@lru_cache(maxsize=512)
def powers_of(tables: Tables, demons: tuple[int, ...]) -> Powers:
    """Return the powers of a seat with these demons (card numbers) in play."""
    effects: dict[str, list[Any]] = {}
    for number in demons:
        effect = tables.cards[number].effect
        effects.setdefault(effect["hook"], []).append(effect)

    def of(hook: str) -> list[Any]:
        return effects.get(hook, [])

    values = tuple(_values(of("die_value"), workplace) for workplace in WORKPLACES)
    extras = [NO_EXTRA] * len(WORKPLACES)
    for effect in of("workplace_use"):
        index = WORKPLACES.index(effect["workplace"])
        gained = {**effect.get("gain", {}), "ep": effect.get("ep", 0), "draw": effect.get("draw", 0)}
        extras[index] = extras[index].plus(extra_of(gained))
    return Powers(
        reroll_all=bool(of("after_roll")),
        values=values,
        plain=not of("die_value"),
        dice_set=max([tables.worship_dice, *(effect["dice_set"] for effect in of("evil_worship"))]),
        worker_gain=sum(effect["gain"]["any"] for effect in of("extra_workplace")),
        worker_limit=sum(effect["dice_per_round"] for effect in of("extra_workplace")),
        kicked_reroll=any("reroll_returned_die" in effect for effect in of("own_die_kicked")),
        kicked_ep=sum(effect.get("ep", 0) for effect in of("own_die_kicked")),
        extras=tuple(extras),
        discounts=tuple((e["cards"], e.get("printed_total_over", -1), e["less"]) for e in of("card_cost")),
        played_ep=tuple((effect["cards"], effect["ep"]) for effect in of("card_played")),
        played_draw=tuple((effect["cards"], effect["draw"]) for effect in of("card_played_after")),
        owed_less=sum(effect.get("owed_less", 0) for effect in of("payment")),
        ep_per_unpaid=min([tables.ep_per_unpaid, *(e["ep_per_unpaid"] for e in of("payment") if "ep_per_unpaid" in e)]),
        burns=max([0, *(effect["gain"]["any"] for effect in of("conversion"))]),
    )


def _values(effects: list[Any], workplace: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return for each die 0 to 6 (0 is never used) the pairs (value, cost) with which it may be placed here."""
    names = (workplace, "all_numbered") if workplace in WORKPLACES[1:] else (workplace,)  # R5.8: not at Evil Worship
    here = [effect for effect in effects if effect["workplace"] in names]
    free = max([0, *(effect["step"] for effect in here if not effect["cost_per_step"])])
    paid = [(effect["step"], effect["cost_per_step"]) for effect in here if effect["cost_per_step"]]
    by_die = []
    for die in range(7):
        costs: dict[int, int] = {}
        for value in range(1, 7):
            distance = max(0, abs(value - die) - free)
            if distance == 0:
                costs[value] = 0
            else:
                reached = [distance * price for step, price in paid if distance <= step]
                if reached:
                    costs[value] = min(reached)
        by_die.append(tuple(sorted(costs.items())))
    return tuple(by_die)
