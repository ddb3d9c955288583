#!/usr/bin/env python3
"""Search in any game of the catalog, for any number of seats. The bot knows no rules of any game.

The method is information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012) with one observer. Each
iteration deals the hidden cards again, walks down one tree that all these worlds share, plays on from there, and
credits the result to the actions that led to it. Around that core:

* Some decisions have hundreds of actions. So a node adds them one by one as its visits grow (widening).
* Each action has a record of how matches ended in which it was played at any time. Play-outs and new actions pick the
  best record among a few random actions.
* If a game has points before the end, most play-outs are cut short. A linear regression on the play-outs that were not
  cut then predicts the rest of the match from the numbers on each seat's table (see `forecast`).

The bot learns all of this anew in each match. `--iterations N` limits the search by a count instead of the clock. Then
the bot gives the same answers on any machine, however busy.
"""

import argparse
import gc
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from time import perf_counter
from typing import Any

from forecast import Forecast, Row, table_rows

from engine.catalog import game_keys, get_game
from engine.core import CHANCE, Action, Game, State
from engine.walk import random_walk

EXPLORE = 0.2  # exploration: the bonus of an action that was tried seldom
DOUBT = 8.0  # the weight, in visits, of an action's first value
WIDTH = 1.5  # a node with n visits considers WIDTH * sqrt(n) actions
TRIES = 3  # how many random actions are compared by their records
FORGET = 0.3  # the share of a record that is kept from one turn to the next
WINNING = 0.3  # the weight of the rank in a result; the rest is for points
AHEAD = 0.2  # a cut play-out is shorter than this share of a match's decisions
FULL_SHARE = 0.3  # the share of the work for play-outs to the end
SAMPLES = 30  # full play-outs before the first cut

RESERVE_S = 0.010  # reserved in each turn for reading, answering, and a busy machine
RESERVE_SHARE = 0.04
MANY_TURNS = 60  # the assumed number of own turns to come, before the first play-out


class Node:
    """What is known about an action at one place of the tree: how often it was available, its visits, its results."""

    __slots__ = ("available", "children", "total", "visits")

    def __init__(self) -> None:
        self.children: dict[Action, Node] = {}
        self.available = self.visits = 0
        self.total = 0.0


class Search:
    """The search of one seat in one match, with all that it has learned so far."""

    def __init__(self, game: Game, seats: int, luck: Random) -> None:
        self._game = game
        self._luck = luck
        self._others = [[other for other in range(seats) if other != seat] for seat in range(seats)]
        self._records: list[dict[Any, list[float]]] = [{} for _ in range(seats)]
        self._usual = [0.5] * seats
        self._leads = [0.0] * seats
        self._spread = 0.0
        self._results = 0
        self._length = 40.0
        self._forecast = Forecast()
        self._cuts: bool | None = None
        self.turns_left: float = MANY_TURNS
        """The number of own turns to come in an average play-out."""

    def choose(self, observation: Mapping[str, Any], spent: Callable[[int], float]) -> Action:
        """Search until `spent`, given the number of iterations, reaches 1. Return the action with the most visits."""
        self._belief = self._game.belief(observation)
        self._me: int = observation["viewer"]
        world = self._belief.sample(self._luck)
        legal = world.legal_actions()  # the same in every world: legal actions never depend on hidden cards
        if len(legal) == 1:
            return legal[0]
        self._root = Node()
        self._hopes: dict[Action, float] = {}
        self._order: list[Action] = []
        if self._cuts is None:
            self._cuts = tells_points(world, self._luck)
        self._work = self._full_work = 0
        self._turn: int = observation["turn"]
        self._start_turn()
        iterations = 0
        while spent(iterations) < 1:
            if self._cuts and not self._hopes and self._forecast.samples >= SAMPLES:
                self._look_ahead(world, legal, partial(spent, iterations))
            self._iterate()
            iterations += 1
        children = self._root.children
        return max(children, key=lambda action: (children[action].visits, children[action].total), default=legal[0])

    def _start_turn(self) -> None:
        self._forecast.fade()
        self._results = min(self._results, 20)
        for records in self._records:
            for action, record in list(records.items()):
                record[0] *= FORGET
                record[1] *= FORGET
                if record[0] < 0.1:
                    del records[action]

    def _look_ahead(self, world: State, legal: Sequence[Action], spent: Callable[[], float]) -> None:
        """Sort the actions of this turn by the forecast right after them."""
        self._forecast.solve(20)
        hopes = self._hopes
        for action in legal:
            if spent() > 0.5:
                break  # the search finds the others at random
            after = world.clone()
            after.apply(action)
            scores = after.scores() if after.to_act is None else self._forecast.scores(after)
            hopes[action] = self._worth(scores, self._me)
        # The best action is last, since `pop` takes it first.
        self._order = sorted([a for a in hopes if a not in self._root.children], key=hopes.__getitem__)

    def _iterate(self) -> None:
        """Walk through one world: down the tree, then to the cut or the end. Credit the result to the actions."""
        world = self._belief.sample(self._luck)
        path, played = self._walk_down(world)
        forecast, cut = self._forecast, 0
        ready = forecast.samples >= SAMPLES
        if self._cuts:
            self._play_on(world, played, int(self._luck.random() * AHEAD * self._length))
            if ready and world.to_act is not None:
                cut = len(played)
                scores = forecast.scores(world)
                self._note_leads(scores)
                rewards = self._rewards(scores)
                self._credit(path, rewards)
                self._record(played, rewards)
        if not cut or self._full_work < FULL_SHARE * self._work:
            self._finish(world, path, played, cut)
        self._work += len(played)

    def _finish(self, world: State, path: list[tuple[int, Node]], played: list[tuple[int, Action]], cut: int) -> None:
        """Play on to the end and learn from it. The tree gets the result unless it got one at the cut."""
        rows: list[Row] = []
        before: Sequence[float] = ()
        if self._cuts and world.to_act is not None:
            rows, before = table_rows(world), world.scores()
        self._play_on(world, played, sys.maxsize)
        self._full_work += len(played)
        own = sum(actor == self._me for actor, _ in played)
        self.turns_left += 0.05 * (own - self.turns_left)
        self._length += 0.05 * (self._turn + len(played) - self._length)
        scores = world.scores()
        if rows:
            self._forecast.learn(rows, [end - start for end, start in zip(scores, before, strict=True)], self._me)
            if self._forecast.samples % 8 < 1:
                self._forecast.solve()
        if not cut:
            self._note_leads(scores)
        rewards = self._rewards(scores, world.ranks())
        if not cut:
            self._credit(path, rewards)
        self._record(played[cut:], rewards)

    def _walk_down(self, world: State) -> tuple[list[tuple[int, Node]], list[tuple[int, Action]]]:
        """Play from the root to a new node or to the end. Return the nodes and the actions on the way."""
        node = self._root
        path: list[tuple[int, Node]] = []
        played: list[tuple[int, Action]] = []
        while (actor := world.to_act) is not None:
            # The tree has no chance nodes. Its values are averages over the outcomes of chance.
            if actor == CHANCE:
                world.apply(world.sample_chance(self._luck))
                continue
            assert isinstance(actor, int)
            action = self._descend(node, actor, world.legal_actions())
            node = node.children[action]
            path.append((actor, node))
            played.append((actor, action))
            world.apply(action)
            if not node.visits:
                break
        return path, played

    def _play_on(self, world: State, played: list[tuple[int, Action]], decisions: int) -> None:
        """Let every seat play by the records, for a number of decisions or to the end."""
        while (actor := world.to_act) is not None:
            if actor == CHANCE:
                world.apply(world.sample_chance(self._luck))
                continue
            if decisions == 0:
                break
            decisions -= 1
            assert isinstance(actor, int)
            action = self._tempting(world.legal_actions(), actor)
            played.append((actor, action))
            world.apply(action)

    def _descend(self, node: Node, seat: int, legal: Sequence[Action]) -> Action:
        """Return the action to try from a node: a new one if the node may grow, else the most promising one."""
        children = node.children
        at_root = node is self._root
        known = list(children) if at_root else list(filter(children.__contains__, legal))
        for action in known:
            children[action].available += 1
        if len(known) < len(legal) and len(known) < 1 + WIDTH * math.sqrt(node.visits):
            if at_root and self._order:
                new = self._order.pop()
            else:
                new = self._tempting([action for action in legal if action not in children], seat)
            children[new] = Node()
            children[new].available = 1
            return new
        hopes: Mapping[Action, float] = {}
        if at_root and self._hopes:
            hopes, shift = self._hopes, self._hope_shift()
        records, usual = self._records[seat], self._usual[seat]
        most = -1.0
        for action in known:
            child = children[action]
            if action in hopes:
                hope = hopes[action] + shift
            else:
                record = records.get(action)
                hope = record[1] / record[0] if record else usual
            visits = child.visits + DOUBT
            value = (child.total + DOUBT * hope + EXPLORE * math.sqrt(visits * math.log(child.available))) / visits
            if value > most:
                best, most = action, value
        return best

    def _hope_shift(self) -> float:
        """Return the average error of the forecast: a position looks different after the other seats have answered."""
        visits = off = 0.0
        for action, child in self._root.children.items():
            if action in self._hopes:
                visits += child.visits
                off += child.total - child.visits * self._hopes[action]
        return off / max(1.0, visits)

    def _tempting(self, legal: Sequence[Action], seat: int) -> Action:
        """Return the action with the best record among a few random ones."""
        number = len(legal)
        if number == 1:
            return legal[0]
        random = self._luck.random
        records, usual = self._records[seat], self._usual[seat]
        most = -1.0
        for _ in range(TRIES):
            action = legal[int(random() * number)]
            record = records.get(action) or records.get(action.__class__)
            value = record[1] / record[0] if record else usual
            if value > most:
                best, most = action, value
        return best

    def _worth(self, scores: Sequence[float], seat: int) -> float:
        lead = scores[seat] - max([scores[other] for other in self._others[seat]])
        scale = math.sqrt(self._spread) + 0.01
        return 1 / (1 + math.exp(max(-30.0, min(30.0, -1.7 * (lead - self._leads[seat]) / scale))))

    def _note_leads(self, scores: Sequence[float]) -> None:
        """Learn the usual lead of each seat, and its spread."""
        self._results += 1
        rate = max(0.01, 1 / self._results)
        for seat, others in enumerate(self._others):
            off = scores[seat] - max([scores[other] for other in others]) - self._leads[seat]
            self._leads[seat] += rate * off
            self._spread += rate * (off * off - self._spread) / len(self._others)

    def _rewards(self, scores: Sequence[float], ranks: Sequence[int] | None = None) -> list[float]:
        """Return the value of a result for each seat, 0 to 1. Without ranks it depends on points alone."""
        rewards = [self._worth(scores, seat) for seat in range(len(scores))]
        if ranks is not None:
            for seat, others in enumerate(self._others):
                beaten = sum([(ranks[seat] < ranks[other]) + 0.5 * (ranks[seat] == ranks[other]) for other in others])
                rewards[seat] += WINNING * (beaten / len(others) - rewards[seat])
        return rewards

    def _credit(self, path: Sequence[tuple[int, Node]], rewards: Sequence[float]) -> None:
        """Add a result to the nodes of a walk, each with its value for the seat that chose it."""
        self._root.visits += 1
        for seat, node in path:
            node.visits += 1
            node.total += rewards[seat]
        for seat, usual in enumerate(self._usual):
            self._usual[seat] += 0.02 * (rewards[seat] - usual)

    def _record(self, played: Sequence[tuple[int, Action]], rewards: Sequence[float]) -> None:
        """Add a result to the records of actions and of types of actions. A new action uses the record of its type."""
        for seat, action in played:
            reward, records = rewards[seat], self._records[seat]
            for key in (action, action.__class__):
                record = records.get(key)
                if record is None:
                    records[key] = [1.0, reward]
                else:
                    record[0] += 1
                    record[1] += reward


def tells_points(state: State, luck: Random) -> bool:
    """Return whether points change before the end, in a random match from here on."""
    state = state.clone()
    try:
        begin = tuple(state.scores())
        return any(state.to_act is not None and tuple(state.scores()) != begin for _ in random_walk(state, luck))
    except LookupError:
        return False


def by_clock(limit_s: float, began: float, now: Callable[[], float] = perf_counter) -> Callable[[int], float]:
    """Return a function that tells which share of the time is used up. Call it before each iteration."""
    last, longest = now(), 0.0

    def spent(_iterations: int) -> float:
        nonlocal last, longest
        time = now()
        longest, last = max(longest, time - last), time
        # The next iteration must end in time, too.
        return (time + longest - began) / limit_s if limit_s > 0 else 1.0

    return spent


def by_count(limit: int) -> Callable[[int], float]:
    """Return a function that tells which share of a number of iterations is used up."""
    return lambda iterations: iterations / limit


def limit_s(clock: Mapping[str, float], increment_s: float, turns_left: float) -> float:
    """Return the seconds for a turn: its share of the match's time, within the cap, less a reserve."""
    remaining_s, cap_s = clock["remaining_ms"] / 1000, clock["cap_ms"] / 1000
    share_s = remaining_s / (1.2 * turns_left + 5) + increment_s
    most_s = min(remaining_s, cap_s, share_s)
    return most_s * (1 - RESERVE_SHARE) - RESERVE_S


def main() -> None:
    """Answer messages until the arena closes the input."""
    parser = argparse.ArgumentParser(description="A bot for any game; it speaks the arena's protocol.")
    parser.add_argument("--iterations", type=int, help="search by count, not by the clock")
    iterations = parser.parse_args().iterations
    for line in sys.stdin:
        began = perf_counter()
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            if message["game"] in game_keys():
                game = get_game(message["game"])
                increment_s = message["time_control"]["increment_ms"] / 1000
                gc.freeze()  # the tables of the rules stay, so the garbage collector can skip them
                # The bot keeps nothing from one match to the next, and it computes the legal actions itself.
                answer = {"type": "ready", "reuse": True, "legal": "none"}
            else:
                answer = {"type": "decline"}
        elif message["type"] == "start":
            search = Search(game, message["seats"], Random(message["seed"]))
            continue  # this message gets no answer
        elif message["type"] == "turn":
            time_s = limit_s(message["clock"], increment_s, search.turns_left)
            spent = by_count(iterations) if iterations else by_clock(time_s, began)
            action = search.choose(message["observation"], spent)
            answer = {"action": game.encode(action), "turn": message["turn"]}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
