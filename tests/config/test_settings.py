"""Tests of settings: they come from three places in order of precedence, and an error names its place."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from arena.config.settings import ArenaSettings, league_rules, load_settings, parse_toml
from arena.config.settings_file import read_content
from arena.errors import SettingsError, UsageError
from arena.model.rules import LeagueRules
from arena.submission.register import rating_settings
from engine import catalog
from engine.core import Game


@pytest.fixture
def arena_toml(tmp_path: Path) -> Path:
    return tmp_path / "arena.toml"


def test_no_settings_at_all_give_every_game_a_league_of_its_own_name() -> None:
    """Without a file, a variable or an option there is a league for each game, at two seats."""
    leagues = load_settings({}).leagues()
    assert leagues["burn_my_village"].game == "burn_my_village"
    assert leagues["burn_my_village"].seats == (2,)


def settings_in(
    file: Path, environment: Mapping[str, str] | None = None, options: Mapping[str, object] | None = None
) -> ArenaSettings:
    """The settings of this file, with these variables and options."""
    return load_settings(environment or {}, file, options, table=parse_toml(file, read_content(file)))


def test_a_later_place_goes_over_an_earlier_one(arena_toml: Path) -> None:
    """An option goes over the environment, the environment over arena.toml; each value says where it comes from."""
    arena_toml.write_text("workers = 1\nauthor = 'file'\ncolor = 'never'\n")
    settings = settings_in(
        arena_toml, {"ARENA_WORKERS": "2", "ARENA_AUTHOR": "environment"}, {"workers": 3, "author": None}
    )
    assert (settings.workers, settings.author, settings.color) == (3, "environment", "never")
    assert settings.sources == {
        "workers": "option",
        "author": "environment variable ARENA_AUTHOR",
        "color": str(arena_toml),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrokers = 2", "unknown setting 'wrokers' in {file}: did you mean 'workers'?"),
        ("workers = 'two'", "setting 'workers' in {file}: expected an integer, got 'two'"),
        ("workers = true", "setting 'workers' in {file}: expected an integer, got True"),
        ("workers = 0", "setting 'workers' in {file}: expected at least 1, got 0"),
        ("workers = ", "{file} is not valid TOML: "),
        ("league = 3", "{file}: expected tables [league.NAME], got league = 3"),
        ("league.x = 3", "{file}: expected a table [league.x], got 3"),
        ("[league.friday]\nseats = 2", "[league.friday] of {file}: expected game = one of burn_my_village, "),
        ("[league.Friday]", "[league.Friday] of {file}: 'Friday' is no name for a league: expected "),
        ("[league.lanterns]\nname = 'x'", "unknown setting 'name' in [league.lanterns] of {file}: the name is in "),
        ("[league.x]\ngame = 'burn_my_vilage'", "there is no game 'burn_my_vilage': did you mean 'burn_my_village'?"),
        (
            "[league.burn_my_village]\nseets = 2",
            "unknown setting 'seets' in [league.burn_my_village] of {file}: did you mean 'seats'?",
        ),
        ("[league.burn_my_village]\nseats = 77", "burn_my_village is played by 2 to "),
        ("[league.burn_my_village]\nseats = []", "setting 'seats' in [league.burn_my_village] of {file}: expected at"),
        ("[league.burn_my_village]\ntime_control = 'fast'", "[league.burn_my_village] of {file}: "),
        (
            "[league.lanterns.options]\nx = [1]",
            "'options.x' in [league.lanterns] of {file}: expected true or false or an ",
        ),
        ("[league.burn_my_village.options]\nnothing = 1", "burn_my_village has no option 'nothing': "),
        ("[league.burn_my_village.rating]\nbeta = 0", "expected a number above 0, got 0"),
        (
            "[league.burn_my_village.rating]\nsigmo = 1",
            "unknown setting 'rating.sigmo' in [league.burn_my_village] of {file}: did you mean 'rating.sigma'?",
        ),
        ("[league.burn_my_village]\nsandbox = 'on'", "expected 'required', 'auto' or 'off', got 'on'"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_its_place(arena_toml: Path, text: str, message: str) -> None:
    """An unknown key names the nearest valid one and the file; a wrong value says what was expected."""
    arena_toml.write_text(text)
    with pytest.raises(SettingsError) as caught:
        settings_in(arena_toml)
    assert message.format(file=arena_toml) in str(caught.value)
    assert "\n" not in str(caught.value).removesuffix("\n")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("ARENA_WORKER", "2", "unknown setting ARENA_WORKER in the environment: did you mean 'ARENA_WORKERS'?"),
        ("ARENA_WORKERS", "many", "setting 'workers' in the environment: expected an integer, got 'many'"),
        ("ARENA_LEAGUE", "x", "unknown setting ARENA_LEAGUE in the environment"),
    ],
)
def test_what_is_wrong_in_the_environment_is_named(variable: str, value: str, message: str) -> None:
    """A mistyped variable is an error too, not a setting that quietly does nothing."""
    with pytest.raises(SettingsError, match="environment") as caught:
        load_settings({variable: value, "OTHER_VARIABLE": "x", "ARENA_HOME": "/somewhere"})
    assert message in str(caught.value)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    """A folder in the file's place, or bytes that are no text."""
    with pytest.raises(SettingsError, match="cannot be read"):
        settings_in(tmp_path)
    (tmp_path / "arena.toml").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match="not UTF-8"):
        settings_in(tmp_path / "arena.toml")


def test_a_table_defines_a_league(arena_toml: Path) -> None:
    """A league's table sets its rules; a game's option is settled with all the others at their defaults."""
    arena_toml.write_text("[league.friday]\ngame = 'burn_my_village'\nseats = [4, 2, 2]\ntime_control = '5+0/1'\n")
    rules = settings_in(arena_toml).find_league("friday")
    assert (rules.name, rules.game, rules.seats, rules.time_control) == ("friday", "burn_my_village", (2, 4), "5+0/1")
    assert league_rules("friday", {"game": "burn_my_village"}).options == rules.options


def test_a_league_may_change_the_constants_of_its_ratings(arena_toml: Path) -> None:
    """`[league.friday.rating]`; what is not named stays as usual, with the game's own draw probability."""
    arena_toml.write_text("[league.friday]\ngame = 'burn_my_village'\n[league.friday.rating]\ntau = 0\nmu = 1000\n")
    rating = rating_settings(settings_in(arena_toml).find_league("friday"))
    usual = rating_settings(load_settings({}).find_league("burn_my_village"))
    assert (rating.mu, rating.tau) == (1000, 0)
    assert (rating.sigma, rating.draw_probability) == (usual.sigma, usual.draw_probability)


def test_a_table_of_a_games_own_name_changes_its_default_league(arena_toml: Path) -> None:
    """`[league.burn_my_village]` need not say which game it means."""
    arena_toml.write_text("[league.burn_my_village]\nseats = 3\n")
    settings = settings_in(arena_toml)
    assert settings.find_league("burn_my_village").seats == (3,)
    assert list(settings.leagues()).count("burn_my_village") == 1


@pytest.mark.parametrize(
    ("file", "environment", "option", "expected"),
    [
        ("", {}, None, ("auto", "required")),
        ("sandbox = 'off'", {}, None, ("off", "required")),
        ("sandbox = 'off'", {"ARENA_SANDBOX": "auto"}, None, ("auto", "auto")),
        ("", {"ARENA_SANDBOX": "auto"}, "off", ("off", "off")),
    ],
)
def test_confinement_of_leagues_follows_the_same_order(
    arena_toml: Path, file: str, environment: dict[str, str], option: str | None, expected: tuple[str, str]
) -> None:
    """In the file a league's own word counts before the general one; a variable or an option goes over both."""
    arena_toml.write_text(f"{file}\n[league.strict]\ngame = 'burn_my_village'\nsandbox = 'required'\n")
    settings = settings_in(arena_toml, environment, {"sandbox": option})
    found = tuple(settings.find_league(name).sandbox for name in ("burn_my_village", "strict"))
    assert found == expected


def test_an_unknown_league_names_the_nearest() -> None:
    """A mistyped league is wrong usage."""
    with pytest.raises(UsageError, match="did you mean 'burn_my_village'"):
        ArenaSettings().find_league("burn_my_vilage")


def test_only_the_games_that_are_asked_for_are_loaded(arena_toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game in a package of its own, slow or broken, is loaded by what asks for its league or for all leagues."""
    broken = EntryPoint("broken", "no_such_module:GAME", catalog.ENTRY_POINT_GROUP)
    monkeypatch.setattr(catalog, "entry_points", lambda group: [broken])
    asked: list[str] = []

    def get_game(key: str) -> Game:
        asked.append(key)
        return catalog.get_game(key)

    arena_toml.write_text("[league.friday]\ngame = 'lanterns'\n")
    settings = settings_in(arena_toml)
    monkeypatch.setattr("arena.config.settings.get_game", get_game)
    assert settings.league_names() == ["friday", "burn_my_village", "lanterns", "hell_village", "broken"]
    assert settings.find_league("friday").game == "lanterns"
    assert settings.get_league("nothing") is None
    assert asked == []
    assert list(settings.leagues(["lanterns"])) == ["friday", "lanterns"]
    assert list(settings.leagues(["hell_village"])) == ["hell_village"]
    assert settings.find_league("burn_my_village").seats == (2,)
    assert set(asked) == {"lanterns", "hell_village", "burn_my_village"}
    assert settings.get_league("broken") is None
    assert list(settings.leagues()) == ["friday", "burn_my_village", "lanterns", "hell_village"]


def test_rules_cannot_be_changed() -> None:
    """What a night was started with stays as it was."""
    rules = LeagueRules(name="x", game="burn_my_village")
    with pytest.raises(ValueError, match="frozen"):
        rules.seats = (3,)


@pytest.mark.parametrize("text", ["root", "64100", "0-10", "64200-64100", "1-99999999999", "-5-3", "64100-64200-1"])
def test_bots_run_under_users_of_a_range_without_root(text: str) -> None:
    """A range that is none, or has root in it, is refused with what was expected."""
    with pytest.raises(SettingsError, match="FIRST-LAST"):
        load_settings({"ARENA_BOT_USERS": text}, None, {})
    assert load_settings({"ARENA_BOT_USERS": "64100-64102"}, None, {}).bot_uids == range(64100, 64103)
