"""`arena bot …`: the submitted bots."""

from __future__ import annotations

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app
from arena.cli.commands.bot_changes import delete, log, prune, rename, use
from arena.cli.commands.history import history
from arena.cli.params import BOT, LEAGUE, json_option
from arena.text.sanitize import terminal
from arena.text.tables import columns


@click.group(cls=ArenaGroup, examples=("arena bot list", "arena bot show mybot"))
def bot() -> None:
    """The submitted bots."""


for command in (history, use, rename, delete, prune, log):
    bot.add_command(command)


@bot.command("list", cls=ArenaCommand, examples=("arena bot list", "arena bot list --league lanterns"))
@click.option("--league", type=LEAGUE, help="Only bots that are entered in this league.")
@json_option
@pass_app
def list_bots(app: App, league: str | None, as_json: bool) -> None:
    """List bots with their authors, versions and leagues."""
    with app.read_store() as store:
        found = store.bots(league)
    if as_json:
        app.json(
            [
                {
                    "name": row.name, "author": row.author, "newest": row.newest, "versions": row.versions,
                    "leagues": list(row.leagues), "withdrawn": list(row.withdrawn), "submitted_at": row.submitted_at,
                }
                for row in found
            ]
        )  # fmt: skip
        return
    rows = [
        (f"{row.name}:{row.newest}", row.author, row.submitted_at, " ".join(row.leagues) or "-",
         " ".join(row.withdrawn) or "-")
        for row in found
    ]  # fmt: skip
    app.say(columns(("bot", "author", "submitted", "leagues", "withdrawn from"), rows))


@bot.command("show", cls=ArenaCommand, examples=("arena bot show mybot", "arena bot show mybot:2"))
@click.argument("name", type=BOT, metavar="BOT")
@json_option
@pass_app
def show(app: App, name: str, as_json: bool) -> None:
    """Show every version of a bot, or one version: author, leagues, command and folder."""
    with app.read_store() as store:
        versions = [store.version(name)] if ":" in name else store.versions(name)
    if as_json:
        app.json(
            [
                {
                    "bot": found.bot, "version": found.number, "author": found.author, "digest": found.digest,
                    "build_digest": found.build_digest, "command": list(found.command),
                    "submitted_at": found.submitted_at, "leagues": list(found.leagues),
                    "folder": str(app.found_home.bots / found.digest),
                }
                for found in versions
            ]
        )  # fmt: skip
        return
    for found in versions:
        app.say(app.title(f"{found.label} by {terminal(found.author)}"))
        app.say(f"  submitted  {found.submitted_at}")
        app.say(f"  plays in   {', '.join(found.leagues) or 'no league (a newer version plays, or it was withdrawn)'}")
        app.say(f"  runs       {terminal(' '.join(found.command))}")
        app.say(f"  content    {app.found_home.bots / found.digest}")


@bot.command("withdraw", cls=ArenaCommand, examples=("arena bot withdraw mybot",))
@click.argument("name", type=BOT, metavar="BOT")
@click.option("--league", type=LEAGUE, help="Only from this league.")
@pass_app
def withdraw(app: App, name: str, league: str | None) -> None:
    """Take a bot out of its leagues, from the next night on; its results stay."""
    with app.open_store() as store:
        changed = store.withdraw(name, league)
    app.say(f"{name} is withdrawn from {', '.join(changed)}" if changed else f"{name} was withdrawn already")


@bot.command("restore", cls=ArenaCommand, examples=("arena bot restore mybot",))
@click.argument("name", type=BOT, metavar="BOT")
@click.option("--league", type=LEAGUE, help="Only in this league.")
@pass_app
def restore(app: App, name: str, league: str | None) -> None:
    """Let a withdrawn bot play again, from the next night on."""
    with app.open_store() as store:
        changed = store.restore(name, league)
    app.say(f"{name} plays again in {', '.join(changed)}" if changed else f"{name} was not withdrawn")
