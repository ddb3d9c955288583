"""`arena night workers|add|drop|timer`: commands for a running night, and for nights that start on schedule."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.params import BOT, LEAGUE, json_option
from arena.config.settings import ENVIRONMENT_PREFIX, HOME_VARIABLE, MOST_WORKERS
from arena.text.words import counted


@click.command("workers", cls=ArenaCommand, examples=("arena night workers 4",))
@click.argument("count", type=click.IntRange(1, MOST_WORKERS), metavar="N")
@pass_app
def workers(app: App, count: int) -> None:
    """Play N matches at the same time, from the next round of the running night on."""
    from arena.night.control import call

    call(app.home.run, {"command": "workers", "count": count})
    app.say(f"the night plays {counted(count, 'match', 'matches')} at the same time from its next round on")


@click.command("add", cls=ArenaCommand, examples=("arena night add mybot",))
@click.argument("bot", type=BOT)
@pass_app
def add(app: App, bot: str) -> None:
    """Let an entered bot play in the running night, from its next round on.

    The newest version of the bot plays, instead of an older version that plays now. Results stay, and the later rounds
    are balanced again. A bot that was dropped from a night cannot come back to it.
    """
    from arena.night.control import call

    answer = call(app.home.run, {"command": "add", "bot": bot})
    instead = f" instead of {answer['replaced']}" if answer.get("replaced") else ""
    app.say(f"{answer['bot']} plays from round {answer['from_round']} on{instead}")


@click.command("drop", cls=ArenaCommand, examples=("arena night drop mybot",))
@click.argument("bot", type=BOT)
@pass_app
def drop(app: App, bot: str) -> None:
    """Take a bot out of the running night, from its next round on; its results stay."""
    from arena.night.control import call

    answer = call(app.home.run, {"command": "drop", "bot": bot})
    app.say(f"{answer['bot']} is dropped from round {answer['from_round']} on")


@click.command(
    "timer", cls=ArenaCommand,
    examples=('arena night timer friday "FRI 20:00"', 'arena night timer friday "MON,THU 19:30" --budget 2h'),
)  # fmt: skip
@click.argument("name", type=LEAGUE, metavar="LEAGUE")
@click.argument("when", metavar="WHEN")
@click.option("--until", metavar="TIME", help="Pass this to the night: start no round that would end later.")
@click.option("--budget", metavar="DURATION", help="Pass this to the night: how long it may last.")
@json_option
@pass_app
def timer(app: App, name: str, when: str, until: str | None, budget: str | None, as_json: bool) -> None:
    """Print a systemd timer and a crontab line that start nights on schedule; use one of the two.

    WHEN is a weekly time in local time, such as "FRI 20:00", "MON,THU 19:30" or "20:00" for every day. Nothing is
    installed: the output says where each part goes. It contains the ARENA_ variables of this shell that change a night,
    without the password of a database URL.
    """
    from arena.cli.time_limits import Duration, TimeOfDay
    from arena.night.timers import Timer, Weekly, settings_of_a_night

    rules = app.settings.find_league(name)
    command = [*_program(), "night", "run", rules.name, "--or-resume", "--yes", "--quiet"]
    for option, value, kind in (("--until", until, TimeOfDay()), ("--budget", budget, Duration())):
        if value is not None:
            kind.convert(value, None, click.get_current_context())
            command += [option, value]
    file = app.home.settings_file
    folder = app.home.folder if file is None else file.parent
    database, notes = _database(app)
    environment = {HOME_VARIABLE: str(app.home.folder.resolve()), **database, **settings_of_a_night(app.environment)}
    timer = Timer(rules.name, Weekly.parse(when), command, environment, folder.resolve())
    if as_json:
        found = {f"{timer.name}.service": timer.service, f"{timer.name}.timer": timer.timer, "crontab": timer.crontab}
        app.json({**found, "notes": notes})
        return
    for kind_of_unit, text in (("service", timer.service), ("timer", timer.timer)):
        app.say(f"# ~/.config/systemd/user/{timer.name}.{kind_of_unit}")
        app.say(text)
    app.say(f"# then: systemctl --user daemon-reload && systemctl --user enable --now {timer.name}.timer")
    app.say("# (loginctl enable-linger lets it run while you are not logged in)\n")
    app.say(f"# or one line for `crontab -e`\n{timer.crontab}")
    for note in notes:
        app.say(f"\n# {note}")


def _database(app: App) -> tuple[dict[str, str], list[str]]:
    """Return the variable that a timer needs to find the database of this shell, if any, and notes on it."""
    place, variable = app.settings.database_url, f"{ENVIRONMENT_PREFIX}DATABASE_URL"
    if place is None:
        return {}, []
    from arena.store.portable_url import hand_on

    handed = hand_on(place, app.folder)
    if app.settings.sources["database_url"] != f"environment variable {variable}":
        # The timer reads the same file, but a relative path in it would depend on the folder of the reader.
        return ({} if handed.password_line or handed.url == place else {variable: handed.url}), []
    if handed.password_line is None:
        return {variable: handed.url}, []
    note = (
        "the password of the database is omitted, because others may read units and command lines: write it into"
        f" ~/.pgpass (chmod 600), as the line {handed.password_line}"
    )
    return {variable: handed.url}, [note]


def _program() -> list[str]:
    """Return the command that starts this program from any folder."""
    found = shutil.which(sys.argv[0])
    if found is not None and Path(found).name == "arena":
        return [str(Path(found).absolute())]
    return [sys.executable, "-P", "-m", "arena"]  # -P: import nothing from the working folder
