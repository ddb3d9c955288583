"""Tests of commands that only read: on a home that one may only read, without a home, and in any folder."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.store.store import Store
from benchmarks.filled_store import fill
from tests.cli.conftest import Arena, Ran

LEAGUE = "burn_my_village"
STRANGER = 65534
READING = (
    ("leaderboard", LEAGUE),
    ("leaderboard", "--by", "settled"),
    ("versus",),
    ("versus", LEAGUE, "--by", "seat"),
    ("bot", "list"),
    ("bot", "list", "--league", LEAGUE),
    ("bot", "show", "bot0001"),
    ("bot", "history", "bot0001"),
    ("match", "list"),
    ("match", "show", f"{LEAGUE}-1-0"),
    ("night", "list"),
    ("night", "show", LEAGUE),
    ("rating", "verify", LEAGUE),
    ("game", "list"),
    ("league", "list"),
    ("league", "list", "--playable"),
    ("league", "show", LEAGUE),
)

AsStranger = Callable[..., Ran]


def content(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every path below a folder with its size and the time of its last change."""
    return {str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
            for path in (folder, *folder.rglob("*"))}  # fmt: skip


@pytest.fixture
def filled(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with one night that all users may read, in a working folder that all users may enter."""
    folder = Path(tempfile.mkdtemp(prefix="arena-test-"))  # pytest's own folders are closed to other users
    folder.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    with Store.open(home) as store:
        fill(store, LEAGUE, bots=4, matches=12)
        store.update_ratings(LEAGUE)
    home.chmod(0o755)
    (home / "arena.db").chmod(0o644)
    (folder / "elsewhere").mkdir()
    for variable in [name for name in os.environ if name.startswith("ARENA_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("ARENA_HOME", str(home))
    monkeypatch.chdir(folder / "elsewhere")
    yield home
    shutil.rmtree(folder)


@pytest.fixture
def stranger(filled: Path, arena: Arena, capfd: pytest.CaptureFixture[str]) -> AsStranger:
    """Runs one command as another user, which changes no file.

    The caller runs it first, so that no module needs to be read by that user.
    """
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")

    def run(*arguments: str) -> Ran:
        arena(*arguments)
        before = content(filled.parent)
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setresgid(STRANGER, STRANGER, STRANGER)
            os.setresuid(STRANGER, STRANGER, STRANGER)
            os.environ["HOME"] = "/nonexistent"
            status = main(arguments)
            sys.stdout.flush()
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        captured = capfd.readouterr()
        assert content(filled.parent) == before
        return Ran(status, captured.out, captured.err)

    return run


def test_reading_commands_need_no_permission_to_write(filled: Path, stranger: AsStranger, arena: Arena) -> None:
    """Another user gets the same answers as the owner, and leaves nothing behind."""
    own = {command: arena(*command) for command in READING}
    for command in READING:
        ran = stranger(*command)
        assert (ran.status, ran.out) == (0, own[command].out), (command, ran.err)


def test_another_user_reads_while_the_owner_writes(filled: Path, stranger: AsStranger, arena: Arena) -> None:
    """A night keeps its newest results beside the database; reading them needs all of its files."""
    with Store.open(filled) as store:
        store.withdraw("bot0001")
        assert (filled / "arena.db-wal").stat().st_size
        ran = stranger("bot", "list")
        assert ran.status == 0
        assert [line.endswith(LEAGUE) for line in ran.out.splitlines()[1:]] == [False, True, False, False]
        (filled / "arena.db-shm").rename(filled / "kept")
        ran = stranger("bot", "list")
        assert ran.status == 1 and "cannot be read without" in ran.err and ran.err.count("\n") == 1
        (filled / "kept").rename(filled / "arena.db-shm")


def test_a_home_of_another_user_is_read_as_untrusted_data(filled: Path, stranger: AsStranger, arena: Arena) -> None:
    """Its settings are harmless, its database is not written, and nothing of it is used by a command that writes."""
    owner = 1234
    (filled / "arena.toml").write_text('sandbox = "off"\n[league.friday]\ngame = "lanterns"\n')
    for path in (filled, *filled.rglob("*")):
        os.chown(path, owner, owner)
    assert "belongs to user 1234" in arena("bot", "list").err, "root reads no home of another user"
    assert "friday" in stranger("league", "list").out
    ran = stranger("bot", "withdraw", "bot0001")
    assert ran.status == 1 and "belongs to user 1234" in ran.err
    (filled / "arena.db").unlink()
    os.mkfifo(filled / "arena.db")
    ran = stranger("bot", "list")
    assert ran.status == 1 and "expected a regular file" in ran.err


def test_a_database_with_views_for_tables_is_refused(filled: Path, arena: Arena) -> None:
    """A view could compute without end."""
    with sqlite3.connect(filled / "arena.db") as connection:
        connection.execute("ALTER TABLE unkillable RENAME TO other")
        connection.execute("CREATE VIEW unkillable AS SELECT * FROM other")
    ran = arena("bot", "list")
    assert ran.status == 1 and "it lacks the tables unkillable" in ran.err


def test_what_may_not_be_read_is_one_sentence(filled: Path, stranger: AsStranger) -> None:
    """A private home, and a private database in a readable one."""
    (filled / "arena.db").chmod(0o600)
    ran = stranger("bot", "list")
    assert ran.status == 1 and f"the database {filled}/arena.db cannot be read: permission denied" in ran.err
    filled.chmod(0o700)
    ran = stranger("bot", "list")
    assert ran.status == 1 and f"the home {filled} cannot be read: permission denied" in ran.err


@pytest.mark.parametrize("command", [*READING[:-4], *READING[-3:]], ids=" ".join)
def test_a_mistyped_home_is_an_error_and_is_not_created(
    command: tuple[str, ...], filled: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where `ARENA_HOME` leads to nothing, or to a folder of something else."""
    monkeypatch.setenv("ARENA_HOME", str(filled.parent / "hoem"))
    ran = arena(*command)
    assert (ran.status, ran.out) == (1, "")
    assert f"there is no home at {filled.parent}/hoem: " in ran.err and ran.err.count("\n") == 1
    assert not (filled.parent / "hoem").exists()
    monkeypatch.setenv("ARENA_HOME", str(filled.parent))
    assert f"there is no home at {filled.parent}: expected a folder with arena.db" in arena(*command).err


@pytest.mark.parametrize("command", [("bot", "withdraw", "ada"), ("night", "run"), ("night", "abandon", LEAGUE)])
def test_commands_that_need_bots_create_no_mistyped_home(command: tuple[str, ...], filled: Path, arena: Arena,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Only what stores something new creates a home."""
    monkeypatch.setenv("ARENA_HOME", str(filled.parent / "hoem"))
    assert "there is no home at" in arena(*command).err
    assert not (filled.parent / "hoem").exists()


def test_reading_before_the_first_bot_creates_nothing(
    filled: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `ARENA_HOME` there is nothing to mistype: everything is empty."""
    monkeypatch.delenv("ARENA_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(filled.parent / "data"))
    before = content(filled.parent)
    assert LEAGUE in arena("league", "list").out
    assert arena("bot", "list").status == 0
    assert "no match has been played yet" in arena("leaderboard", LEAGUE).out
    Path("arena.toml").touch()
    assert arena("bot", "list").status == 0
    Path("arena.toml").unlink()
    assert content(filled.parent).keys() == before.keys()


@pytest.mark.parametrize("place", [".", "../home"])
def test_settings_that_are_no_file_are_an_error(place: str, filled: Path, arena: Arena) -> None:
    """A folder or a broken link with the name of the settings is not passed over."""
    file = Path(place) / "arena.toml"
    file.mkdir()
    ran = arena("leaderboard", LEAGUE)
    assert ran.status == 2 and "arena.toml cannot be read: " in ran.err
    file.rmdir()
    file.symlink_to("gone")
    ran = arena("leaderboard", LEAGUE)
    assert ran.status == 2 and "arena.toml cannot be read: no such file or directory" in ran.err


def test_what_was_played_is_read_from_the_store(filled: Path, arena: Arena, tmp_path: Path) -> None:
    """A league is shown, verified and published in every folder, when no settings define it any more too."""
    with sqlite3.connect(filled / "arena.db") as connection:
        connection.execute("UPDATE league SET name = 'friday'")
        connection.execute("""UPDATE night SET rules = replace(rules, '"name":"burn_my_village"', '"name":"friday"')""")
    for command in (("leaderboard",), ("leaderboard", "--by", "settled"), ("versus",), ("versus", "--by", "seat"),
                    ("rating", "verify"), ("league", "show"), ("night", "show")):  # fmt: skip
        ran = arena(*command, "friday")
        assert ran.status == 0, (command, ran.err)
    assert "friday" in arena("league", "list").out
    assert "bot0001" in arena("leaderboard").out, "the only league that has had a night"
    assert "settings" not in arena("rating", "verify").err
    assert arena("publish", "friday", "--into", str(tmp_path / "boards")).status == 0
    assert (tmp_path / "boards" / "friday.md").exists()
    assert "did you mean 'friday'" in arena("leaderboard", "fridai").err
