"""Sample bots for tests: loaded into the test, or as processes that receive the lines of an arena."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType, TracebackType
from typing import Any

import pytest

from engine.core import CHANCE, Game, Scalar, State

FOLDER = Path(__file__).parents[2] / "sample_bots"

Decide = Callable[[dict[str, Any], Random], int | dict[str, Any]]
"""A bot in the test: from a turn message and its luck to an answer's action."""


def load(name: str) -> ModuleType:
    """The module of a sample bot: `village_greedy`, or `folder/file`."""
    path = FOLDER / f"{name}.py"
    spec = spec_from_file_location(f"sample_bots.{name.replace('/', '.')}", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # as for a program that is run: a bot in a folder imports its neighbours
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def at_random(message: dict[str, Any], luck: Random) -> int:
    """What a random bot answers."""
    return luck.randrange(len(message["legal"]))


def turn_message(state: State) -> dict[str, Any]:
    """The parts of a turn message that a decision rests on, after a journey through JSON."""
    message = {
        "type": "turn",
        "turn": state.observation(None)["turn"],
        "observation": state.observation(state.to_act if isinstance(state.to_act, int) else None),
        "events": [],
        "legal": [state.game.encode(action) for action in state.legal_actions()],
        "clock": {"remaining_ms": 10_000, "cap_ms": 2_000},
    }
    copy: dict[str, Any] = json.loads(json.dumps(message))
    return copy


def play(game: Game, seats: int, seed: int, answer: Callable[[int, dict[str, Any]], int | dict[str, Any]]) -> State:
    """One match to its end: `answer` gets the seat and its message. Chance depends on the seed alone."""
    state = game.new(seats)
    while state.to_act is not None:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(Random(f"{seed}:{state.chance_key}")))
            continue
        action = answer(state.to_act, turn_message(state))
        state.apply(state.legal_actions()[action] if isinstance(action, int) else game.decode(action))
    return state


def share_of_wins(game: Game, first: Decide, others: Sequence[Decide], seeds: Iterable[int]) -> float:
    """Share of matches that the first bot wins against the others, from every seat on every seed; a tie is shared."""
    won, matches = 0.0, 0
    bots = [first, *others]
    for seed in seeds:
        for place in range(len(bots)):
            seated = [bots[(seat - place) % len(bots)] for seat in range(len(bots))]
            lucks = [Random(f"{seed}:{place}:{seat}") for seat in range(len(bots))]
            state = play(game, len(bots), seed, lambda seat, message: seated[seat](message, lucks[seat]))  # noqa: B023
            ranks = state.ranks()
            won += (ranks[place] == 0) / ranks.count(0)
            matches += 1
    return won / matches


def play_among_random(
    game: Game, seats: int, chosen: set[int], seed: int, decide: Decide, options: Mapping[str, Scalar] | None = None
) -> State:
    """A finished match: the bot, which answers with an index, in the chosen seats, random play in the others."""
    state, chance = game.new(seats, options), Random(seed)
    lucks = [Random(f"{seed}:{seat}") for seat in range(seats)]
    while (actor := state.to_act) is not None:
        if actor == CHANCE:
            state.apply(state.sample_chance(chance))
            continue
        assert isinstance(actor, int)
        legal = state.legal_actions()
        # Drawn in every seat: who is chosen changes nothing in the luck of the others.
        index: Any = lucks[actor].randrange(len(legal))
        if actor in chosen:
            index = decide(turn_message(state), lucks[actor])
        state.apply(legal[index])
    return state


def converse(
    main: Callable[[], None],
    lines: Iterable[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> list[Any]:
    """What a bot's `main` answers to these messages."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(line) + "\n" for line in lines)))
    main()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


class BotProcess:
    """A sample bot as a process, spoken to as the arena speaks."""

    def __init__(self, command: Sequence[str], folder: Path = FOLDER) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(FOLDER.parent)},
        )

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=20)
        assert kind or self._process.returncode == 0, "end of input is a polite end"

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message that gets no answer."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message, separators=(",", ":")) + "\n")
        self._process.stdin.flush()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a message and read the one line of its answer."""
        self.tell(message)
        assert self._process.stdout
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def greet(self, game: str) -> dict[str, Any]:
        """The answer to a hello."""
        return self.ask(
            {"type": "hello", "protocol": 1, "game": game, "game_version": 1, "options": {}, "seats": [2, 5]}
        )

    def play(self, game: Game, seats: int, seat: int, seed: int) -> list[Any]:
        """What the bot answers in one match, sitting at `seat` among random bots."""
        luck = Random(seed)
        clock = {"remaining_ms": 10_000, "cap_ms": 2_000}
        start = {"type": "start", "match": "m", "seat": seat, "seats": seats, "seed": seed * 7 + 1, "clock": clock}
        self.tell(start)
        answers: list[Any] = []

        def answer(actor: int, message: dict[str, Any]) -> int | dict[str, Any]:
            if actor != seat:
                return at_random(message, luck)
            answers.append(self.ask(message)["action"])
            action: int | dict[str, Any] = answers[-1]
            return action

        state = play(game, seats, seed, answer)
        self.tell({"type": "end", "ranks": list(state.ranks()), "scores": None, "reason": "game_over", "events": []})
        return answers


def command_of(name: str) -> list[str] | None:
    """How a single file is run, or None where its runtime is missing."""
    if name.endswith(".py"):
        return [sys.executable, name]
    return ["node", name] if shutil.which("node") else None
