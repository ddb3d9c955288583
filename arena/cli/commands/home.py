"""`arena home …`: the folder in which this arena stores everything, and what you trust."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Any

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app
from arena.cli.params import PATH, json_option
from arena.config.home import FOLDER_BESIDE_SETTINGS, SETTINGS_FILE, Home
from arena.config.settings import HOME_VARIABLE, parse_toml
from arena.config.settings_file import SettingsFile, read_content
from arena.config.trust import Records
from arena.errors import UsageError
from arena.text.sanitize import terminal
from arena.text.tables import columns


@click.group(
    cls=ArenaGroup, examples=("arena home show", "arena home trust ~/league", "arena home share --group league")
)
def home() -> None:
    """The home folder and the settings that apply here, which of them you trust, and who may read them."""


@home.command("show", cls=ArenaCommand, examples=("arena home show", "arena home show --json"))
@json_option
@pass_app
def show(app: App, as_json: bool) -> None:
    """Show which home and which settings file apply here, how much of them counts, and everything that you trust."""
    app.lenient = True
    found, file, trusted = app.found_home, app.settings_file, Records().all()
    facts = {**_home_facts(found), **_file_facts(file)}
    if as_json:
        app.json({**facts, "trusted": [dataclasses.asdict(entry) for entry in trusted]})
        return
    app.say(f"home      {terminal(str(found.folder))} ({terminal(found.reason)})")
    app.say(f"          {terminal(facts['home_trouble'] or 'it can be used')}")
    if file is None:
        app.say(f"settings  no {SETTINGS_FILE}: every setting has its default")
    else:
        app.say(f"settings  {terminal(str(file.path))}: {file.standing_text}")
        if file.trouble is not None:
            app.say(f"          {terminal(file.trouble)}")
    if trusted:
        rows = [(entry.kind, terminal(entry.path), entry.proof[:12]) for entry in trusted]
        app.say("\n" + columns(("trusted", "path", "digest or token"), rows))


@home.command("trust", cls=ArenaCommand, examples=("arena home trust", "arena home trust ~/league"))
@click.argument("folder", type=PATH, required=False)
@json_option
@pass_app
def trust(app: App, folder: Path | None, as_json: bool) -> None:
    """Trust the arena.toml and the home in a folder (default: the one that applies here): all its settings count.

    Inspect both first. A submission may contain them, and settings such as `sandbox = "off"` let its bots do everything
    that you may do. Trust is bound to the content of the settings file: after a change, trust it again.
    """
    app.lenient = True
    records = Records()
    place = _place(app, folder)
    file, homes = place / SETTINGS_FILE, _homes(place)
    if not file.is_file() and not homes:
        raise UsageError(f"there is nothing to trust in {place}: expected an {SETTINGS_FILE} or a home")
    for found in homes:
        records.trust_home(found)
    heard: list[str] = []
    if file.is_file():
        content = read_content(file)
        heard = _said(file, content)
        records.trust_settings(file, content)
    done = [*([file] if file.is_file() else []), *homes]
    if as_json:
        app.json({"trusted": [str(path) for path in done], "keys": heard})
        return
    for path in done:
        app.say(f"{terminal(str(path))} is trusted")
    if heard:
        app.say(f"these settings count now: {terminal(', '.join(heard))}")


@home.command("distrust", cls=ArenaCommand, examples=("arena home distrust", "arena home distrust ~/league"))
@click.argument("folder", type=PATH, required=False)
@json_option
@pass_app
def distrust(app: App, folder: Path | None, as_json: bool) -> None:
    """Withdraw the trust in a folder (default: the one that applies here); no file is removed."""
    app.lenient = True
    place = _place(app, folder)
    paths = {str(place / SETTINGS_FILE), str(place / FOLDER_BESIDE_SETTINGS), str(place)}
    gone = [entry.path for entry in Records().forget(paths)]
    if not gone:
        raise UsageError(f"nothing in {place} is trusted: `arena home show` lists what you trust")
    if as_json:
        app.json({"distrusted": gone})
        return
    for path in gone:
        app.say(
            f"{terminal(path)} is no longer trusted (trust it again with `arena home trust {shlex.quote(str(place))}`)"
        )


@home.command("share", cls=ArenaCommand,
              examples=("arena home share --group league", "arena home share --off"))  # fmt: skip
@click.option("--group", "-g", metavar="GROUP", help="The group whose members may read, by name or number.")
@click.option("--off", is_flag=True, help="Let nobody else read the home, however it came to be readable.")
@pass_app
def share(app: App, group: str | None, off: bool) -> None:
    """Let a group read the results in the home: leaderboards, matches, replays. Nobody else can write.

    The members name this home by ARENA_HOME. They can read the database, with hidden cards and seeds of an open night,
    and the settings. The files of bots, logs and locks stay private.
    """
    from arena.config import sharing

    if (group is None) is not off:
        raise click.UsageError("expected either --group GROUP or --off")
    if not app.home.folder.is_dir():
        raise UsageError(f"there is no home at {app.home.folder}: `arena submit` creates it")
    shown = terminal(str(app.home.folder))
    if group is None:
        sharing.make_private(app.home)
        app.say(f"only you can read {shown} now")
        return
    closed = sharing.share(app.home, group)
    app.say(f"the group {group} can read {shown} now: its members set {HOME_VARIABLE}={shlex.quote(shown)}")
    for folder in closed:
        app.note(f"they cannot enter {terminal(str(folder))}, which is above it: `chmod o+x` lets them through")


def _place(app: App, folder: Path | None) -> Path:
    """Return the real path of the named folder, or of the folder that applies here."""
    if folder is not None:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder}")
        return folder.resolve()
    found = app.found_home
    if not found.named and found.folder.name != FOLDER_BESIDE_SETTINGS:
        return found.folder
    return app.folder.resolve() if found.settings_file is None else found.settings_file.parent.resolve()


def _homes(place: Path) -> list[Path]:
    """Return the homes that trust in a folder covers: a home inside it, and the folder itself if it looks like one."""
    beside = place / FOLDER_BESIDE_SETTINGS
    itself = Home(place, None, "")
    found = [beside] if beside.is_dir() and not beside.is_symlink() else []
    return [*found, *([place] if itself.database_file.is_file() or itself.bots.is_dir() else [])]


def _said(file: Path, content: bytes) -> list[str]:
    """Return the keys of a settings file that count only because the file is trusted."""
    return SettingsFile(file, parse_toml(file, content), "harmless").unheeded()


def _home_facts(found: Home) -> dict[str, Any]:
    return {"home": str(found.folder), "reason": found.reason, "home_trouble": found.distrust()}


def _file_facts(file: SettingsFile | None) -> dict[str, Any]:
    if file is None:
        return {"settings": None, "standing": None, "unheeded": [], "settings_trouble": None}
    return {"settings": str(file.path), "standing": file.standing, "unheeded": file.unheeded(),
            "settings_trouble": file.trouble}  # fmt: skip
