"""Golden playthroughs: one random match of each built-in game and seat count as readable text.

`python -m tests.engine.playthrough [GAME ...]` (or `make golden`) writes them again to `tests/engine/playthroughs/`;
read the difference before committing it. A change in a playthrough means that old replays give different results, or
that messages or pictures have changed: the first needs a higher `version` of the game.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

from engine.catalog import BUILT_IN, get_game
from engine.core import CHANCE, Event, Game, State
from engine.walk import perft, random_walk

FOLDER = Path(__file__).parent / "playthroughs"
TABLES_SHOWN = 8


def path_of(game: Game, seats: int) -> Path:
    """Where the playthrough of that game and seat count lies."""
    return FOLDER / f"{game.key}-{seats}.txt"


def playthrough(game: Game, seats: int) -> str:
    """The whole match as text."""
    return "\n".join(_lines(game, seats)) + "\n"


def _lines(game: Game, seats: int) -> Iterator[str]:
    state = game.new(seats)
    yield f"{game.title} ({game.key}, version {game.version}), {seats} seats, a random match"
    yield "Each turn: seat, number of legal actions, the action, what happened, a digest of all that everyone sees."
    yield f"Sequences of actions from the start: {perft(state, 1)} of one turn, {perft(state, 2)} of two."
    seed = f"playthrough:{game.key}:{seats}"
    decisions = sum(step.actor != CHANCE for step in random_walk(state.clone(), Random(seed)))
    every = max(1, decisions // TABLES_SHOWN)
    legal = 0
    for step in random_walk(state, Random(seed)):
        turn = state.observation(None)["turn"]
        yield ""
        if step.actor == CHANCE:
            yield "chance"
        else:
            yield f"turn {turn - 1}, seat {step.actor}, {legal} legal"
        yield f"  plays {_compact(game.encode(step.action))}"
        for event in step.events:
            yield from _described(game, event, seats)
        yield f"  digest {_digest(state)}"
        legal = len(state.legal_actions())
        if step.actor != CHANCE and isinstance(state.to_act, int) and turn % every == 0:
            yield ""
            yield f"-- the table as seat {state.to_act} sees it --"
            yield game.draw(state.observation(state.to_act))
    yield ""
    yield "-- the table at the end --"
    yield game.draw(state.observation(None))
    yield f"scores {list(state.scores())}, ranks {list(state.ranks())}"


def _described(game: Game, event: Event, seats: int) -> Iterator[str]:
    public = game.describe(event.seen_by(None))
    yield f"  - {public}"
    told = [(game.describe(event.seen_by(seat)), seat) for seat in range(seats)]
    for line, group in groupby([(line, seat) for line, seat in told if line != public], key=lambda entry: entry[0]):
        yield f"    only to seat {', '.join(str(seat) for _, seat in group)}: {line}"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _digest(state: State) -> str:
    views = [state.observation(viewer) for viewer in (None, *range(state.seats))]
    legal = [state.game.encode(action) for action in state.legal_actions()]
    return blake2b(_compact([views, legal]).encode(), digest_size=6).hexdigest()


def main(keys: list[str]) -> None:
    """Write the playthroughs of these games."""
    FOLDER.mkdir(exist_ok=True)
    for key in keys or list(BUILT_IN):
        game = get_game(key)
        for seats in game.seats:
            path_of(game, seats).write_text(playthrough(game, seats), "utf-8")
            print(path_of(game, seats))


if __name__ == "__main__":
    main(sys.argv[1:])
