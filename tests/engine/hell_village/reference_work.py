"""Workplaces and playing cards in the slow Hell Village (R6, R7, R11); see `reference`."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.engine.hell_village.reference_board import (
    BOX,
    CARDS,
    DONE,
    KINDS,
    NAMES,
    OPPOSITE,
    PLACES,
    SKIP,
    STEPS,
    SUPERS,
    Board,
    Json,
    Run,
    amounts,
    splits,
)


class Work(Board):
    """What the phase of the workplaces can bring."""

    def tile(self, name: str) -> Json | None:
        laid = [SUPERS[tile] for number, tile in enumerate(self.supers, 4) if self.round >= number]
        return next((tile for tile in laid if tile["replaces"] == name), None)

    def extras(self, seat: int, name: str, dice: int) -> tuple[list[int], int, int, int]:
        """Kinds, EP, draws, any: what demons and a super tile add (R6.10)."""
        tile = self.tile(name)
        extra = tile["extra"] if tile else {}
        here = {
            demon: self.has(seat, demon) and name == place
            for demon, place in {
                "goblin": "human_realm", "cult_guru": "human_realm", "goblin_tank": "weapons_factory",
                "minotaur": "weapons_factory", "ghost": "slime_farm", "witch": "slime_farm",
            }.items()
        }  # fmt: skip
        factor = dice if self.options["bonus_per_die"] else 1
        kinds = [2 * here["goblin_tank"], 2 * here["ghost"], 2 * here["goblin"]]
        ep = here["cult_guru"] + extra.get("ep", 0)
        draws = 2 * here["minotaur"] + extra.get("draw", 0)
        free = 2 * here["witch"] + extra.get("any", 0)
        return [factor * kind for kind in kinds], factor * ep, factor * draws, factor * free

    def work(self, seat: int, name: str, dice: list[int]) -> Run:
        if name in PLACES[1:4]:
            yield from self.gather(seat, name, dice)
        elif name == "war_room":
            yield from self.war(seat, dice)
        elif name == "market":
            yield from self.trade(seat, dice)
        elif name == "cemetery":
            left = sum(dice)
            while left and self.hands[seat]:
                found = [{"type": "bury", "card": card} for card in self.held(seat)]
                action = yield from self.ask(seat, "bury", [DONE, *found], True)
                if action == DONE:
                    break
                left -= 1
                self.discard.append(self.leave(seat, action["card"]))
                self.ep[seat] += 1
        elif name == "fairy_mine":
            value = yield from self.use(seat, min(sum(dice), sum(self.room(seat))))
            yield from self.gain_any(seat, value)
        else:
            yield from self.laboratory(seat, dice)

    def use(self, seat: int, most: int) -> Run:
        action = yield from self.ask(seat, "use", [SKIP, *({"type": "use", "value": k + 1} for k in range(most))])
        return action.get("value", 0)

    def gather(self, seat: int, name: str, dice: list[int]) -> Run:
        kind = PLACES.index(name) - 1
        kinds, ep, draws, free = self.extras(seat, name, len(dice))
        most = min(sum(dice), self.room(seat)[kind])
        fits = any(more and room for more, room in zip(kinds, self.room(seat), strict=True))
        if not most and (ep or fits or (draws and self.pile + self.discard) or (free and sum(self.room(seat)))):
            most = 1
        value = yield from self.use(seat, most)
        if value:
            kinds[kind] += value
            yield from self.give(seat, kinds, ep, draws, free)

    def laboratory(self, seat: int, dice: list[int]) -> Run:
        tile = self.tile("laboratory")
        there = [value for owner, value in self.places["laboratory"] if owner == seat]
        most = min(sum(dice), len(self.pile) + len(self.discard))
        if tile and self.hands[seat]:
            most = max(most, 1)
        value = yield from self.use(seat, most)
        yield from self.draw(seat, value)
        if value and tile:
            action = yield from self.ask_or_burn(
                seat, "super_lab", lambda: [SKIP, *self.playable(seat, there)], lambda: bool(self.hands[seat])
            )
            if action["type"] == "play":
                yield from self.play_card(seat, action["card"])

    def war(self, seat: int, dice: list[int]) -> Run:
        def rows(value: int) -> list[tuple[int, int]]:
            return [row for row, least in (((0, 2), 1), ((1, 0), 3), ((2, 0), 5)) if value >= least]

        mode = self.options["war_room_dice"]
        found = set(rows(sum(dice))) if mode != "separate" or len(dice) == 1 else set()
        if mode != "sum":
            for used in product(*[[(0, 0), *rows(die)] for die in dice]):
                found.add((sum(each for each, _ in used), sum(free for _, free in used)))
        pairs = sorted(found - {(0, 0)}) if sum(self.room(seat)) else []
        candidates: list[Json] = [SKIP, *({"type": "use", "each": each, "any": free} for each, free in pairs)]
        action = yield from self.ask(seat, "use", candidates)
        if action != SKIP:
            yield from self.give(seat, [action["each"]] * 3, free=action["any"])

    def trades(self, seat: int, owed: int) -> list[Json]:
        left = len(self.pile) + len(self.discard) - owed
        room = dict(zip(KINDS, self.room(seat), strict=True))
        given = [kind for kind, have in zip(KINDS, self.stock[seat], strict=True) if have] + self.held(seat)
        return [
            {"type": "trade", "give": give, "take": take}
            for give in given
            for take in (*KINDS, "card")
            if give != take and (left + (give not in KINDS) > 0 if take == "card" else room[take])
        ]

    def trade(self, seat: int, dice: list[int]) -> Run:
        owed = 0
        for _ in range(sum(dice)):
            action = yield from self.ask(seat, "trade", [DONE, *self.trades(seat, owed)], bool(self.hands[seat]))
            if action == DONE:
                break
            give, take = action["give"], action["take"]
            if give in KINDS:
                self.stock[seat][KINDS.index(give)] -= 1
            else:
                self.discard.append(self.leave(seat, give))
            if take in KINDS:
                self.stock[seat][KINDS.index(take)] += 1
            elif self.options["market"] == "sequential":
                yield from self.draw(seat, 1)
            else:
                owed += 1
        yield from self.draw(seat, owed)
        yield from self.gain_any(seat, self.extras(seat, "market", len(dice))[3])

    # Playing cards (R7)

    def price(self, seat: int, card: Json) -> int:
        printed: int = sum(card["cost"].values())
        less = self.has(seat, "cyclops") if card["kind"] == "industry" else 0
        less += 2 * (card["kind"] == "plan" and self.has(seat, "human"))
        less += 2 * (printed > 7 and self.has(seat, "behemoth"))
        return max(0, printed - less)

    def ways_to_pay(self, seat: int, card: Json) -> list[Json]:
        most = [min(card["cost"][kind], have) for kind, have in zip(KINDS, self.stock[seat], strict=True)]
        return [amounts("pay", split) for split in splits(self.price(seat, card), most)]

    def playable(self, seat: int, dice: list[int]) -> list[Json]:
        found = []
        for name in self.held(seat):
            card = CARDS[NAMES.index(name)]
            full = card["kind"] == "industry" and len(self.played["industry"][seat]) >= 8
            if set(card["dice"]) & set(dice) and self.ways_to_pay(seat, card) and not full:
                found.append({"type": "play", "card": name})
        return found

    def audience(self, seat: int, value: int) -> Run:
        def candidates() -> list[Json]:
            gains = [amounts("gain", split) for split in splits(1, [min(1, room) for room in self.room(seat)])]
            return [SKIP, *gains, *self.playable(seat, [value])]

        action = yield from self.ask_or_burn(seat, "audience", candidates, lambda: bool(self.hands[seat]))
        if action["type"] == "gain":
            self.take(seat, action)
        elif action["type"] == "play":
            yield from self.play_card(seat, action["card"])

    def play_card(self, seat: int, name: str) -> Run:
        self.leave(seat, name)
        card = CARDS[NAMES.index(name)]
        kind = card["kind"]
        self.take(seat, (yield from self.ask(seat, "cost", self.ways_to_pay(seat, card))))
        itself = name if self.options["self_trigger"] else None
        self.ep[seat] += self.has(seat, "goblin_king") or itself == "goblin_king"
        self.ep[seat] += 3 * (kind == "demon" and (self.has(seat, "dagon") or itself == "dagon"))
        self.ep[seat] += kind == "industry" and self.has(seat, "basilisk")
        if kind == "industry":
            yield from self.build(seat, card)
            yield from self.draw(seat, int(self.has(seat, "demons_head")))
            return
        self.played[kind][seat].append(name)
        if kind == "plan":
            *gained, free = (card["gain"][thing] for thing in (*KINDS, "any"))
            yield from self.give(seat, gained, free=free)

    def edges(self, x: int, y: int) -> tuple[Json, int | None] | None:
        if (x, y) == (0, 0):
            return BOX["start_land"]["edges"], None
        if (x, y) not in self.village:
            return None
        name, owner, turned = self.village[x, y]
        edges = CARDS[NAMES.index(name)]["edges"]
        return ({side: edges[OPPOSITE[side]] for side in STEPS} if turned else edges), owner

    def build(self, seat: int, card: Json) -> Run:
        taken = {(0, 0), *self.village}
        spots = sorted({(x + dx, y + dy) for x, y in taken for dx, dy in STEPS.values()} - taken)
        candidates: list[Json] = [{"type": "build", "x": x, "y": y} for x, y in spots]
        if self.options["industry_turn"] == "half":
            alike = all(card["edges"][side] == card["edges"][OPPOSITE[side]] for side in STEPS)
            candidates = [{**spot, "turned": way} for spot in candidates for way in (False, True)[: 2 - alike]]
        action = yield from self.ask(seat, "build", candidates)
        x, y = action["x"], action["y"]
        self.village[x, y] = (card["id"], seat, action.get("turned", False))
        self.played["industry"][seat].append(card["id"])
        matches = self.matches(x, y)
        for _, _, owner in [match for match in matches if match[1] == "ep2"]:
            for gaining in [seat] if owner in (None, seat) else [seat, owner]:
                self.ep[gaining] += 4 if owner == seat else 2
        matches = [match for match in matches if match[1] != "ep2"]
        while matches:
            classes: dict[Any, str] = {}
            for side, symbol, owner in matches:
                classes.setdefault((symbol, owner), side)
            action = yield from self.ask(seat, "order", [{"type": "order", "side": side} for side in classes.values()])
            chosen = next(match for match in matches if match[0] == action["side"])
            matches.remove(chosen)
            for rewarded in dict.fromkeys((seat, chosen[2])):
                if rewarded is not None:
                    yield from self.reward(rewarded, chosen[1], 2 if chosen[2] == seat else 1)

    def matches(self, x: int, y: int) -> list[tuple[str, str, int | None]]:
        """(side, symbol, owner of the neighbour) of each side that matches (R7.8)."""
        found = []
        mine = self.edges(x, y)
        for side, (dx, dy) in STEPS.items():
            other = self.edges(x + dx, y + dy)
            if mine and other:
                pair = {mine[0][side], other[0][OPPOSITE[side]]}
                symbols = pair - {"equal"}
                if len(symbols) == 1 and symbols <= {"ep2", "card", "resource"}:
                    found.append((side, symbols.pop(), other[1]))
        return found

    def reward(self, seat: int, symbol: str, times: int) -> Run:
        row = ("card", "resource").index(symbol)
        self.income[seat][row] = min(6, self.income[seat][row] + times)
        yield from self.draw(seat, times) if symbol == "card" else self.gain_any(seat, times)
