"""`arena play`: one match on the terminal."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.check.advice import advise
from arena.check.report import stderr_lines
from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.bot_programs import BotPrograms, read_options, rules_for_play, sandbox_option, surroundings
from arena.cli.params import BOT_OR_FILE, GAME, INDEX, LEAGUE, PATH
from arena.errors import StoreError
from arena.match.spectator import Watcher
from arena.model.records import MatchOrder, MatchRecord, Program, SeatResult
from arena.model.seeds import derive
from arena.protocol.messages import encode_hello
from arena.text.sanitize import terminal
from arena.text.words import from_one
from engine.catalog import get_game

if TYPE_CHECKING:
    from arena.sandbox.launcher import Sandbox

_MATCH_ID = "play"


@click.command(
    cls=ArenaCommand,
    examples=(
        "arena play mybot.py greedy --game burn_my_village --watch",
        "arena play a.py b.py c.py d.py --game burn_my_village --seed 7 --option wilds=all",
        "arena play mybot.py mybot:1 --time-control 2+0/0.5 --save match.jsonl",
    ),
)
@click.argument("bots", type=BOT_OR_FILE, metavar="BOT BOT...", nargs=-1, required=True)
@click.option("--game", type=GAME, help="The game to play.")
@click.option("--league", type=LEAGUE, help="Play by the rules of this league.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Seed of all chance in the game (default: a new one).")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeatable.")
@click.option("--time-control", metavar="BASE+INC/CAP", help="Seconds at the start, added each turn, most for a turn.")
@click.option("--watch", is_flag=True, help="Draw the position after each turn.")
@click.option("--seat", "viewer", type=INDEX, help="With --watch: show it as this seat sees it.")
@click.option("--stderr", "output_of", type=INDEX, multiple=True, metavar="SEAT",
              help="Print what that seat's bot wrote to stderr; repeatable.")  # fmt: skip
@click.option("--save", "file", type=PATH, help="Write the replay to this file.")
@click.option("--allow-build", is_flag=True, help="Run build commands even if they cannot be sandboxed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a script.")
@sandbox_option
@pass_app
def play(app: App, /, bots: tuple[str, ...], game: str | None, league: str | None, seed: int | None,
         options: tuple[str, ...], time_control: str | None, watch: bool, viewer: int | None,
         output_of: tuple[int, ...], file: Path | None, allow_build: bool, as_json: bool) -> None:  # fmt: skip
    """Play one match between bots, each a file, a folder or a stored NAME[:VERSION]; it is never rated.

    There is one seat for each bot, in the order given. The stderr of a bot that forfeits is always shown.
    """
    for seat in (*output_of, *(() if viewer is None else (viewer,))):
        if seat >= len(bots):
            raise click.UsageError(f"there is no seat {seat}: expected 0 to {len(bots) - 1}")
    changes: dict[str, object] = {"seats": [len(bots)]}
    if time_control is not None:
        changes["time_control"] = time_control
    rules = rules_for_play(app, game, league, changes)
    if options:
        rules = rules_for_play(
            app, game, league, {**changes, "options": {**rules.options, **read_options(rules.game, options)}}
        )
    seed = secrets.randbits(32) if seed is None else seed
    with BotPrograms(app, [rules], allow_build=allow_build) as bot_programs:
        programs = tuple(bot_programs.program(bot) for bot in bots)
        watcher = Watcher(get_game(rules.game), [program.label for program in programs], viewer)
        order = MatchOrder(
            _MATCH_ID, derive(b"arena play", str(seed)), rules, programs, sandbox=tuple(bot_programs.sandbox.layers)
        )
        record = _play(app, order, bot_programs.sandbox, watcher if watch and not as_json else None)
    if file is not None:
        try:
            file.write_bytes(record.replay)
        except OSError as error:
            raise StoreError(f"the replay cannot be written to {file}: {error.strerror}") from error
    if as_json:
        app.json({**_as_json(record, programs, seed), **surroundings(app, bot_programs.sandbox)})
        return
    app.say(watcher.result(record))
    for number, result in enumerate(record.seats):
        wrote = result.stderr.decode(errors="backslashreplace")
        if wrote and (result.cause is not None or number in output_of):
            app.say("\n".join(stderr_lines(watcher.who(number), wrote)))
        if (advice := _advice(programs[number], result)) is not None:
            app.say(f"hint for {watcher.who(number)}: {terminal(advice)}")
        if not wrote and number in output_of:
            app.note(f"{watcher.who(number)} wrote nothing to stderr")
    app.note(f"seed {seed}: `--seed {seed}` repeats the chance of this match" + (f"; replay in {file}" if file else ""))


def _play(app: App, order: MatchOrder, sandbox: Sandbox, watcher: Watcher | None) -> MatchRecord:
    from arena.match.referee import play_match
    from arena.match.session import Session

    hello = encode_hello(get_game(order.rules.game), order.rules)
    with ExitStack() as stack:
        sessions = []
        for program in order.programs:
            session = Session.launch(program, hello, order.rules, sandbox)
            stack.callback(session.close, polite=True)
            sessions.append(session)
        for session in sessions:
            stack.callback(session.dismiss)  # runs before any close, so that all bots exit at the same time
        return play_match(order, sessions, None if watcher is None else lambda step: app.say(watcher.text(step)))


def _advice(program: Program, result: SeatResult) -> str | None:
    if result.cause is None:
        return None
    return advise(program, result.cause, result.detail, result.stderr.decode(errors="backslashreplace"), result.turns)


def _as_json(record: MatchRecord, programs: Sequence[Program], seed: int) -> dict[str, object]:
    seats = [
        {
            "bot": program.label, "rank": from_one(seat.rank), "score": seat.score,
            "cause": seat.cause, "detail": seat.detail,
            "turns": seat.turns, "time_total_s": seat.time_total_s, "time_max_s": seat.time_max_s,
            "stderr": seat.stderr.decode(errors="backslashreplace"), "hint": _advice(program, seat),
        }
        for program, seat in zip(programs, record.seats, strict=True)
    ]  # fmt: skip
    header = json.loads(record.replay.split(b"\n", 1)[0])
    return {
        "game": header["game"], "options": header["options"], "seed": seed, "outcome": record.outcome,
        "reason": record.reason, "turns": record.turns, "seats": seats,
    }  # fmt: skip
