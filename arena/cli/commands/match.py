"""`arena match …`: stored matches; watch, draw, verify and rehearse them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app
from arena.cli.bot_programs import BotPrograms, sandbox_option, surroundings
from arena.cli.params import BOT, BOT_OR_FILE, COUNT, INDEX, LEAGUE, VIEWPOINT, json_option
from arena.cli.picture_files import svg_file, write_picture
from arena.errors import UsageError, VerificationError
from arena.linux.regular_files import read_regular
from arena.text.sanitize import terminal
from arena.text.tables import columns
from arena.text.words import from_one

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.values import MatchFilter, MatchView


@click.group(cls=ArenaGroup, examples=("arena match list --bot mybot --forfeits", "arena match replay lanterns-1-0"))
def match() -> None:
    """The matches that were played."""


@match.command(
    "list", cls=ArenaCommand,
    examples=("arena match list", "arena match list --league lanterns --night 1 --limit 20",
              "arena match list --bot mybot --forfeits"),
)  # fmt: skip
@click.option("--league", type=LEAGUE, help="Only matches of this league.")
@click.option("--night", type=COUNT, help="Only matches of this night of the league.")
@click.option("--bot", type=BOT, help="Only matches of this bot, or of NAME:VERSION.")
@click.option("--forfeits", is_flag=True, help="Only matches in which a seat (of that bot) forfeited.")
@click.option("--limit", type=COUNT, default=50, show_default=True, help="List at most this many.")
@click.option("--offset", type=INDEX, default=0, help="Skip this many first.")
@json_option
@pass_app
def list_matches(app: App, /, as_json: bool, limit: int, offset: int, **wanted: Any) -> None:
    """List stored matches with their results."""
    from arena.store.values import MatchFilter

    chosen = MatchFilter(**wanted)
    with app.read_store() as store:
        if chosen.league is not None and chosen.night is not None:
            store.night(chosen.league, chosen.night)  # raises if there is no such night
        found = store.matches(chosen, limit=limit, offset=offset)
        total = store.count_matches(chosen)
    if as_json:
        app.json([_as_json(view) for view in found])
        return
    if not found:
        app.say(_no_match(chosen, total))
        return
    rows = [
        (
            view.match_id, view.state.value, view.turns,
            "  ".join(_seat_result(seat.label, seat.rank, seat.score, seat.cause) for seat in view.seats),
        )
        for view in found
    ]  # fmt: skip
    app.say(columns(("match", "state", "turns", "seats in order"), rows))
    if total > len(found):
        app.note(f"{len(found)} of {total} matches; --limit and --offset show others")


@match.command("show", cls=ArenaCommand, examples=("arena match show lanterns-1-0",))
@click.argument("match_id", metavar="ID")
@click.option("--stderr", "output_of", type=INDEX, metavar="SEAT", help="Print what that seat's bot wrote to stderr.")
@json_option
@pass_app
def show(app: App, match_id: str, output_of: int | None, as_json: bool) -> None:
    """Show one match: its seats, its result, its times, and why a seat forfeited."""
    from arena.store.values import NightState

    with app.read_store() as store:
        view = store.match(match_id)
        attempts = store.attempts(view.league, match_id=match_id)
        night = store.night(view.league, view.night)
        unkillable = [bot for bot in store.unkillable(night) if bot.position == view.position]
        if output_of is not None:
            if not 0 <= output_of < len(view.seats):
                raise UsageError(f"match {match_id} has no seat {output_of}: expected 0 to {len(view.seats) - 1}")
            if night.state is NightState.OPEN:
                # The bot may have written what only its seat knew of a seed on which matches are still unplayed.
                raise UsageError(f"the stderr of bots in {match_id} stays secret until night {view.night} is closed")
            wrote = store.bot_output(match_id, output_of).decode(errors="backslashreplace")
            if as_json:
                app.json({"match": match_id, "seat": output_of, "stderr": wrote})
                return
            for line in wrote.splitlines():
                app.say(terminal(line))
            if not wrote:
                app.note("the bot wrote nothing to stderr in this match")
            return
        hints = _hints(app, store, view, secret=night.state is NightState.OPEN)
    if as_json:
        app.json(
            {
                **_as_json(view),
                "hints": {str(seat): advice for seat, advice in hints.items()},
                "attempts": [dataclasses.asdict(attempt) for attempt in attempts],
                "unkillable": [{"bot": bot.bot, "works": bot.works} for bot in unkillable],
            }
        )
        return
    app.say(app.title(f"{view.match_id}: {view.state.value}"))
    app.say(f"round {view.round}, encounter {view.encounter}, rotation {view.rotation}, finished {view.finished_at}")
    rows = [
        (seat.seat, seat.label, from_one(seat.rank), seat.score, seat.turns,
         seat.time_total_s, seat.time_max_s, f"{seat.cause}: {seat.detail}" if seat.cause else "")
        for seat in view.seats
    ]  # fmt: skip
    headers = ("seat", "bot", "rank", "score", "turns", "time s", "longest s", "forfeit")
    app.say(columns(headers, rows))
    for attempt in attempts:
        app.say(f"attempt {attempt.number} was void: {terminal(attempt.cause)}")
    for seat, advice in hints.items():
        app.say(f"hint for seat {seat}: {terminal(advice)}")
    if any(seat.cause for seat in view.seats):
        app.note(f"`arena match show {match_id} --stderr SEAT` shows what a bot wrote to stderr")
    for bot in unkillable:
        app.say(f"{bot.bot}: {bot.meaning}; the result stands")


@match.command(
    "replay", cls=ArenaCommand,
    examples=("arena match replay lanterns-1-0", "arena match replay lanterns-1-0 --turn 12",
              "arena match replay lanterns-1-0 --raw > match.jsonl", "arena match replay match.jsonl"),
)  # fmt: skip
@click.argument("match_id", metavar="ID")
@click.option("--seat", type=INDEX, help="Show it as this seat saw it (default: as a spectator).")
@click.option("--turn", type=INDEX, help="Only this turn.")
@click.option("--raw", is_flag=True, help="Print the stored replay itself, as JSON lines.")
@pass_app
def replay(app: App, match_id: str, seat: int | None, turn: int | None, raw: bool) -> None:
    """Show a stored match turn by turn, and draw the position after each turn."""
    from arena.match.replay import read_replay
    from arena.match.spectator import Watcher, place_text, watched_steps

    if raw and (seat is not None or turn is not None):
        raise UsageError("--raw prints the whole replay: expected no --seat and no --turn with it")
    data = stored_replay(app, match_id, secret=raw or seat is not None)
    if raw:
        click.echo(data, nl=False)
        return
    found = read_replay(data)
    if seat is not None and seat >= found.header.seats:
        raise UsageError(f"match {match_id} has no seat {seat}: expected 0 to {found.header.seats - 1}")
    watcher = Watcher.of_replay(found, seat)
    last = None
    shown = False
    for step in watched_steps(found):
        last = step.turn if step.turn is not None else last
        if turn is None or step.turn == turn:
            app.say(watcher.text(step))
            shown = True
    if turn is not None and not shown:
        turns = "it has no turns" if last is None else f"expected 0 to {last}"
        raise UsageError(f"match {match_id} has no turn {turn}: {turns}")
    if turn is None:
        for line in sorted(zip(found.result.ranks, range(found.header.seats), strict=True)):
            app.say(f"{place_text(line[0])}: {watcher.who(line[1])}")


@match.command(
    "picture", cls=ArenaCommand,
    examples=("arena match picture lanterns-1-0 --turn 12 -o board.svg",
              "arena match picture lanterns-1-0 --as 1 -o board.svg", "arena match picture match.jsonl > board.svg"),
)  # fmt: skip
@click.argument("match_id", metavar="ID")
@click.option("--turn", type=INDEX, help="Draw the position after this turn (default: the last position).")
@click.option(
    "--as", "viewer", type=VIEWPOINT, default="spectator", show_default=True, metavar="SEAT|spectator",
    help="Draw what this seat sees, or what everybody sees.",
)  # fmt: skip
@click.option(
    "-o", "--output", "file", type=click.Path(path_type=Path, dir_okay=False), callback=svg_file, metavar="FILE.svg",
    help="Write the picture to this file (default: print it).",
)  # fmt: skip
@pass_app
def picture(app: App, match_id: str, turn: int | None, viewer: int | Literal["spectator"], file: Path | None) -> None:
    """Draw a position of a stored match as an SVG picture."""
    from arena.match.pictures import picture_after
    from arena.match.replay import read_replay

    seat = None if viewer == "spectator" else viewer
    svg = picture_after(read_replay(stored_replay(app, match_id, secret=seat is not None)), turn, seat) + "\n"
    if file is None:
        app.write(svg)
    else:
        write_picture(app, file, svg)


@match.command("verify", cls=ArenaCommand, examples=("arena match verify lanterns-1-0",
                                                      "arena match verify --league lanterns"))  # fmt: skip
@click.argument("match_ids", metavar="[ID]...", nargs=-1)
@click.option("--league", type=LEAGUE, help="Every finished match of this league.")
@click.option("--night", type=COUNT, help="Only matches of this night of the league.")
@json_option
@pass_app
def verify(app: App, match_ids: tuple[str, ...], league: str | None, night: int | None, as_json: bool) -> None:
    """Replay stored matches with the engine alone, and compare everything."""
    from arena.match.replay import read_replay
    from arena.match.replay import verify as verify_replay
    from arena.store.values import MatchFilter

    if bool(match_ids) == (league is not None):
        raise click.UsageError("expected either match ids or --league")
    if night is not None and league is None:
        raise click.UsageError(f"night {night} of which league? expected --league with it")
    different: dict[str, str] = {}
    with app.read_store() as store:
        chosen = MatchFilter(league=league, night=night)
        if league is not None:
            if not store.has_league(league):
                app.settings.find_league(league)  # raises and names the nearest league if the name is mistyped
                raise UsageError(f"{league} has no finished match: there is nothing to verify")
            if night is not None:
                store.night(league, night)  # raises if there is no such night
        ids = list(match_ids) or [
            view.match_id
            for start in range(0, store.count_matches(chosen), 500)
            for view in store.matches(chosen, limit=500, offset=start)
            if view.finished_at is not None
        ]
        if not ids:
            part = "" if night is None else f"night {night} of "
            raise UsageError(f"{part}{league} has no finished match: there is nothing to verify")
        for match_id in ids:
            try:
                verify_replay(read_replay(_in_file(match_id) or store.replay(match_id)))
            except VerificationError as error:
                different[match_id] = str(error)
                if not as_json:
                    app.say(f"{match_id}: {terminal(str(error))}")
    if as_json:
        app.json({"matches": len(ids), "different": different})
    else:
        matches = "1 match replays" if len(ids) == 1 else f"{len(ids)} matches replay"
        app.say(f"{len(ids) - len(different)} of {matches} exactly as stored")
    if different:
        raise VerificationError(f"{len(different)} of {len(ids)} matches replay differently from the stored result")


@match.command(
    "rehearse", cls=ArenaCommand,
    examples=("arena match rehearse lanterns-1-0 --seat 1 --bot mybot.py",
              "arena match rehearse match.jsonl --seat 0 --bot mybot:2"),
)  # fmt: skip
@click.argument("match_id", metavar="ID")
@click.option("--seat", type=INDEX, required=True, help="The seat that the bot takes.")
@click.option("--bot", type=BOT_OR_FILE, required=True, help="A file, a folder or a stored NAME[:VERSION].")
@click.option("--allow-build", is_flag=True, help="Run the build command even if it cannot be sandboxed.")
@sandbox_option
@json_option
@pass_app
def rehearse(app: App, match_id: str, seat: int, bot: str, allow_build: bool, as_json: bool) -> None:
    """Send a bot the messages of a stored match, and report its first answer that differs."""
    from arena.match.rehearsal import rehearse as rehearse_match
    from arena.match.replay import read_replay
    from arena.model.rules import LeagueRules

    found = read_replay(stored_replay(app, match_id, secret=True))
    rules = app.settings.get_league(found.header.rules.name)
    allowed_mb = max(LeagueRules.model_fields["memory_mb"].default, 0 if rules is None else rules.memory_mb)
    with BotPrograms(app, [] if rules is None else [rules], allow_build=allow_build) as bot_programs:
        most_mb = allowed_mb if _is_file(match_id) else None
        report = rehearse_match(found, seat, bot_programs.program(bot), bot_programs.sandbox, most_mb)
    if as_json:
        stderr = report.stderr.decode(errors="backslashreplace")
        app.json({**dataclasses.asdict(report), "stderr": stderr, **surroundings(app, bot_programs.sandbox)})
    else:
        app.say("\n".join(report.lines()))
    if report.fault is not None:
        raise VerificationError(f"the bot would have forfeited seat {seat} of {match_id}: {report.fault.cause}")


def stored_replay(app: App, match_id: str, *, secret: bool) -> bytes:
    """Return the replay of a stored match, or the content of a replay file.

    Raises `UsageError` if `secret` is set, because it shows hidden cards, and the night of the match is open.
    """
    from arena.store.values import NightState

    saved = _in_file(match_id)
    if saved is not None:
        return saved

    with app.read_store() as store:
        data = store.replay(match_id)
        view = store.match(match_id)
        night = store.night(view.league, view.night)
    if secret and night.state is NightState.OPEN:
        # Other rotations of the encounter, on the same seed, may still be unplayed.
        raise UsageError(f"seeds and hidden cards of {match_id} stay secret until night {view.night} is closed")
    return data


def _hints(app: App, store: Store, view: MatchView, *, secret: bool) -> dict[int, str]:
    """Return advice about the seats that forfeited. `secret` hides what depends on their stderr."""
    from arena.check.advice import advise
    from arena.model.records import Program

    found: dict[int, str] = {}
    for seat in view.seats:
        if seat.cause is None:
            continue
        version = store.version(seat.label)
        folder = str(app.home.bots / version.digest)
        program = Program(version.bot, version.number, version.author, version.digest, folder, version.command)
        wrote = b"" if secret else store.bot_output(view.match_id, seat.seat)
        stderr = wrote.decode(errors="backslashreplace")
        advice = advise(program, seat.cause, seat.detail, stderr, seat.turns)
        if advice is not None:
            found[seat.seat] = advice
    return found


def _no_match(chosen: MatchFilter, total: int) -> str:
    """Return why a list is empty; `total` is the number of matches that fit."""
    from arena.store.values import MatchFilter

    if total:
        return f"--offset skips every match that fits: expected less than {total}"
    return "no match has been planned yet" if chosen == MatchFilter() else "no match fits"


def _seat_result(label: str, rank: int | None, score: float | None, cause: object) -> str:
    if rank is None:
        return label
    points = f" {score:g}" if score is not None else ""
    return f"{from_one(rank)}. {label}{points}" + (f" ({cause})" if cause else "")


def _as_json(view: MatchView) -> dict[str, Any]:
    shown = dataclasses.asdict(view)
    for seat in shown["seats"]:
        seat["rank"] = from_one(seat["rank"])
    return shown


def _in_file(match_id: str) -> bytes | None:
    """Return the content of the file if the argument is a path, not the id of a match."""
    file = Path(match_id)
    if not _is_file(match_id):
        return None
    return read_regular(file)


def _is_file(match_id: str) -> bool:
    return "/" in match_id or bool(Path(match_id).suffix)
