"""What all commands share: the home, the settings, the store and the output of one run."""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from arena.errors import ArenaError, SettingsError, StoreError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from arena.config.home import Home
    from arena.config.settings import ArenaSettings
    from arena.config.settings_file import SettingsFile
    from arena.model.rules import LeagueRules
    from arena.store.store import Store


@contextmanager
def loading() -> Iterator[None]:
    """Collect no garbage inside, where modules are imported: they leave none, and each search for it takes longer."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class App:
    """One run of the program. It reads settings and opens the store only when a command needs them."""

    def __init__(self, environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> None:
        self.environment = os.environ if environment is None else environment
        self.cwd = cwd
        self.debug = False
        self.options: dict[str, object] = {}
        """The options of the command that are settings, by key."""
        self.lenient = False
        """Whether to skip settings that only a trusted file may set, for commands that only report them."""

    @cached_property
    def found_home(self) -> Home:
        """The home folder that applies here, even if it cannot be used: for commands that only report it."""
        from arena.config.home import Home

        return Home.find(self.environment, self.folder)

    @property
    def folder(self) -> Path:
        """The working folder. Raises `UsageError` if it was removed in the meantime."""
        try:
            return self.cwd or Path.cwd()
        except FileNotFoundError as error:
            raise UsageError("the working folder was removed: change to a folder that exists") from error

    @cached_property
    def home(self) -> Home:
        """The home folder that applies here. Raises `StoreError` if somebody else could have prepared it."""
        if (why := self.found_home.distrust()) is not None:
            raise StoreError(why)
        return self.found_home

    @cached_property
    def settings_file(self) -> SettingsFile | None:
        """The `arena.toml` that applies, with its trust; None if there is none."""
        from arena.config.settings_file import SettingsFile

        return SettingsFile.find(self.found_home)

    @property
    def settings(self) -> ArenaSettings:
        """The settings from `arena.toml`, the environment and the options that were parsed so far.

        Raises `SettingsError` for a file that sets a key which only a trusted file may set.
        """
        file = self.settings_file
        if file is not None and file.trouble is not None and not self.lenient:
            raise SettingsError(file.trouble)
        return self._heeded

    @cached_property
    def _heeded(self) -> ArenaSettings:
        from arena.config.settings_file import settings_of

        return settings_of(self.settings_file, self.environment, self.options)

    def open_store(self, *, upgrade: bool = False, create: bool = False) -> Store:
        """Return the open store, a context manager. On a terminal, ask before an older database is upgraded.

        Raises `StoreError` if there is no home at the path that `ARENA_HOME` names, unless it is to be created.
        """
        with loading():
            from arena.store.schema import OlderSchema
            from arena.store.store import Store

        location = self.settings.database_url
        if not create and location is None and (why := self.home.unreadable()) is not None:
            raise StoreError(why)
        home = self.home.create()  # bots and logs are there, even if the database is elsewhere
        location = location or home.database_url
        try:
            return Store.open(location, upgrade=upgrade)
        except OlderSchema as older:
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise OlderSchema(f"{older}: upgrade it with `arena doctor --upgrade`") from older
            self.note(str(older))
            click.confirm("upgrade it now?", abort=True, err=True)
            return Store.open(location, upgrade=True)

    def read_store(self) -> Store:
        """Return the store for a command that only reads: it creates and changes nothing.

        A store that does not exist yet is empty. Raises `StoreError` if there is no home at the path that `ARENA_HOME`
        names, or if it cannot be read.
        """
        with loading():
            from arena.store.schema import OlderSchema
            from arena.store.store import Store

        location = self.settings.database_url
        if location is None:
            home = self.found_home
            if (why := home.unreadable()) is not None:
                raise StoreError(why)
            if not os.path.lexists(home.database_file):
                return Store.empty()
            location = home.database_url
        try:
            return Store.open_to_read(location)
        except OlderSchema as older:
            if self.found_home.is_foreign:
                raise OlderSchema(f"{older}: its owner can run `arena doctor --upgrade`") from older
            return self.open_store()

    def end_leftovers(self) -> None:
        """Kill the bot processes that a killed command left, and report them; almost free if there are none."""
        folder = self.found_home.started
        try:
            if not any(folder.iterdir()) or self.found_home.distrust() is not None:
                return
        except OSError:
            return  # missing, or somebody else's: a command that needs the home will report it
        from arena.text.words import counted
        from arena.transport.process_registry import sweep

        if ended := sweep(folder, self.found_home.trusted_since_ns):
            were = "was" if ended == 1 else "were"
            left = counted(ended, "leftover bot process", "leftover bot processes")
            self.note(f"an earlier command was killed: {left} {were} found and killed")

    def agree(self, question: str, refusal: str) -> None:
        """Ask the user, and return if the answer is yes.

        Raises `ArenaError` with the sentence `refusal` if the answer is no, and `UsageError` if nobody can answer.
        """
        try:
            agreed = click.confirm(question, err=True)
        except click.Abort as unanswered:
            if sys.stdin.isatty():
                raise
            self.note("")  # the question has no newline
            raise UsageError(f"{refusal}: expected an answer, or --yes if nobody can answer") from unanswered
        if not agreed:
            raise ArenaError(refusal)

    def colored(self) -> bool:
        """Return whether output on stdout may be coloured."""
        if self._heeded.color != "auto":
            return self._heeded.color == "always"
        return sys.stdout.isatty() and not self.environment.get("NO_COLOR") and self.environment.get("TERM") != "dumb"

    def console(self, *, stderr: bool = False) -> Console:
        """Return a rich console for live output."""
        from rich.console import Console

        colored = self.colored()
        return Console(
            stderr=stderr, force_terminal=True if colored and self._heeded.color == "always" else None,
            no_color=not colored, highlight=False, markup=False,
        )  # fmt: skip

    def say(self, text: str) -> None:
        """Print one or more lines of the result."""
        click.echo(text, color=self.colored())

    def write(self, text: str) -> None:
        """Print a result that already ends with a newline."""
        click.echo(text, nl=False, color=self.colored())

    def note(self, text: str) -> None:
        """Print a line that is not part of the result to stderr, so that the result can be piped."""
        click.echo(text, err=True)

    @property
    def at_terminal(self) -> bool:
        """Whether the result goes to a terminal."""
        return sys.stdout.isatty()

    def explain(self, text: str) -> None:
        """Print what the columns of a table mean, at a terminal only."""
        if self.at_terminal:
            self.note(f"({text})")

    def json(self, data: object) -> None:
        """Print the result as JSON (ASCII, so that nothing in it can control a terminal)."""
        click.echo(json.dumps(data, indent=1, default=str))

    def title(self, text: str) -> str:
        """Return the text as a heading."""
        return click.style(text, bold=True) if self.colored() else text

    def league(
        self, name: str | None, candidates: Callable[[], Iterable[str]], have: str = "enough bots"
    ) -> LeagueRules:
        """Return the league of that name; without a name, return the only candidate.

        `have` describes the candidates in the `UsageError` that lists them if there is not exactly one.
        """
        if name is not None:
            return self.settings.find_league(name)
        known = self.settings.league_names()
        return self.settings.find_league(self._only([found for found in candidates() if found in known], have))

    def _only(self, found: Sequence[str], have: str) -> str:
        if len(found) == 1:
            return found[0]
        choices = ", ".join(found or self.settings.league_names())
        reason = f"several leagues have {have}" if found else f"no league has {have} yet"
        raise click.UsageError(f"{reason}: expected LEAGUE, one of {choices}")

    def league_with_nights(self, name: str | None, store: Store) -> str:
        """Return the name of a league that has a name; without one, of the only league that has had a night.

        Its game is not loaded: what is stored can be shown without the rules.
        """
        stored = store.leagues()
        if name is None:
            return self._only([found.name for found in stored if found.nights], "had a night")
        known = list(dict.fromkeys([*self.settings.league_names(), *(found.name for found in stored)]))
        if name not in known:
            from arena.text.sanitize import quoted
            from arena.text.words import nearest

            raise UsageError(f"there is no league {quoted(name)}: {nearest(name, known)}")
        return name

    def played_only(self, store: Store) -> dict[str, LeagueRules]:
        """Return the leagues that no setting defines here, with the rules of their newest nights."""
        known = self.settings.league_names()
        return {found.name: store.night(found.name).rules for found in store.leagues()
                if found.nights and found.name not in known}  # fmt: skip

    def playable(self, store: Store) -> list[str]:
        """Return the leagues with enough bots for their smallest seat count, in the order of the settings."""
        bots = {found.name: found.bots for found in store.leagues()}
        entered = ((name, self.settings.get_league(name)) for name in self.settings.league_names() if name in bots)
        return [name for name, rules in entered if rules is not None and bots[name] >= min(rules.seats)]


pass_app = click.make_pass_decorator(App, ensure=True)


class ArenaCommand(click.Command):
    """A command with examples in its help and the options that all commands share."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.params += shared_options()

    def invoke(self, ctx: click.Context) -> Any:
        """Kill what an earlier killed command left, then run the command."""
        ctx.ensure_object(App).end_leftovers()
        return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, but suggest the options that begin with an unknown option before similar ones."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            names = [name for parameter in self.get_params(ctx) for name in parameter.opts]
            begun = [
                name for name in names if error.option_name.startswith("--") and name.startswith(error.option_name)
            ]
            if begun:
                error.possibilities = begun  # type: ignore[misc]  # typed as read-only; click itself sets it
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, after all options."""
        write_examples(self.examples, formatter)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return what the command does, for a list of commands, without click's limit on its length."""
        return summary(self)


class ArenaGroup(click.Group):
    """A noun such as `bot`, whose verbs are `ArenaCommand`s."""

    command_class = ArenaCommand

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, after the verbs."""
        write_examples(self.examples, formatter)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return what the group is about, for a list of commands, without click's limit on its length."""
        return summary(self)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does, but name the nearest verb in the error for an unknown verb."""
        from arena.text.words import nearest

        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            raise click.UsageError(f"no such command {name!r}: {nearest(name, self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)


def summary(command: click.Command) -> str:
    """Return the first sentence of a command's help, up to a colon or semicolon.

    >>> summary(click.Command("x", help="Show one match: who sat where.\\n\\nMore."))
    'Show one match.'
    """
    first = " ".join((command.help or "").partition("\n\n")[0].split()).partition(". ")[0]
    return re.split(r"[:;] ", first)[0].rstrip(".") + "."


def write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    """Append examples to a help page, one on each line."""
    if not examples:
        return
    with formatter.section("Examples" if len(examples) > 1 else "Example"):
        for example in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


def setting_option(name: str, *, key: str, **attributes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return an option that sets the setting `key`; it overrides arena.toml and the environment."""
    return click.option(
        name, cls=_SettingOption, key=key, expose_value=False, callback=_set, default=None, **attributes
    )


class _SettingOption(click.Option):
    def __init__(self, *args: Any, key: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.key = key


def shared_options() -> list[click.Parameter]:
    """Return the options that every command has."""
    return [
        _SettingOption(
            ["--color"], key="color", expose_value=False, callback=_set, default=None,
            type=click.Choice(["auto", "always", "never"]), help="Colour on the terminal (auto respects NO_COLOR).",
        ),
        click.Option(
            ["--debug"], is_flag=True, expose_value=False, callback=_debug, help="Show where an error came from.",
        ),
    ]  # fmt: skip


def _set(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None:
        ctx.ensure_object(App).options[cast(_SettingOption, parameter).key] = value


def _debug(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(App).debug = True
