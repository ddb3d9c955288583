"""`arena bot use|rename|delete|prune|log`: changes of stored bots, and the record of all changes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.bot_programs import confine, sandbox_option, tell_surroundings, unchanged_program
from arena.cli.params import BOT, COUNT, LEAGUE, json_option
from arena.errors import UsageError
from arena.text.sanitize import terminal
from arena.text.tables import columns
from arena.text.words import counted


@click.command("use", cls=ArenaCommand, examples=("arena bot use mybot:1", "arena bot use mybot:1 --league friday"))
@click.argument("label", type=BOT, metavar="BOT:VERSION")
@click.option("--league", type=LEAGUE, help="Only in this league (default: all leagues in which the bot plays).")
@sandbox_option
@json_option
@pass_app
def use(app: App, /, label: str, league: str | None, as_json: bool) -> None:
    """Let an older version of a bot play again, from the next night on. It is checked again first."""
    from arena.submission.register import CheckSettings, use_version

    if ":" not in label:
        raise UsageError(f"expected a version, such as {label}:1")
    with app.open_store() as store:
        version = store.version(label)
        names = store.leagues_of(version.bot) if league is None else (league,)
        if not names:
            raise UsageError(
                f"{version.bot!r} plays in no league: `arena bot restore {version.bot}` lets it play again"
            )
        leagues = [app.settings.find_league(name) for name in names]
        sandbox = confine(app, leagues)
        tell_surroundings(app, sandbox)
        program = unchanged_program(app.home, version)
        changed = use_version(store, program, version, leagues, CheckSettings(sandbox))
    if as_json:
        app.json({"bot": version.bot, "version": version.number, "leagues": list(changed)})
    elif changed:
        app.say(f"{version.label} plays in {', '.join(changed)}, from the next night on")
    else:
        app.say(f"{version.label} plays in {', '.join(names)} already")


@click.command("rename", cls=ArenaCommand, examples=("arena bot rename mybot cleverbot",))
@click.argument("name", type=BOT, metavar="BOT")
@click.argument("new", metavar="NAME")
@json_option
@pass_app
def rename(app: App, /, name: str, new: str, as_json: bool) -> None:
    """Rename a bot with all its versions and results. The old name still works, and nobody else can register it."""
    with app.open_store() as store:
        before = store.rename(name, new)
    if as_json:
        app.json({"bot": new, "formerly": before})
    else:
        app.say(f"{before} is now called {new}")


@click.command("delete", cls=ArenaCommand, examples=("arena bot delete mybot", "arena bot delete mybot:2 --yes"))
@click.argument("label", type=BOT, metavar="BOT[:VERSION]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_app
def delete(app: App, /, label: str, yes: bool, as_json: bool) -> None:
    """Delete a bot, or one of its versions, that never played: its entry and its files. This cannot be undone."""
    from arena.submission.folders import remove_folder

    with app.open_store() as store:
        found = store.version(label)  # raises if there is none
        if not yes:
            app.agree(f"delete {terminal(label)} by {terminal(found.author)} for good?", "nothing is removed")
        digests = store.delete(label)
    for digest in digests:
        remove_folder(app.home.bots / digest)
    if as_json:
        app.json({"deleted": label, "digests": digests})
    else:
        app.say(f"{label} is deleted")


@click.command("prune", cls=ArenaCommand, examples=("arena bot prune --dry-run", "arena bot prune --yes"))
@click.option("--dry-run", is_flag=True, help="Only list what would be removed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_app
def prune(app: App, /, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Remove the files of old versions that play in no league and in no open night; their results stay.

    Replays can still be shown and verified. A pruned version plays again after its author submits it again.
    """
    from arena.submission.folders import remove_folder

    with app.open_store() as store:
        found = [version for version in store.prunable() if (app.home.bots / version.digest).is_dir()]
        sizes = {version.digest: _size(app.home.bots / version.digest) for version in found}
        if found and not dry_run:
            if not yes:
                for version in found:
                    app.note(f"{version.label}  {sizes[version.digest]:,} bytes")
                app.agree(f"remove the files of {counted(len(found), 'version')}?", "nothing is removed")
            for version in found:
                remove_folder(app.home.bots / version.digest)
                store.note_pruned(version)
    if as_json:
        app.json([{"bot": v.bot, "version": v.number, "digest": v.digest, "bytes": sizes[v.digest]} for v in found])
        return
    if dry_run:
        for version in found:
            app.say(f"{version.label}  {sizes[version.digest]:,} bytes")
    verb = "would be freed" if dry_run else "are freed"
    app.say(f"{counted(len(found), 'version')}, {sum(sizes.values()):,} bytes {verb}")


@click.command("log", cls=ArenaCommand, examples=("arena bot log", "arena bot log mybot --limit 10"))
@click.argument("name", type=BOT, metavar="[BOT]", required=False)
@click.option("--limit", type=COUNT, default=100, show_default=True, help="List at most this many.")
@json_option
@pass_app
def log(app: App, /, name: str | None, limit: int, as_json: bool) -> None:
    """List what was done with the bots, the newest first: submitted, used, withdrawn, renamed, deleted, pruned."""
    with app.read_store() as store:
        found = store.actions(name, limit)
    if as_json:
        app.json([dataclasses.asdict(action) for action in found])
        return
    rows = [(a.done_at, terminal(a.actor), a.kind, a.bot, terminal(a.detail)) for a in found]
    app.say(columns(("when", "user", "what", "bot", "detail"), rows))


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
