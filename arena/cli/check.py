"""`arena check`: what an author runs before handing in."""

from __future__ import annotations

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.kinds import BOT_OR_FILE, GAME, LEAGUE, SEATS, json_option
from arena.cli.seating import Table, rules_for_play, sandbox_option
from arena.errors import SubmissionRefused


@click.command(
    cls=ArenaCommand,
    examples=("arena check mybot.py", "arena check mybot.py --game burn_my_village --seats 2,5",
              "arena check quick/ --allow-build"),
)  # fmt: skip
@click.argument("bot", type=BOT_OR_FILE)
@click.option("--game", "games", type=GAME, multiple=True, help="Check it in this game; repeatable (else in all).")
@click.option("--league", type=LEAGUE, help="Check it by the rules of this league.")
@click.option("--seats", type=SEATS, help="Check it at these seat counts (else those of the league).")
@click.option("--allow-build", is_flag=True, help="Run a build command even where it cannot be confined.")
@sandbox_option
@json_option
@pass_app
def check(app: App, /, bot: str, games: tuple[str, ...], league: str | None, seats: tuple[int, ...] | None,
          allow_build: bool, as_json: bool) -> None:  # fmt: skip
    """Check a bot as `arena submit` does, without handing it in.

    It shakes hands and plays one match from every seat of the smallest and of the largest seat count against seats that
    choose at random. After a fault the conversation up to it is shown, with what the bot wrote to stderr.
    """
    from arena.selfcheck import check as run_check

    changes: dict[str, object] = {} if seats is None else {"seats": list(seats)}
    if league is not None:
        chosen = [rules_for_play(app, games[0] if games else None, league, changes)]
    else:
        keys = games or sorted({rules.game for rules in app.settings.leagues().values()})
        chosen = [rules_for_play(app, key, None, changes) for key in keys]
    with Table(app, allow_build=allow_build) as table:
        program = table.program(bot)
        reports = []
        for rules in chosen:
            reports.append(run_check(program, rules, table.sandbox))
            if not as_json:
                app.say("\n".join(reports[-1].lines()))
    if as_json:
        app.json([report.to_json() for report in reports])
    failed = [report.game for report in reports if report.failure is not None]
    if failed:
        raise SubmissionRefused(f"{program.name} fails the check of {', '.join(failed)}")
    if all(report.declined for report in reports):
        raise SubmissionRefused(f"{program.name} declines every game")
