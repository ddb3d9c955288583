"""`arena check`: the test that an author runs before submitting a bot."""

from __future__ import annotations

import shlex

import click

from arena.check.report import CheckReport, declines, heading, stderr_lines
from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.bot_programs import BotPrograms, rules_for_play, sandbox_option, surroundings
from arena.cli.commands.game import find_game
from arena.cli.params import BOT_OR_FILE, GAME, LEAGUE, SEATS, json_option
from arena.errors import SubmissionRefused, UsageError
from arena.text.hints import game_hint
from arena.text.sanitize import terminal
from engine.catalog import game_keys, get_game

_WROTE = "the bot wrote to stderr: --stderr shows it"


@click.command(
    cls=ArenaCommand,
    examples=("arena check mybot.py", "arena check mybot.py --game burn_my_village --seats 2,5",
              "arena check quick/ --allow-build"),
)  # fmt: skip
@click.argument("bot", type=BOT_OR_FILE)
@click.option(
    "--game",
    "games",
    type=GAME,
    multiple=True,
    help="Check it in this game; repeatable (default: every game that it plays).",
)
@click.option("--league", type=LEAGUE, help="Check it by the rules of this league.")
@click.option("--seats", type=SEATS, help="Check it at these seat counts only.")
@click.option("--stderr", "show_stderr", is_flag=True, help="Print what the bot wrote to stderr in its last match.")
@click.option("--allow-build", is_flag=True, help="Run the build command even if it cannot be sandboxed.")
@sandbox_option
@json_option
@pass_app
def check(app: App, /, bot: str, games: tuple[str, ...], league: str | None, seats: tuple[int, ...] | None,
          show_stderr: bool, allow_build: bool, as_json: bool) -> None:  # fmt: skip
    """Check a bot as `arena submit` does, without submitting it.

    The bot answers the handshake and plays one match from every seat of the smallest and of the largest seat count,
    against seats that choose at random. It must pass at the seat counts of the league; further seat counts of the game
    are tested for advice only. After a fault the messages up to it are shown, with the bot's stderr. The check of a
    game takes about a minute, or as long as the bot's own clock allows for one match at each seat count.
    """
    from arena.check.runner import check as run_check
    from arena.submission.register import distinct

    for key in games:
        find_game(key)  # raises if there is none
    changes: dict[str, object] = {} if seats is None else {"seats": list(seats)}
    # The games of the bot are known only after it was copied and built. Until then it may play all of these leagues.
    possible = (
        [app.settings.find_league(league)] if league is not None else [*app.settings.leagues(games or None).values()]
    )
    with BotPrograms(app, possible, allow_build=allow_build) as bot_programs:
        program, said = bot_programs.offered(bot)
        if league is not None:
            chosen = [rules_for_play(app, games[0] if games else None, league, changes)]
        else:
            wanted = games or said or tuple(game_keys())
            chosen = [rules_for_play(app, None, r.name, changes) for r in distinct(possible) if r.game in wanted]
        if not chosen:
            raise UsageError(f"no league here plays {' or '.join(wanted)}")
        reports: list[CheckReport] = []
        for rules in chosen:
            tried = any(report.game == rules.game for report in reports)
            beyond = () if seats is not None or tried else ends(get_game(rules.game).seats)
            if not as_json:
                app.say(("\n" if reports else "") + app.title(heading(program.label, rules.name, rules.game)))
            report = run_check(
                program, rules, bot_programs.sandbox, beyond=beyond,
                on_step=None if as_json else lambda step: app.say(step.line()),
            )  # fmt: skip
            reports.append(report)
            if not as_json and report.conclusion():
                app.say("\n".join(report.conclusion()))
            if not as_json and report.failure is None and report.stderr:
                lines = stderr_lines("the bot in its last match", report.stderr)
                app.say("\n".join(lines)) if show_stderr else app.note(_WROTE)
            if report.failure is not None and report.failure.where == "handshake":
                break  # it would fail in every other game too
    if as_json:
        app.json([{**report.to_json(), **surroundings(app, bot_programs.sandbox)} for report in reports])
    failed = [report.game for report in reports if report.failure is not None]
    if failed:
        unexplained = all(report.failure is None or report.failure.hint is None for report in reports)
        advice = None
        if unexplained and league is None and not games and not said:
            fitting = [report.game for report in reports if report.failure is None]
            advice = game_hint(failed[0], [*fitting, *(rules.game for rules in chosen)])
        raise SubmissionRefused(
            f"{program.name} fails the check of {', '.join(dict.fromkeys(failed))}"
            + (f"\nhint: {advice}" if advice else "")
        )
    if all(report.declined for report in reports):
        declined = list(dict.fromkeys(report.game for report in reports))
        raise SubmissionRefused(declines(program.name, declined, "that it was to be checked in"))
    if not as_json and not program.version:
        leave = " --allow-build" if allow_build else ""
        typed = terminal(shlex.quote(bot))
        app.note(f"\n{program.name} passes the check: submit it with `arena submit{leave} {typed}`")


def ends(counts: range) -> tuple[int, ...]:
    """Return the smallest and the largest of these seat counts."""
    return tuple(sorted({counts[0], counts[-1]}))
