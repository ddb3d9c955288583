"""All settings of an arena and of its leagues, read from three sources and validated.

Each source overrides the one before: `arena.toml`, then an environment variable `ARENA_<KEY>`, then an option of the
command. An unknown key is an error in all three.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator

from arena.errors import SettingsError, UsageError
from arena.model.clock import TimeControl
from arena.model.rules import NAME_PATTERN, LeagueRules, RatingTable, Sandboxing, Settings, name_rule
from arena.model.validation import expectation
from arena.text.strict_toml import TomlBounds, read_table
from arena.text.words import nearest
from engine.catalog import BrokenGame, UnknownGame, game_keys, get_game
from engine.core import OptionError

MOST_WORKERS: Final = 1024
"""A larger number of workers is taken as a typing error."""
MOST_ENCOUNTERS: Final = 100_000
"""The most encounters of a bot in one night. The plan of such a night is still made within seconds."""

Coloring = Literal["auto", "always", "never"]

_TOML_BOUNDS: Final = TomlBounds(keys=20_000, dots=4_000, brackets=4_000)
"""Enough for a thousand leagues, and still parsed without a noticeable delay."""

_Model = TypeVar("_Model", bound=BaseModel)


def _read_users(text: str) -> range | None:
    """Return the ids from first to last, both included; None if the string is not such a range, or includes root."""
    first, _, last = text.partition("-")
    if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        return None
    users = range(int(first), int(last) + 1)
    return users if users and users[0] > 0 and users[-1] < 2**32 - 1 else None


class ArenaSettings(Settings):
    """The settings of one arena. Each has a default."""

    database_url: str | None = None
    """SQLAlchemy URL of the store; by default a SQLite file in the home folder."""
    workers: Annotated[int, Field(ge=1, le=MOST_WORKERS)] | None = None
    """Number of matches played at the same time; by default one for each processor."""
    encounters: Annotated[int, Field(ge=1, le=MOST_ENCOUNTERS)] | None = None
    """Number of encounters of each bot and seat count in a night; by default ten, or all if there are fewer."""
    sandbox: Sandboxing | None = None
    """Sandbox of each league that does not set its own; from the environment or an option: of all leagues."""
    bot_users: str | None = None
    """`FIRST-LAST`: user ids of bots if the arena runs as root; by default a range that no other user has."""
    author: str | None = None
    """Author of the bots that are submitted here; by default the login name."""
    color: Coloring = "auto"
    """Colour on the terminal; `auto` respects NO_COLOR."""
    league: dict[str, LeagueRules] = Field(default_factory=dict)
    """The leagues that `arena.toml` defines."""
    sources: dict[str, str] = Field(default_factory=dict, exclude=True)
    """The source of each value, by key; a missing key has its default."""

    @field_validator("bot_users")
    @classmethod
    def _is_range(cls, value: str | None) -> str | None:
        if value is not None and _read_users(value) is None:
            raise ValueError("FIRST-LAST, two user ids above 0 such as 64100-64900")
        return value

    @property
    def bot_uids(self) -> range | None:
        """`bot_users` as numbers; None if it is not set.

        >>> ArenaSettings(bot_users="64100-64102").bot_uids
        range(64100, 64103)
        """
        return None if self.bot_users is None else _read_users(self.bot_users)

    @field_validator("database_url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is not None and "://" not in value:
            raise ValueError("a URL such as sqlite:////home/me/arena.db")
        return value

    def league_names(self) -> list[str]:
        """Return the names of all leagues: the defined ones, then one for each other game, even if it cannot be loaded.

        No game is loaded.
        """
        return [*self.league, *(key for key in game_keys() if key not in self.league)]

    def leagues(self, games: Collection[str] | None = None) -> dict[str, LeagueRules]:
        """Return all leagues by name: the defined ones, then for each game a default league of the same name.

        With `games` return the leagues of these games, and load only them.
        """
        found = dict(self.league)
        for key in self.league_names():
            if (games is None or key in games) and (rules := self.get_league(key)) is not None:
                found[key] = rules
        return {name: rules for name, rules in found.items() if games is None or rules.game in games}

    def get_league(self, name: str) -> LeagueRules | None:
        """Return the rules of that league, or None. Load its game and no other."""
        if name in self.league or name not in game_keys() or not _loads(name):
            return self.league.get(name)
        return _with_sandbox(league_rules(name, {}), self)

    def find_league(self, name: str) -> LeagueRules:
        """Return the rules of that league. Raises `UsageError` that names the nearest league if it is not defined."""
        rules = self.get_league(name)
        if rules is None:
            raise UsageError(f"there is no league {name!r}: {nearest(name, self.leagues())}")
        return rules


FILE_KEYS: Final = tuple(key for key in ArenaSettings.model_fields if key != "sources")
"""The keys that are allowed at the top level of `arena.toml`."""
ENVIRONMENT_KEYS: Final = tuple(key for key in FILE_KEYS if key != "league")
"""The keys that `ARENA_<KEY>` may set, besides `ARENA_HOME`."""
HOME_VARIABLE: Final = "ARENA_HOME"
DATABASE_FILE: Final = "arena.db"
"""The database file in a home folder, unless a setting names another database."""
ENVIRONMENT_PREFIX: Final = "ARENA_"


HARMLESS_KEYS: Final = frozenset({"workers", "encounters", "color", "league"})
"""The keys that count even in an untrusted settings file. `author` is not one of them, because it is binding."""
HARMLESS_LEAGUE_KEYS: Final = frozenset(
    {"game", "options", "seats", "time_control", "startup_s", "strikes", "strike_window_s", "reuse", "reuse_matches",
     "untrusted", "suspend_after", "rating"}
)  # fmt: skip
"""The keys of a league that count even in an untrusted settings file."""
TIGHTENING_KEYS: Final = frozenset({"sandbox"})
"""The keys that count there, at the top level and in a league, only if they make the host safer."""
BOUNDED_LEAGUE_KEYS: Final = frozenset({"memory_mb", "processes"})
"""The keys of a league that count there up to their defaults."""


def loosening_keys(table: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the keys of a settings file that could make a host less safe or redirect the arena, each as a path.

    Every key that is not known to be harmless is one of them.

    >>> loosening_keys({"workers": 2, "sandbox": "off", "league": {"friday": {"memory_mb": 4096, "untrusted": True}}})
    [('sandbox',), ('league', 'friday', 'memory_mb')]
    """
    found: list[tuple[str, ...]] = [
        (key,) for key, value in table.items() if key not in HARMLESS_KEYS and not _tightens(key, value)
    ]
    leagues = table.get("league")
    for name, rules in leagues.items() if isinstance(leagues, dict) else ():
        for key, value in rules.items() if isinstance(rules, dict) else ():
            default = LeagueRules.model_fields[key].default if key in BOUNDED_LEAGUE_KEYS else None
            small = isinstance(default, int) and isinstance(value, int) and value <= default
            if not (key in HARMLESS_LEAGUE_KEYS or small or _tightens(key, value)):
                found.append(("league", str(name), key))
    return found


def _tightens(key: str, value: object) -> bool:
    return key in TIGHTENING_KEYS and value == "required"


def load_settings(
    environment: Mapping[str, str],
    file: Path | None = None,
    options: Mapping[str, object] | None = None,
    *,
    table: Mapping[str, Any] | None = None,
) -> ArenaSettings:
    """Return the validated settings from the table of this file, these environment variables and these options.

    An option that is None was not given. Raises `SettingsError` that names the key, its source and the nearest key.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    leagues: dict[str, LeagueRules] = {}
    if file is not None:
        table = dict(table or {})
        given = table.pop("league", {})
        if not isinstance(given, dict):
            raise SettingsError(f"{file}: expected tables [league.NAME], got league = {given!r}")
        checked = _checked(ArenaSettings, table, FILE_KEYS, str(file))
        values = {key: getattr(checked, key) for key in table}
        sources = {key: str(file) for key in table}
        for name, rules in given.items():
            leagues[name] = league_rules(name, rules, str(file))
    for variable, text in environment.items():
        key = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable == HOME_VARIABLE:
            continue
        if key not in ENVIRONMENT_KEYS:
            variables = [HOME_VARIABLE, *(f"{ENVIRONMENT_PREFIX}{known.upper()}" for known in ENVIRONMENT_KEYS)]
            raise SettingsError(f"unknown setting {variable} in the environment: {nearest(variable, variables)}")
        values[key] = getattr(_checked(ArenaSettings, {key: text}, FILE_KEYS, "the environment", strict=False), key)
        sources[key] = f"environment variable {variable}"
    for key, value in (options or {}).items():
        if value is not None:
            values[key] = getattr(_checked(ArenaSettings, {key: value}, FILE_KEYS, "the command's options"), key)
            sources[key] = "option"
    settings = ArenaSettings(**values, sources=sources)
    named = set() if sources.get("sandbox") != str(file) else {n for n, r in leagues.items() if _names_sandbox(r)}
    leagues = {name: rules if name in named else _with_sandbox(rules, settings) for name, rules in leagues.items()}
    return settings.model_copy(update={"league": leagues})


def league_rules(name: str, table: Mapping[str, Any], where: str = "the settings") -> LeagueRules:
    """Return the rules of a table `[league.NAME]`; `game` is optional if the name of the league is that of a game.

    `where` names the file in errors. Raises `SettingsError` for an unknown key or game, and for a value that the game
    or the time control does not allow.
    """
    section = f"[league.{name}] of {where}"
    if not NAME_PATTERN.fullmatch(name):
        raise SettingsError(f"{section}: {name_rule('league', name)}")
    if not isinstance(table, Mapping):
        raise SettingsError(f"{where}: expected a table [league.{name}], got {table!r}")
    keys = [key for key in LeagueRules.model_fields if key != "name"]
    keys += [f"rating.{key}" for key in RatingTable.model_fields]
    values = {"game": name, **table} if name in game_keys() else dict(table)
    if "game" not in values:
        raise SettingsError(f"{section}: expected game = one of {', '.join(game_keys())}, got none")
    if "name" in values:
        raise SettingsError(f"unknown setting 'name' in {section}: the name is in the title of the table")
    rules = _checked(LeagueRules, {"name": name, **values}, keys, section)
    try:
        game = get_game(rules.game)
        for count in rules.seats:
            game.check_seats(count)
        options = game.complete_options(rules.options)
        TimeControl.parse(rules.time_control)
    except (UnknownGame, BrokenGame, OptionError, SettingsError, ValueError) as error:
        raise SettingsError(f"{section}: {error}") from error
    return rules.model_copy(update={"options": options})


def parse_toml(file: Path, data: bytes) -> dict[str, Any]:
    """Return the tables of TOML content. Raises `SettingsError` that names the file if it is not valid TOML."""
    try:
        return read_table(data, str(file), _TOML_BOUNDS)
    except ValueError as error:
        raise SettingsError(str(error)) from error


def _checked(
    model: type[_Model], values: Mapping[str, Any], keys: Iterable[str], section: str, *, strict: bool = True
) -> _Model:
    """Return the model of these values. Raises `SettingsError`, one sentence about the first invalid value."""
    try:
        return model.model_validate(dict(values), strict=strict)
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        key = ".".join(part for part in first["loc"][:2] if isinstance(part, str))
        if first["type"] == "extra_forbidden":
            raise SettingsError(f"unknown setting {key!r} in {section}: {nearest(key, keys)}") from error
        # A key that allows several types has one error for each type.
        same = [first, *(other for other in others if other["loc"][:2] == first["loc"][:2])]
        expected = " or ".join(dict.fromkeys(expectation(each) for each in same))
        raise SettingsError(f"setting {key!r} in {section}: expected {expected}, got {first['input']!r}") from error


def _names_sandbox(rules: LeagueRules) -> bool:
    return "sandbox" in rules.model_fields_set


def _with_sandbox(rules: LeagueRules, settings: ArenaSettings) -> LeagueRules:
    return rules if settings.sandbox is None else rules.model_copy(update={"sandbox": settings.sandbox})


def _loads(key: str) -> bool:
    try:
        get_game(key)
    except (BrokenGame, ImportError):
        return False  # a broken plug-in game has no league; `arena game list` shows its error
    return True
