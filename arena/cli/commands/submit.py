"""`arena submit`: submit bots."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.check.report import CheckReport, spent
from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.bot_programs import confine, sandbox_option, surroundings, tell_surroundings
from arena.cli.params import GAME, LEAGUE, PATH, json_option
from arena.errors import ArenaError, ArenaFault, RuntimeMissing, SubmissionRefused
from arena.text.sanitize import terminal, terminal_lines

if TYPE_CHECKING:
    from arena.store.values import Receipt
    from arena.submission.register import Entered


@click.command(
    cls=ArenaCommand,
    examples=(
        "arena submit mybot.py",
        'arena submit mybot.js --name swift --author "Ada Lovelace"',
        "arena submit quick/ --allow-build --game burn_my_village",
        "arena submit bots/* --skip-missing",
    ),
)
@click.argument("sources", type=PATH, metavar="PATH...", nargs=-1, required=True)
@click.option("--name", help="Name of the bot (default: as in the manifest, or as the file); a manifest must agree.")
@click.option(
    "--author",
    help="Author of the bot (default: ARENA_AUTHOR, then the manifest, then your login); a manifest must agree.",
)
@click.option("--game", "games", type=GAME, multiple=True, help="Enter it in this game only; repeatable.")
@click.option("--league", "leagues", type=LEAGUE, multiple=True, help="Enter it in this league only; repeatable.")
@click.option("--allow-build", is_flag=True, help="Run the build command even if it cannot be sandboxed.")
@click.option("--skip-missing", is_flag=True, help="Skip bots whose language is not installed here, and report them.")
@sandbox_option
@json_option
@pass_app
def submit(app: App, /, sources: tuple[Path, ...], name: str | None, author: str | None, games: tuple[str, ...],
           leagues: tuple[str, ...], allow_build: bool, skip_missing: bool, as_json: bool) -> None:  # fmt: skip
    """Submit a bot: a file, a program or a folder with a bot.toml.

    The bot is copied, checked in test matches, and entered as a new version in every league whose game it plays.
    Submitting the same content again changes nothing. Several bots are submitted independently of each other; the exit
    status is 1 if one was refused.
    """
    from arena.submission.receive import SubmitOptions
    from arena.submission.register import CheckSettings, register

    if name is not None and len(sources) > 1:
        raise click.UsageError("--name is for one bot: expected one path with it")
    said_in = "--author" if author is not None else app.settings.sources.get("author", "the settings")
    options = SubmitOptions(name, app.settings.author if author is None else author, said_in, games, allow_build)
    chosen = {league: app.settings.find_league(league) for league in leagues} or app.settings.leagues(games or None)
    sandbox = confine(app, [rules for rules in chosen.values() if not games or rules.game in games])
    tell_surroundings(app, sandbox)
    around = surroundings(app, sandbox)

    def tell(report: CheckReport) -> None:
        if report.passed and not as_json:
            app.note(f"{report.bot}: {_line(report)}")

    leagues_now: set[str] = set()
    told: list[dict[str, object]] = []
    refused: list[ArenaError] = []
    with app.open_store(create=True) as store:
        for number, source in enumerate(sources):
            try:
                entered = register(store, app.home.bots, source, options, chosen, CheckSettings(sandbox, report=tell))
            except (SubmissionRefused, ArenaFault) as error:
                # The bot may have caused a fault of its check: it is not entered, and the other bots are submitted.
                outcome = "failed" if isinstance(error, ArenaFault) else "refused"
                if skip_missing and isinstance(error, RuntimeMissing):
                    outcome = "left_out"
                else:
                    refused.append(error)
                told.append({"source": str(source), "outcome": outcome, "reason": str(error), **around})
                if len(sources) > 1 or outcome == "left_out":
                    word = "skipped" if outcome == "left_out" else outcome
                    app.note(f"{word} {terminal(str(source))}: {terminal_lines(str(error))}")
                if app.debug and outcome == "failed":
                    app.note(terminal_lines("".join(traceback.format_exception(error))))
                continue
            except BaseException:
                if rest := [str(source) for source in sources[number + 1 :]]:
                    app.note(f"not handled: {' '.join(map(terminal, rest))}")
                if as_json:
                    told += [{"source": left, "outcome": "not_handled"} for left in [str(source), *rest]]
                    app.json(told)
                raise
            if entered.receipt.same_content:
                app.note(f"warning: {', '.join(entered.receipt.same_content)} already has the same content")
            leagues_now.update(entered.receipt.entered)
            told.append({"source": str(source), "outcome": _word(entered.receipt), **_as_json(entered), **around})
            if not as_json:
                app.say(_outcome(entered.receipt))
        playable = app.playable(store)
    if as_json:
        app.json(told)
    elif first := next((league for league in playable if league in leagues_now), None):
        app.note(f"play a night with `arena night run {first}`")
    if refused and len(sources) == 1:
        raise refused[0]
    if refused:
        raise SubmissionRefused(f"{len(refused)} of {len(sources)} bots were refused; the refused bots were not stored")


def _outcome(receipt: Receipt) -> str:
    version = receipt.version
    if receipt.is_new:
        return f"{version.label} by {terminal(version.author)} is entered in {', '.join(receipt.entered)}"
    if receipt.entered:
        return f"{version.label} has been submitted before; it is now entered in {', '.join(receipt.entered)}"
    changed = f"{version.label} has been submitted before with the same content: nothing changes"
    return changed if version.leagues else f"{changed}; `arena bot use {version.label}` lets this version play again"


def _word(receipt: Receipt) -> str:
    if receipt.is_new:
        return "entered"
    return "entered_before" if receipt.entered else "unchanged"


def _as_json(entered: Entered) -> dict[str, object]:
    receipt, version = entered.receipt, entered.receipt.version
    return {
        "bot": version.bot, "version": version.number, "author": version.author, "digest": version.digest,
        "new": receipt.is_new, "entered": list(receipt.entered), "same_content": list(receipt.same_content),
        "checks": [report.to_json() for report in entered.reports],
    }  # fmt: skip


def _line(report: CheckReport) -> str:
    doubts = "; ".join(f"{step.name}: {step.seen}" for step in report.steps if step.status == "warned")
    times = f"{report.turns} turns, slowest {spent(report.slowest_s)}"
    league = "" if report.league == report.game else f" of {report.league}"
    return f"check{league} in {report.game} passed ({times})" + (f"; note {doubts}" if doubts else "")
