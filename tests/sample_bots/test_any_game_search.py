"""The general search bot: it finds winning actions, uses no hidden information, respects limits, plays all seats."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from engine.catalog import game_keys, get_game
from engine.core import CHANCE, Action, Game
from engine.walk import settle_chance
from tests.engine.contract import Table, tables
from tests.sample_bots import small_games
from tests.sample_bots.bots import BotProcess, at_random, load, share_of_wins

bot: Any = load("any_game_search/search")


def searching(game: Game, iterations: int) -> Callable[[dict[str, Any], Random], Any]:
    """A bot for matches in the test: a new search for each match."""
    searches: dict[int, Any] = {}

    def decide(message: dict[str, Any], luck: Random) -> Any:
        search = searches.get(id(luck))
        if search is None:
            searches.clear()
            search = searches[id(luck)] = bot.Search(game, message["observation"]["seats"], luck)
        return game.encode(search.choose(message["observation"], bot.by_count(iterations)))

    return decide


def answer(game: Game, seen: dict[str, Any], seed: int = 1, iterations: int = 400) -> Action:
    """What a fresh search plays."""
    action: Action = bot.Search(game, seen["seats"], Random(seed)).choose(seen, bot.by_count(iterations))
    return action


@pytest.mark.parametrize("stones", [2, 3, 5, 6, 7, 9])
def test_it_finds_the_action_that_wins(stones: int) -> None:
    """Of a number of stones that is no multiple of four it takes the remainder, whatever its luck."""
    game = small_games.Stones()
    state = game.new(2)
    state.stones = stones
    for seed in range(5):
        assert answer(game, state.observation(0), seed) == small_games.Take(stones % 4)


@pytest.mark.parametrize("coin", [0, 1])
def test_it_plays_by_what_is_likely_not_by_what_is_true(coin: int) -> None:
    """It names the likelier side of a covered coin, whichever way the coin really lies."""
    game = small_games.Coin()
    state = game.new(2)
    state.coin = coin
    for seed in range(5):
        assert answer(game, state.observation(0), seed) == small_games.Take(1)


@pytest.mark.parametrize("table", tables(), ids=str)
def test_it_plays_at_every_table(table: Table) -> None:
    """At every seat count of every game, from early in a match to its last turns, its answers are legal."""
    state, chance = table.new(), Random(3)
    searches = [bot.Search(table.game, table.seats, Random(seat)) for seat in range(table.seats)]
    turn = 0
    while True:
        settle_chance(state, chance)
        if state.to_act is None:
            break
        assert isinstance(state.to_act, int)
        legal = state.legal_actions()
        action = chance.choice(legal)
        if turn % 7 == 0:
            action = searches[state.to_act].choose(state.observation(state.to_act), bot.by_count(8))
            assert action in legal
        state.apply(action)
        turn += 1


@pytest.mark.parametrize("key", game_keys())
def test_the_same_seed_gives_the_same_answers(key: str) -> None:
    """By count its answers depend on the messages and the seed alone; another seed gives other play-outs."""
    game = get_game(key)
    state, chance = game.new(2), Random(4)
    for _ in range(12):
        state.apply(state.sample_chance(chance) if state.to_act == CHANCE else chance.choice(state.legal_actions()))
    settle_chance(state, chance)
    assert isinstance(state.to_act, int)
    seen = state.observation(state.to_act)
    runs = [bot.Search(game, 2, Random(seed)) for seed in (5, 5, 6)]
    answers = [[run.choose(seen, bot.by_count(60)) for _ in range(2)] for run in runs]
    assert answers[0] == answers[1]
    assert runs[0].turns_left == runs[1].turns_left != runs[2].turns_left


@pytest.mark.parametrize(("key", "matches"), [("burn_my_village", 6), ("lanterns", 6), ("hell_village", 2)])
def test_it_is_ahead_of_random(key: str, matches: int) -> None:
    """With few iterations a turn it wins every match against a random bot on fixed seeds, from both seats."""
    game = get_game(key)
    assert share_of_wins(game, searching(game, 40), [at_random], range(matches // 2)) == 1.0


class Ticks:
    """A clock that goes on by the same step whenever it is read."""

    def __init__(self, step_s: float) -> None:
        self.step_s = step_s
        self.time_s = 100.0

    def __call__(self) -> float:
        self.time_s += self.step_s
        return self.time_s


@pytest.mark.parametrize("step_s", [0.0005, 0.004, 0.013])
def test_it_ends_before_its_time_is_up(step_s: float) -> None:
    """However long an iteration takes, the last one ends within the limit, and little of it is left unused."""
    now, game = Ticks(step_s), small_games.Stones()
    began = now.time_s
    state = game.new(2)
    spent = bot.by_clock(0.040, began, now)
    bot.Search(game, 2, Random(1)).choose(state.observation(0), spent)
    assert 0.040 - 2 * step_s <= now.time_s - began <= 0.040


def test_without_time_it_answers_at_once() -> None:
    """When nothing is left of its time it plays a legal action without a search."""
    now, game = Ticks(0.0), small_games.Stones()
    state = game.new(2)
    assert bot.Search(game, 2, Random(1)).choose(state.observation(0), bot.by_clock(-0.5, 100.0, now)) in (
        state.legal_actions()
    )


@pytest.mark.parametrize(
    ("clock", "increment_s", "turns_left", "least", "most"),
    [
        ({"remaining_ms": 60_000, "cap_ms": 200}, 0.2, 30, 0.180, 0.195),  # the cap decides
        ({"remaining_ms": 60_000, "cap_ms": 50}, 0.0, 100, 0.035, 0.045),
        ({"remaining_ms": 10_000, "cap_ms": 2_000}, 0.1, 50, 0.15, 0.30),  # the share of a turn decides
        ({"remaining_ms": 40, "cap_ms": 2_000}, 0.1, 50, 0.0, 0.035),  # what is left decides
    ],
)
def test_it_shares_its_time_out(
    clock: dict[str, int], increment_s: float, turns_left: float, least: float, most: float
) -> None:
    """A turn gets its share of the match's time, never more than the cap or the rest, and always less than all."""
    assert least <= bot.limit_s(clock, increment_s, turns_left) <= most


@pytest.fixture
def process() -> Iterator[BotProcess]:
    """The bot, by count, as the arena would start it."""
    with BotProcess([sys.executable, "any_game_search/search.py", "--iterations", "20"]) as started:
        yield started


def test_it_keeps_the_protocol(process: BotProcess) -> None:
    """It greets, asks for no legal lists, names its turn, repeats itself in a used process."""
    hello = {"type": "hello", "protocol": 1, "game": "burn_my_village", "time_control": {"increment_ms": 100}}
    assert process.ask(hello) == {"type": "ready", "reuse": True, "legal": "none"}
    game = get_game("burn_my_village")
    first = process.play(game, 2, 1, 7)
    process.play(game, 3, 0, 8)
    assert process.play(game, 2, 1, 7) == first


def test_it_declines_what_it_has_no_rules_for(process: BotProcess) -> None:
    """A game that is not in the catalog is declined."""
    assert process.ask({"type": "hello", "protocol": 1, "game": "chess"}) == {"type": "decline"}
