"""Tests of untrusted folders: their files change neither how bots are run nor which store is used."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.config.home import Home
from arena.match.replay import read_replay
from arena.sandbox import probe
from arena.submission.starters.writer import write_starter
from tests.cli.conftest import Arena
from tests.support.hosts import confinement
from tests.support.leftovers import DEAD_OWNER

ROOT = Path(__file__).parents[2]
USING = (
    ("check", "bot.py"),
    ("submit", "bot.py"),
    ("play", "bot.py", "bot.py", "--game", "lanterns"),
    ("compare", "bot.py", "bot.py", "--game", "lanterns"),
    ("night", "run", "lanterns"),
    ("leaderboard", "lanterns"),
    ("bot", "list"),
    ("league", "list"),
)
STRANGE = (
    'sandbox = "off"\n',
    'bot_users = "1-2"\n',
    'database_url = "sqlite:////tmp/stranger.db"\n',
    "[league.lanterns]\nmemory_mb = 100000\n",
    '[league.lanterns]\nsandbox = "off"\n',
    'author = "Ada Lovelace"\n',
)


@pytest.fixture
def quick(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a submission as the working folder, with a bot in it; the user has neither home nor record."""
    monkeypatch.delenv("ARENA_HOME")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "data"))
    folder = place / "inbox" / "quick"
    folder.mkdir(parents=True)
    write_starter("bot", "python", folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host lacks the program that puts bots into namespaces."""
    found = probe._find
    monkeypatch.setattr(probe, "_find", lambda program: None if program == "bwrap" else found(program))


def spy(folder: Path) -> Path:
    """A bot that leaves a file as soon as anything of it is run, also by its build; gives the place of that file."""
    folder.mkdir()
    told = folder.parent / f"{folder.name}.ran"
    (folder / "bot.toml").write_text(f'run = "python3 main.py"\nbuild = "touch {told}"\n')
    (folder / "main.py").write_text(f"import pathlib\npathlib.Path({str(told)!r}).touch()\n")
    return told


# Settings


@pytest.mark.parametrize("named", [False, True], ids=["no home", "ARENA_HOME"])
@pytest.mark.parametrize("text", STRANGE)
def test_a_found_settings_file_loosens_nothing(
    text: str, named: bool, quick: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command that would use it ends in one sentence with the file, the key and the remedy, and makes nothing."""
    (quick / "arena.toml").write_text(text)
    if named:
        monkeypatch.setenv("ARENA_HOME", str(quick.parent / "home"))
    key = text.partition("\n")[2].split()[0] if text.startswith("[") else text.split()[0]
    key = f"league.lanterns.{key}" if text.startswith("[") else key
    for command in USING:
        ran = arena(*command)
        assert ran.status == 2, command
        sentence = ran.err.splitlines()[-1]
        assert f"{quick}/arena.toml sets {key!r}" in sentence
        assert f"`arena home trust {quick}`" in sentence and "ARENA_HOME" in sentence
    assert not (quick / ".arena").exists() and not (quick.parent / "home").exists()
    assert not Path("/tmp/stranger.db").exists()


def test_what_tightens_or_is_harmless_counts_at_once(quick: Path, arena: Arena) -> None:
    """A league's folder needs no trust for games, clocks and more safety."""
    (quick / "arena.toml").write_text(
        'sandbox = "required"\nworkers = 1\n[league.friday]\ngame = "lanterns"\nuntrusted = true\nmemory_mb = 64\n'
    )
    ran = arena("league", "show", "friday", "--json")
    assert ran.status == 0, ran.err
    rules = json.loads(ran.out)
    assert (rules["sandbox"], rules["untrusted"], rules["memory_mb"]) == ("required", True, 64)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"workers = {'9' * 5000}\n", "expected keys and numbers of at most 100 characters"),
        (f"{'a.' * 30_000}b = 1\n", "has too many dots"),
        ("".join(f"k{number} = 1\n" for number in range(30_000)), "has too many keys"),
        (f"x = {'[' * 30_000}", "has too many brackets"),
        (f"workers = {'0x'}{'f' * 90}\n", "expected at most 1024"),
        ("workers = 2026-13-45\n", "is not valid TOML"),
    ],
)
def test_a_costly_settings_file_ends_in_one_sentence(quick: Path, arena: Arena, content: str, message: str) -> None:
    """It is refused before it is parsed, whatever would take long or overflow in it."""
    (quick / "arena.toml").write_text(content)
    ran = arena("bot", "list")
    assert ran.status == 2 and message in ran.err and "unexpected" not in ran.err, ran.err[:500]
    assert len(ran.err) < 1000 and len(ran.err.splitlines()) == 1


def test_a_settings_file_may_begin_with_a_byte_order_mark(quick: Path, arena: Arena) -> None:
    """Editors on Windows write one."""
    (quick / "arena.toml").write_bytes(b'\xef\xbb\xbf[league.friday]\ngame = "lanterns"\n')
    ran = arena("league", "show", "friday")
    assert ran.status == 0, ran.err


def test_trust_is_for_a_content(quick: Path, arena: Arena) -> None:
    """Given, shown, lost by a change, and taken back."""
    (quick / "arena.toml").write_text('sandbox = "off"\n')
    given = arena("home", "trust", "--json")
    assert (given.status, json.loads(given.out)) == (0, {"trusted": [f"{quick}/arena.toml"], "keys": ["sandbox"]})
    assert arena("league", "list").status == 0
    shown = json.loads(arena("home", "show", "--json").out)
    assert (shown["settings"], shown["standing"], shown["unheeded"]) == (f"{quick}/arena.toml", "trusted", [])
    assert {(entry["kind"], entry["owner"]) for entry in shown["trusted"]} == {("settings", os.geteuid())}
    (quick / "arena.toml").write_text('sandbox = "off"  # and more\n')
    assert "it has changed since you trusted it" in arena("league", "list").err
    assert arena("home", "trust", str(quick)).status == 0
    assert arena("league", "list").status == 0
    taken = arena("home", "distrust", "--json")
    assert json.loads(taken.out)["distrusted"] == [f"{quick}/arena.toml"]
    assert arena("league", "list").status == 2
    assert "nothing in" in arena("home", "distrust").err
    assert "there is nothing to trust in" in arena("home", "trust", str(quick.parent)).err


def test_doctor_and_home_report_instead_of_failing(quick: Path, arena: Arena) -> None:
    """Both name what does not count, and what is theirs to tell is told all the same."""
    (quick / "arena.toml").write_text('sandbox = "off"\n[league.friday]\ngame = "lanterns"\n')
    (quick / ".arena" / "bots").mkdir(parents=True)
    doctor = arena("doctor")
    assert doctor.status == 1
    assert f"PROBLEM  settings:      {quick}/arena.toml sets 'sandbox'" in doctor.out
    assert f"PROBLEM  home:          the home {quick}/.arena existed already" in doctor.out
    assert "leagues: friday" in doctor.out and "game:" in doctor.out
    shown = json.loads(arena("home", "show", "--json").out)
    assert shown["unheeded"] == ["sandbox"] and "existed already" in shown["home_trouble"]
    assert arena("new", "ada").status == 0, "it uses nothing of this"


def test_a_strangers_settings_do_not_hide_ones_own(quick: Path, arena: Arena) -> None:
    """A submission that lies in a league's folder would else take away what that league demands."""
    (quick.parent / "arena.toml").write_text("[league.lanterns]\nuntrusted = true\n")
    (quick / "arena.toml").write_text("[league.lanterns]\nuntrusted = false\n")
    ran = arena("check", "bot.py")
    assert ran.status == 2
    assert f"{quick}/arena.toml would hide the settings of {quick.parent}/arena.toml" in ran.err
    assert arena("home", "trust", str(quick)).status == 0
    assert arena("league", "list").status == 0


def test_settings_in_ones_own_home_count_in_full(quick: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a named home and of the usual one; a relative name depends on the folder, so it is not enough."""
    for home in (quick.parent / "home", quick.parents[1] / "data" / "arena"):
        home.mkdir(parents=True)
        (home / "arena.toml").write_text('sandbox = "off"\n')
    assert arena("league", "show", "lanterns").out.count('"off"') == 1
    monkeypatch.setenv("ARENA_HOME", str(quick.parent / "home"))
    assert arena("league", "show", "lanterns").out.count('"off"') == 1
    monkeypatch.setenv("ARENA_HOME", "../home")
    assert "counts only in a settings file that you trust" in arena("league", "show", "lanterns").err
    (quick.parent / "home" / "arena.toml").chmod(0o666)
    monkeypatch.setenv("ARENA_HOME", str(quick.parent / "home"))
    assert "can be written by others" in arena("league", "show", "lanterns").err


# Homes


def test_a_home_that_comes_along_is_not_opened(quick: Path, place: Path, arena: Arena) -> None:
    """With a database and a ledger of a stranger's: no command reads, kills or removes, until it is trusted."""
    (quick / "arena.toml").touch()
    Home(quick / ".arena", None, "").create()
    (quick / ".arena" / "arena.db").touch()
    bystander = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        born = Path(f"/proc/{bystander.pid}/stat").read_text().rpartition(")")[2].split()[19]
        entry = quick / ".arena" / "run" / "bots" / f"{DEAD_OWNER}.{bystander.pid}.{born}"
        entry.write_text(Path("/proc/sys/kernel/random/boot_id").read_text())
        entry.chmod(0o600)
        for command in (*USING, ("night", "stop"), ("home", "show"), ("doctor",)):
            ran = arena(*command)
            if command[0] not in ("home", "doctor"):
                assert ran.status == 1, command
                assert f"`arena home trust {quick}`" in ran.err.splitlines()[-1]
        assert bystander.poll() is None and entry.exists()
        assert (quick / ".arena" / "arena.db").stat().st_size == 0
        assert arena("home", "trust").status == 0
        assert arena("bot", "list").status == 0
        assert bystander.poll() is None, "what lay there before it was trusted proves nothing"
        entry.chmod(0o400)
        entry.chmod(0o600)
        assert "1 leftover bot process was found and killed" in arena("bot", "list").err
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.parametrize("environment", [None, "brought"])
def test_a_link_leads_to_no_other_home(
    environment: str | None, quick: Path, place: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission may bring one that leads to a home which the user trusts, or where none is yet."""
    own = place / "league"
    own.mkdir()
    (own / "arena.toml").touch()
    (quick / "arena.toml").touch()
    monkeypatch.chdir(own)
    assert arena("bot", "list").status == 0
    monkeypatch.chdir(quick)
    if environment is not None:
        monkeypatch.setenv("ARENA_HOME", environment)
    link = quick / (environment or ".arena")
    for target in (own / ".arena", place / "new"):
        link.symlink_to(target)
        ran = arena("bot", "list")
        assert ran.status == 1 and "was reached by a link" in ran.err
        link.unlink()
    assert not (place / "new").exists()


def test_a_linked_settings_file_is_not_the_one_that_is_trusted(quick: Path, place: Path, arena: Arena) -> None:
    """What the user trusts in one folder, a stranger cannot have counted in another."""
    own = place / "league"
    own.mkdir()
    (own / "arena.toml").write_text('sandbox = "off"\n')
    assert arena("home", "trust", str(own)).status == 0
    (quick / "arena.toml").symlink_to(own / "arena.toml")
    assert "counts only in a settings file that you trust" in arena("league", "list").err


def test_a_strangers_settings_do_not_hide_those_of_the_usual_home(quick: Path, place: Path, arena: Arena) -> None:
    """Without a file there, they would count here."""
    usual = place / "data" / "arena"
    usual.mkdir(parents=True)
    (usual / "arena.toml").write_text('sandbox = "required"\n')
    assert arena("league", "list").status == 0
    (quick / "arena.toml").touch()
    assert f"would hide the settings of {usual}/arena.toml" in arena("league", "list").err


def test_a_relative_home_is_made_and_known_again(quick: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `make demo` does; one that another folder brings by that name is not."""
    monkeypatch.setenv("ARENA_HOME", "build/demo")
    assert arena("submit", "bot.py", "--game", "lanterns").status == 0
    assert arena("bot", "list").status == 0
    shutil.copytree(quick / "build", quick.parent / "other" / "build")
    monkeypatch.chdir(quick.parent / "other")
    assert "existed already" in arena("bot", "list").err


# Untrusted leagues


@pytest.mark.parametrize(
    "command",
    [("check",), ("submit",), ("submit", "--allow-build"), ("check", "--allow-build", "--league", "strangers"),
     ("play", "--league", "strangers", "--allow-build"), ("check", "--sandbox", "off"),
     ("compare", "--league", "strangers", "--allow-build")],
    ids=" ".join,
)  # fmt: skip
def test_a_league_of_strangers_confines_checks_and_builds(
    command: tuple[str, ...], place: Path, arena: Arena, without_bubblewrap: None
) -> None:
    """Nothing of the bot is run, by no command, also where it goes to several leagues of which one is untrusted."""
    (place / "home").mkdir(exist_ok=True)
    (place / "home" / "arena.toml").write_text('[league.strangers]\ngame = "lanterns"\nuntrusted = true\n')
    told = [spy(place / name) for name in ("one", "two")]
    bots = [str(place / "one"), str(place / "two")] if command[0] in ("play", "compare") else [str(place / "one")]
    ran = arena(command[0], *bots, *command[1:])
    assert ran.status == 1
    assert "league strangers is marked untrusted, and this host lacks namespaces" in ran.err
    assert not any(file.exists() for file in told)
    assert list((place / "home" / "bots").glob("*")) == [] if (place / "home" / "bots").exists() else True


def test_a_bot_of_strangers_is_confined_in_every_match(
    place: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is played by the rules of another league, which asks for nothing."""
    confinement()
    (place / "home").mkdir(exist_ok=True)
    (place / "home" / "arena.toml").write_text('[league.strangers]\ngame = "lanterns"\nuntrusted = true\n')
    arena("new", "ada")
    assert arena("submit", "ada.py", "--league", "strangers").status == 0
    found = probe._find
    monkeypatch.setattr(probe, "_find", lambda program: None if program == "bwrap" else found(program))
    ran = arena("play", "ada", "ada", "--game", "burn_my_village")
    assert (ran.status, ran.out) == (1, "")
    assert "league strangers is marked untrusted" in ran.err


@pytest.mark.parametrize("name", ["lanterns", "friday"])
def test_another_folder_does_not_make_a_league_less_strict(
    quick: Path, place: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What its newest night demanded holds where no settings of the caller's say something else, or know the league."""
    confinement()
    monkeypatch.setenv("ARENA_HOME", str(place / "home"))
    monkeypatch.chdir(place)
    (place / "arena.toml").write_text(f'[league.{name}]\ngame = "lanterns"\nuntrusted = true\n')
    for bot in ("ada", "grace"):
        arena("new", bot)
        Path(f"{bot}.py").write_text(Path(f"{bot}.py").read_text() + f"# {bot}\n")
        assert arena("submit", f"{bot}.py", "--league", name).status == 0
    assert arena("night", "run", name, "--encounters", "1", "--workers", "1", "--quiet").status == 0
    (place / "arena.toml").unlink()
    (quick / "arena.toml").write_text("[league.lanterns]\nuntrusted = false\n")
    monkeypatch.chdir(quick)
    found = probe._find
    monkeypatch.setattr(probe, "_find", lambda program: None if program == "bwrap" else found(program))
    for command in (("check", "bot.py"), ("submit", "bot.py"), ("night", "run", "lanterns"),
                    ("play", "ada", "grace", "--game", "lanterns")):  # fmt: skip
        assert f"league {name} is marked untrusted" in arena(*command).err, command
    (quick / "arena.toml").write_text(f'[league.{name}]\ngame = "lanterns"\n[league.own]\ngame = "lanterns"\n')
    assert arena("check", "bot.py", "--league", "own").status == 0, "a league that the settings know stands for itself"


def test_a_league_that_requires_a_sandbox_names_itself(place: Path, arena: Arena, without_bubblewrap: None) -> None:
    """The strictest of all leagues that a bot is for decides."""
    (place / "home").mkdir(exist_ok=True)
    (place / "home" / "arena.toml").write_text('[league.safe]\ngame = "lanterns"\nsandbox = "required"\n')
    told = spy(place / "one")
    for command in (("check", "one"), ("submit", "one", "--allow-build")):
        ran = arena(*command)
        assert ran.status == 1 and "league safe demands a sandbox" in ran.err, ran.err
    assert not told.exists()
    assert arena("new", "ada").status == 0
    assert arena("check", "ada.py", "--game", "burn_my_village").status == 0, "a league that asks for nothing"


def test_an_ordinary_user_gets_the_same_refusal() -> None:
    """As user 65534, in a process of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to other users
        refused_as_ordinary_user(Path(folder))


def refused_as_ordinary_user(home: Path) -> None:
    (home / "arena.toml").write_text('[league.strangers]\ngame = "lanterns"\nuntrusted = true\n')
    told = spy(home / "one")
    for path in (home, *home.rglob("*")):
        os.chown(path, 65534, 65534)
    script = (
        "from arena.sandbox import probe as probing\nfound = probing._find\n"
        "probing._find = lambda program: None if program == 'bwrap' else found(program)\n"
        "from arena.cli.main import run\nrun()\n"
    )
    # With leave to read everything, since Python itself may lie in a folder of root's alone.
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
            "--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]  # fmt: skip
    for command in (("check", "one", "--allow-build"), ("submit", "one", "--allow-build")):
        ran = subprocess.run(
            [*user, sys.executable, "-P", "-c", script, *command], capture_output=True, text=True, cwd=home,
            env={**os.environ, "ARENA_HOME": str(home), "HOME": str(home), "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert ran.returncode == 1, ran.stderr
        assert "league strangers is marked untrusted, and this host lacks namespaces" in ran.stderr
    assert not told.exists()


# What is said


def test_commands_that_run_bots_say_what_counts(place: Path, arena: Arena, without_bubblewrap: None) -> None:
    """The first line on stderr names the settings file and the missing layers; JSON has both."""
    (place / "arena.toml").write_text('[league.friday]\ngame = "lanterns"\n')
    for name in ("ada", "grace"):
        arena("new", name)
        Path(f"{name}.py").write_text(Path(f"{name}.py").read_text() + f"# {name}\n")
    for command in (
        ("check", "ada.py", "--game", "lanterns", "--json"),
        ("submit", "ada.py", "grace.py", "--game", "lanterns", "--json"),
        ("play", "ada.py", "grace", "--game", "lanterns", "--json"),
        ("night", "run", "lanterns", "--encounters", "1", "--workers", "1", "--json"),
    ):
        ran = arena(*command)
        first = ran.err.splitlines()[0]
        assert first.startswith(f"settings: {place}/arena.toml (found here and not trusted"), ran.err
        assert "; the sandbox lacks namespaces, " in first
        if command[0] != "night":
            data = json.loads(ran.out)
            said = data if isinstance(data, dict) else data[0]
            assert said["settings"] == f"{place}/arena.toml" and "namespaces" in said["missing_layers"]


# Code


def test_the_working_folder_brings_no_code(quick: Path, place: Path) -> None:
    """Not as modules of Python's, of the arena's or of games, nor as programs on a PATH that has a dot in it."""
    told = place / "told"
    for name in ("json.py", "click.py", "engine/__init__.py", "rich/__init__.py", "platformdirs.py"):
        module = quick / name
        module.parent.mkdir(exist_ok=True)
        module.write_text(f"open({str(told)!r}, 'w').close()\nraise SystemExit(99)\n")
    plugin = quick / "evil-1.dist-info"
    plugin.mkdir()
    (plugin / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    (plugin / "entry_points.txt").write_text("[arena.games]\nevil = json\n")
    for name in ("gcc", "ldconfig", "bwrap", "prlimit", "setpriv", "python3", "git", "ld"):
        (quick / name).write_text(f"#!/bin/sh\ntouch {told}\n")
        (quick / name).chmod(0o755)
    environment = {**os.environ, "ARENA_HOME": str(place / "home"), "PATH": f".::{os.environ['PATH']}"}
    for variables in ({}, {"PYTHONPATH": f":{place / 'nowhere'}"}):
        if variables:  # then Python itself begins with the working folder, and finds no module of its own there
            for name in ("json.py", "rich/__init__.py"):
                (quick / name).unlink(missing_ok=True)
        for command in (("game", "list"), ("check", "bot.py", "--game", "lanterns"), ("doctor", "--json")):
            ran = subprocess.run(
                [sys.executable, "-m", "arena", *command], capture_output=True, text=True,
                env={**environment, **variables},
            )  # fmt: skip
            assert ran.returncode == 0, ran.stderr
            assert not told.exists(), command


def test_a_replay_from_outside_gives_no_more_memory(place: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """`arena match rehearse` takes a file from anywhere: what it says about limits counts up to the usual."""
    from arena.match.session import Session

    arena("new", "ada")
    assert arena("play", "ada.py", "ada.py", "--game", "lanterns", "--save", "match.jsonl").status == 0
    lines = Path("match.jsonl").read_text().split("\n")
    header = json.loads(lines[0])
    header["rules"]["memory_mb"] = 100_000
    Path("match.jsonl").write_text("\n".join([json.dumps(header, separators=(",", ":")), *lines[1:]]))
    assert read_replay(Path("match.jsonl").read_bytes()).header.rules.memory_mb == 100_000
    given: list[int] = []
    launch = Session.launch

    def heard(program, hello, rules, sandbox, **more):  # type: ignore[no-untyped-def]
        given.append(rules.memory_mb)
        return launch(program, hello, rules, sandbox, **more)

    monkeypatch.setattr(Session, "launch", heard)
    arena("match", "rehearse", "./match.jsonl", "--seat", "0", "--bot", "ada.py")
    assert given == [512]


def test_a_working_folder_that_was_removed(place: Path, quick: Path) -> None:
    """What needs it says so in a sentence; nothing else is looked for there."""
    quick.joinpath("bot.py").unlink()
    command = f"rmdir {shlex.quote(str(quick))} && exec {shlex.quote(sys.executable)} -P -c " + shlex.quote(
        "from arena.cli.main import run; run()"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ARENA_HOME": str(place / "home")}
    ran = subprocess.run(["sh", "-c", f"{command} bot list"], capture_output=True, text=True, env=environment)
    assert ran.returncode == 2, ran.stderr
    assert ran.stderr == "arena: the working folder was removed: change to a folder that exists\n"


def test_the_next_step_can_be_typed_and_shown(place: Path, arena: Arena) -> None:
    """A folder's name is quoted for a shell, and cannot control the terminal."""
    for name, shown in (("my bots", "'my bots/ada.py'"), ("e\x1b[31m", r"'e\x1b[31m/ada.py'")):
        (place / name).mkdir()
        write_starter("ada", "python", place / name)
        ran = arena("check", f"{name}/ada.py", "--game", "lanterns", "--seats", "2")
        assert ran.status == 0, ran.err
        assert f"passes the check: submit it with `arena submit {shown}`" in ran.err
