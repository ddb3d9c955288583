"""`arena doctor`: the state of this arena, and what this host can do."""

from __future__ import annotations

import dataclasses

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.bot_programs import sandbox_option
from arena.cli.params import json_option
from arena.errors import ConfinementMissing
from arena.text.sanitize import terminal

_MARKS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


@click.command(cls=ArenaCommand, examples=("arena doctor", "arena doctor --json", "arena doctor --upgrade"))
@click.option("--upgrade", is_flag=True, help="Upgrade a database of an older version; a SQLite file is copied first.")
@sandbox_option
@json_option
@pass_app
def doctor(app: App, as_json: bool, upgrade: bool) -> None:
    """Show where everything is, which settings apply, what can be played, and how bots are sandboxed here.

    The exit status is 1 if a problem keeps the arena from working.
    """
    from arena.doctor import examine
    from arena.sandbox.launcher import Sandbox, Tools
    from arena.sandbox.probe import probe

    if upgrade:  # before `lenient` skips settings: this changes the database
        with app.open_store(upgrade=True) as store:
            app.note(f"the database {store.location} is of this version")
    app.lenient = True
    settings = app.settings
    sandbox, trouble = Sandbox(Tools()), None
    try:
        sandbox = probe(settings.sandbox or "auto", uids=settings.bot_uids)
    except ConfinementMissing as error:
        trouble = str(error)
    findings = examine(app.found_home, settings, sandbox, app.settings_file, trouble)
    if as_json:
        app.json([dataclasses.asdict(finding) for finding in findings])
    else:
        for finding in findings:
            app.say(f"{_MARKS[finding.status]}  {finding.subject + ':':<14} {terminal(finding.text)}")
    if any(finding.status == "problem" for finding in findings):
        raise click.exceptions.Exit(1)
