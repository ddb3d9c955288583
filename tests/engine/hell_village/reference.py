"""A second, slow and simple Hell Village: each rule is a step of one generator; cards and demons have names.

`Reference.match()` yields `Ask` for a decision and `Need` for a chance, and is sent the action as JSON, or the outcome.
R0.4 (equal results are offered once) is left to the reader: its lists hold equal actions too.
"""

from __future__ import annotations

from itertools import combinations, product

from tests.engine.hell_village.reference_board import (
    CHOICE,
    DEMANDS,
    KINDS,
    KNOWLEDGE,
    NAMES,
    PLACES,
    PLUS_MINUS,
    SPACES,
    STAND,
    TILES,
    Json,
    Need,
    Run,
    amounts,
    splits,
)
from tests.engine.hell_village.reference_work import Work


class Reference(Work):
    """A whole match."""

    # Setup and rounds (R2 to R4, R8, R9)

    def match(self) -> Run:
        drawn = list((yield Need("payments")).cards)
        self.payments = {1: ["peaceful_day"], **{r: [drawn[r - 2]] for r in range(2, 7)}, 7: drawn[5:]}
        self.open_until = 2
        if self.options["super_workplaces"]:
            self.supers = list((yield Need("supers")).tiles)
        order = (yield Need("deck")).order
        dealt = [sorted(order[5 * seat : 5 * seat + 5]) for seat in self.seats]
        names = (yield Need("knowledge")).order
        for seat in self.seats:
            known = sorted(names[2 * seat : 2 * seat + 2], key=list(KNOWLEDGE).index)
            pairs = dict.fromkeys(combinations([NAMES[card] for card in dealt[seat]], 2))
            candidates = [{"type": "keep", "cards": list(pair), "knowledge": name} for pair in pairs for name in known]
            action = yield from self.ask(seat, "keep", candidates, True)
            self.hands[seat] = dealt[seat]
            self.hands[seat] = [self.leave(seat, name) for name in action["cards"]]
            self.knowledge[seat] = action["knowledge"]
        self.pile, self.pile_number = list((yield Need("deck")).order), 1
        for self.round in range(1, 8):
            yield from self.play_round()
        self.phase = "over"

    def play_round(self) -> Run:
        self.phase = "roll"
        self.dice = [list(faces) for faces in (yield Need("roll")).dice]
        for seat in self.seats:
            if self.has(seat, "gold_gargoyle") and (yield from self.ask(seat, "gargoyle", CHOICE, True)) != STAND:
                self.dice[seat] = list((yield Need("dice")).faces)
        sums = [sum(faces) for faces in self.dice]
        if len(set(sums)) < len(sums):
            self.order = list((yield Need("tiles")).order)
        else:
            self.order = sorted(self.seats, key=lambda seat: -sums[seat])
        self.phase = "income"
        for tile, seat in zip(TILES, self.order, strict=False):
            yield from self.draw(seat, tile["cards"] + self.income[seat][0])
            yield from self.gain_any(seat, tile["resources"] + self.income[seat][1])
        self.phase = "placement"
        line = self.order
        while any(self.dice):
            seat = next(seat for seat in line if self.dice[seat])
            line = line[line.index(seat) + 1 :] + line[: line.index(seat) + 1]
            yield from self.place(seat)
        self.phase = "workplaces"
        for name in PLACES[1:9]:
            if self.options["several_dice"] == "each":
                for seat, value in self.places[name]:
                    yield from self.work(seat, name, [value])
                continue
            for seat in dict.fromkeys(owner for owner, _ in self.places[name]):
                yield from self.work(seat, name, [value for owner, value in self.places[name] if owner == seat])
        for seat, value in self.places["audience_room"]:
            yield from self.audience(seat, value)
        self.phase = "payment"
        for seat in self.order:
            yield from self.pay(seat)
        self.phase = "end_of_round"
        for seat in self.order:
            yield from self.limit_hand(seat)
        self.dice, self.warlock = [[] for _ in self.seats], [[] for _ in self.seats]
        self.places = {name: [] for name in PLACES}
        self.payments[self.round] = []
        self.open_until = max(self.open_until, min(7, self.round + 2))

    def pay(self, seat: int) -> Run:
        cards = [DEMANDS[name] for name in self.payments[self.round]]
        *asked, free = (sum(card[kind] for card in cards) for kind in (*KINDS, "any"))
        owed = max(0, sum(asked) + free - self.has(seat, "will_o_the_wisp"))
        if not owed:
            return

        def candidates() -> list[Json]:
            ways = product(*[range(amount + 1) for amount in self.stock[seat]])
            return [
                amounts("pay", way)
                for way in ways
                if sum(way) <= owed and sum(max(0, p - r) for p, r in zip(way, asked, strict=True)) <= free
            ]

        action = yield from self.ask_or_burn(seat, "payment", candidates, lambda: False)
        self.take(seat, action)
        unpaid = owed - sum(action[kind] for kind in KINDS)
        self.ep[seat] -= unpaid * (1 if self.has(seat, "jewel_gargoyle") else 2)

    def limit_hand(self, seat: int) -> Run:
        while len(self.hands[seat]) > 6:
            found = [{"type": "discard", "card": name} for name in self.held(seat)]
            action = yield from self.ask(seat, "discard", [*found, *self.burns(seat)], True)
            self.discard.append(self.leave(seat, action["card"]))
            if action["type"] == "burn":
                self.add(seat, [kind == action["kind"] for kind in KINDS])

    # Placement (R5)

    def spaces(self, name: str) -> int:
        spaces = SPACES[name]
        return 99 if spaces is None else int(spaces[str(len(self.seats))])

    def costs(self, seat: int, die: int, name: str) -> dict[int, int]:
        """The values with which the die may be placed there, each with its cost (R5.7, R5.8)."""
        near = any(PLUS_MINUS.get(demon) == name for demon in self.played["demon"][seat])
        free = [value for value in range(1, 7) if abs(value - die) <= near]
        if name == "evil_worship" or not self.has(seat, "kerberos"):
            return dict.fromkeys(free, 0)
        costs = {value: min(abs(value - other) for other in free) for value in range(1, 7)}
        return {value: cost for value, cost in costs.items() if cost <= sum(self.stock[seat])}

    def placings(self, seat: int) -> list[Json]:
        found: list[Json] = []
        for die in sorted(set(self.dice[seat])):
            for name in PLACES:
                there, spaces = self.places[name], self.spaces(name)
                for value in self.costs(seat, die, name) if spaces else ():
                    kicks: list[int | None] = [None]
                    if len(there) >= spaces:
                        kicks = [
                            index
                            for index, (owner, other) in enumerate(there)
                            if other > value
                            and (owner != seat or self.options["kick_own"])
                            and there[index] not in there[index - 1 : index]
                        ]
                    found += [{"type": "place", "die": die, "at": name, "value": value, "kick": k} for k in kicks]
            if self.has(seat, "warlock") and (self.options["warlock_dice"] == "any" or not self.warlock[seat]):
                found.append({"type": "place", "die": die, "at": "warlock", "value": die, "kick": None})
        return found

    def place(self, seat: int) -> Run:
        action = yield from self.ask_or_burn(seat, "place", lambda: self.placings(seat), lambda: True)
        die, name, value, kick = action["die"], action["at"], action["value"], action["kick"]
        if name == "warlock":
            self.dice[seat].remove(die)
            self.warlock[seat].append(die)
            yield from self.gain_any(seat, 4)
            return
        cost = self.costs(seat, die, name)[value]
        if cost:
            found = [amounts("pay", split) for split in splits(cost, self.stock[seat])]
            self.take(seat, (yield from self.ask(seat, "kerberos", found)))
        self.dice[seat].remove(die)
        kicked = None if kick is None else self.places[name].pop(kick)
        self.places[name].append((seat, value))
        if kicked is not None:
            yield from self.come_home(*kicked)
        elif name == "evil_worship":
            yield from self.worship(seat)

    def come_home(self, owner: int, value: int) -> Run:
        self.dice[owner].append(value - 1)
        self.ep[owner] += self.has(owner, "medusa")
        if self.has(owner, "imp") and (yield from self.ask(owner, "imp", CHOICE, True)) != STAND:
            (face,) = (yield Need("dice")).faces
            self.dice[owner].remove(value - 1)
            self.dice[owner].append(max(1, face - 1) if self.options["imp_reroll"] == "minus_one" else face)

    def worship(self, seat: int) -> Run:
        wide = self.has(seat, "dullahan") and self.options["dullahan_dice"] == "any"
        owners = list(range(len(self.dice))) if wide else [seat]
        unset = [(owner, die) for owner in owners for die in self.dice[owner]]
        for _ in range(2 if self.has(seat, "dullahan") else 1):
            if unset:
                found = [
                    {"type": "set", "die": d, "to": to, **({"owner": owner} if wide else {})}
                    for owner, d in sorted(set(unset))
                    for to in range(1, 7)
                    if to != d
                ]
                action = yield from self.ask(seat, "set", [STAND, *found], True)
                if action == STAND:
                    break
                owner = action.get("owner", seat)
                unset.remove((owner, action["die"]))
                self.dice[owner].remove(action["die"])
                self.dice[owner].append(action["to"])
        yield from self.give(seat, (0, 0, 0), ep=1, free=1)
