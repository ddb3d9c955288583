#!/usr/bin/env python3
"""Play Hell Village one decision at a time: choose the action after which the position looks best.

The bot imports the rules. From the observation it makes one full position that fits what it sees, plays each legal
action on a copy, and rates the result. The rating is a sum of prices: for points, for resources that the next payments
or a card in hand need, for cards, for income, and for what the placed dice will gain. Drawn cards count by their number
only, since the deck of the copy is a guess. Equal actions are chosen at random, with the seed of the match.
"""

import json
import sys
from random import Random
from typing import Any

from engine.hell_village import GAME
from engine.hell_village.state import HellState

RESOURCE = 0.5  # any resource
SPARE = 0.1  # a resource after the last card has been played
PAID = 1.9  # a resource that will be paid, since an unpaid one costs 2 EP
PAID_LATER = 1.2  # the same for the payment of the next round
CARD = 0.6  # a card in hand that may be useful
EARLY = 0.5  # an ability, for each round that it will still be used
STEPS = (0.7, 0.9)  # a step of card and of resource income, for each round to come
KEPT = 0.4  # remaining share of a placed die's gain if a smaller die can kick it out
PIPS = 0.1  # each pip of a die that is still to be placed
CARDS = GAME.tables.cards


def rate(state: HellState, me: int, hand_before: tuple[int, ...]) -> float:
    """Return how good the position looks for the seat."""
    rounds = GAME.tables.rounds - state.round
    placing = state.phase in ("roll", "income", "placement", "workplaces")
    stock = list(state.stock[3 * me : 3 * me + 3])
    played = (*state.demons[me], *state.plans[me], *state.industries[me])
    total = float(state.ep[me] + sum(worth(card, rounds) for card in played))
    total += sum(price * steps * rounds for price, steps in zip(STEPS, state.income[2 * me :], strict=False))
    # Count what the pending steps of the agenda will bring.
    pending = 0.0
    for step in state.agenda:
        if len(step) < 2 or step[1] != me:
            continue
        if step[0] == "worship":
            total, pending = total + 1, pending + 1
        elif step[0] in ("gain", "draw"):
            pending += step[2]
        elif step[0] == "trade":
            pending += step[3]
        elif step[0] == "played":
            total += worth(step[2], rounds)
        elif step[0] == "cost":
            pending -= CARDS[step[2]].total
        elif step[0] == "kerberos":
            pending -= step[2]
    total += RESOURCE * pending
    if placing:
        total += at_work(state, me, stock)
        total += sum(PIPS * die for die in state.dice[me])
        total += audience(state, me, stock, rounds)
    return total + stores(state, stock, rounds, placing) + hand(state, me, stock, rounds, hand_before)


def worth(number: int, rounds: int) -> float:
    """Return the points of a card in play, and the value of its ability."""
    card = CARDS[number]
    return card.ep + (EARLY * rounds if card.kind == "demon" else 0)


def at_work(state: HellState, me: int, stock: list[int]) -> float:
    """Add what the own dice will gather to the stock. Return their other gains, reduced by the risk of a kick."""
    total = 0.0
    for number, there in enumerate(state.workplaces[1:9], start=1):
        value = sum(value for owner, value in there if owner == me)
        if value == 0:
            continue
        full = len(there) >= state.rules.spaces[number]
        smaller = any(die < value for seat, dice in enumerate(state.dice) if seat != me for die in dice)
        kept = KEPT if full and smaller else 1.0
        if state.phase == "workplaces" and not any(step[0] == "work" and step[1] <= number for step in state.agenda):
            continue  # it has been used already
        if number <= 3:
            gathered = min(value, GAME.tables.stock_limit - stock[number - 1])
            stock[number - 1] += round(kept * gathered)
        elif number in (4, 5):
            for _ in range(round(kept * (value if number == 4 else (2, 3, 6)[min(2, (value - 1) // 2)]))):
                stock[stock.index(min(stock))] += 1
        elif number == 6:
            total += kept * CARD * min(value, 3)
        else:
            total += kept * 0.3 * min(value, len(state.hands[me]))
    return total


def audience(state: HellState, me: int, stock: list[int], rounds: int) -> float:
    """Return the value of the own dice in the Audience Room: the best affordable card for each, or a resource."""
    done = next((step[2] for step in state.agenda if step[:2] == ("work", 9)), 0)
    if state.phase == "workplaces" and not any(step[0] == "work" for step in state.agenda):
        return 0.0
    left, total = list(state.hands[me]), 0.0
    for owner, die in state.workplaces[9][done:]:
        if owner != me:
            continue
        fitting = [card for card in left if die in CARDS[card].dice and affordable(card, stock)]
        if fitting:
            best = max(fitting, key=lambda card: worth(card, rounds))
            left.remove(best)
            for kind, count in enumerate(CARDS[best].cost):
                stock[kind] -= count
            total += worth(best, rounds) - 0.5
        else:
            total += RESOURCE
    return total


def affordable(number: int, stock: list[int]) -> bool:
    """Return whether the stock covers the printed cost."""
    return all(have >= need for have, need in zip(stock, CARDS[number].cost, strict=True))


def stores(state: HellState, stock: list[int], rounds: int, placing: bool) -> float:
    """Return the value of the stock: first for the next payments, then for anything else."""
    total = 0.0
    left = stock[:]
    paying = placing or any(step[0] in ("payment", "dues") for step in state.agenda)
    first = state.round - 1 if paying else state.round
    for number, price in ((first, PAID), (first + 1, PAID_LATER)):
        if not 0 <= number < min(GAME.tables.rounds, state.face_up):
            continue
        for name in state.payments[number]:
            card = GAME.tables.payments[name]
            for kind in range(3):
                paid = min(max(0, left[kind]), card.kinds[kind])
                left[kind] -= paid
                total += price * paid
            paid = min(card.any, sum(left))
            for _ in range(paid):
                left[left.index(max(left))] -= 1
            total += price * max(0, paid)
    useful = RESOURCE if rounds or placing else SPARE
    return total + useful * sum(min(count, 8) for count in left)


def hand(state: HellState, me: int, stock: list[int], rounds: int, before: tuple[int, ...]) -> float:
    """Return the value of the cards in hand. New cards count alike, and cards beyond the hand limit are worthless."""
    if not rounds and state.phase not in ("income", "placement", "workplaces"):
        return 0.0
    total = []
    for number in state.hands[me]:
        if number not in before:
            total.append(CARD + 0.5)
            continue
        card = CARDS[number]
        missing = sum(max(0, need - have) for have, need in zip(stock, card.cost, strict=True))
        total.append(CARD + 0.3 * max(0.0, worth(number, rounds) - 0.5 * card.total) / (1 + missing))
    return sum(sorted(total, reverse=True)[: GAME.tables.hand_limit])


def choose(message: dict[str, Any], luck: Random) -> int:
    """Return the index in the legal list of one of the actions after which the position looks best."""
    observation = message["observation"]
    me = observation["viewer"]
    state = GAME.belief(observation).sample(luck)
    ratings = []
    for action in state.legal_actions():  # the same list as in the message
        after = state.clone()
        after.apply(action)
        ratings.append(rate(after, me, state.hands[me] or state.dealt[me]))
    best = max(ratings)
    return luck.choice([place for place, rating in enumerate(ratings) if rating == best])


def main() -> None:
    """Answer messages until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            # The bot keeps nothing from one match to the next, so one process may play many matches.
            ours = message["game"] == GAME.key and message["game_version"] == GAME.version
            answer = {"type": "ready", "reuse": True} if ours else {"type": "decline"}
        elif message["type"] == "start":
            luck = Random(message["seed"])
            continue  # this message gets no answer
        elif message["type"] == "turn":
            answer = {"action": choose(message, luck)}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
