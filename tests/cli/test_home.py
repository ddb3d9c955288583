"""Tests of the home on disk: who may read it, who can remove it, and what is noticed when its files change."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.sandbox import probe
from arena.store.store import Store
from tests.cli.conftest import GAME, Arena
from tests.cli.test_reading import AsStranger, filled, stranger

__all__ = ["filled", "stranger"]  # fixtures
ROOT = Path(__file__).parents[2]
BOTS = [str(ROOT / "sample_bots" / name) for name in ("village_random.py", "village_greedy.py")]
ALLOWED = {"bots": 0o701} if os.geteuid() == 0 else {}
"""Root's bots run under other users, whom the home itself keeps out."""


def modes(home: Path) -> dict[str, int]:
    """Return the permissions of the home and of each part, without the content of bots."""
    paths = [home, *home.iterdir(), *(home / "run").rglob("*"), *(home / "logs").rglob("*")]
    return {str(path.relative_to(home)): stat.S_IMODE(path.lstat().st_mode) for path in paths}


@pytest.fixture
def umask() -> Iterator[None]:
    """New files are for everybody, as on a careless host."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host lacks the program that puts bots into namespaces."""
    found = probe._find
    monkeypatch.setattr(probe, "_find", lambda program: None if program == "bwrap" else found(program))


def test_a_new_home_is_private(place: Path, arena: Arena, umask: None) -> None:
    """After bots, a night and a comparison, whatever the umask is."""
    (place / "home").rmdir()
    assert arena("submit", *BOTS, "--game", GAME).status == 0
    assert arena("night", "run", GAME, "--encounters", "1", "--workers", "1", "--quiet").status == 0
    assert arena("compare", *BOTS, "--game", GAME, "--matches", "2").status in (0, 1)
    found = modes(place / "home")
    assert {"arena.db", "bots", "logs/arena.log", "run/bots", "comparisons"} <= found.keys()
    assert {name: mode for name, mode in found.items() if mode & 0o077} == ALLOWED
    with Store.open(place / "home") as store:
        store.withdraw("village_random")
        log = [stat.S_IMODE((place / "home" / f"arena.db{end}").stat().st_mode) for end in ("-wal", "-shm")]
    assert log == [0o600, 0o600]


def test_new_files_in_a_readable_home_are_private(place: Path, arena: Arena, umask: None) -> None:
    """Doctor names the command that closes the home."""
    (place / "home").chmod(0o755)
    assert arena("submit", BOTS[0], "--game", GAME).status == 0
    found = modes(place / "home")
    assert found.pop(".") == 0o755
    assert {name: mode for name, mode in found.items() if mode & 0o077} == ALLOWED
    told = [line for line in arena("doctor").out.splitlines() if "other users can read" in line]
    assert len(told) == 1 and told[0].endswith(f"{place}/home: `arena home share --off` makes the home private")
    assert arena("home", "share", "--off").status == 0
    assert modes(place / "home")["."] == 0o700
    assert "other users can read" not in arena("doctor").out


def test_a_group_reads_the_results_and_nothing_else(filled: Path, arena: Arena, stranger: AsStranger) -> None:
    """Until the owner withdraws it; also what a later command writes, and never for writing."""
    any_game = str(ROOT / "sample_bots" / "any_game_random.py")
    assert arena("submit", any_game, "--author", "ada", "--game", "lanterns").status == 0
    assert arena("home", "share", "--off").status == 0
    assert stranger("bot", "list").status == 1
    ran = arena("home", "share", "--group", "65534")
    assert ran.status == 0 and f"ARENA_HOME={filled}" in ran.out
    assert "arena home share" not in arena("doctor").out, "this is what the owner wants"
    assert arena("bot", "withdraw", "bot0001").status == 0, "the owner may use it"
    assert "any_game_random" in stranger("bot", "list").out
    with Store.open(filled) as store:
        store.withdraw("bot0002")
        assert stranger("bot", "list").out.count("withdrawn from") == 1
    found = modes(filled)
    assert not [name for name, mode in found.items() if mode & 0o027 and name != "bots"]
    assert {name for name, mode in found.items() if mode & 0o070} == {".", "arena.db", "home.shared"}
    if os.geteuid() == 0:
        assert stranger("bot", "show", "any_game_random").status == 0
        digest = next((filled / "bots").iterdir()).name
        assert not readable(filled / "bots" / digest / "bot.py"), "the group is kept out although it knows the name"
    assert arena("home", "share", "--off").status == 0
    assert stranger("bot", "list").status == 1
    assert not [name for name, mode in modes(filled).items() if mode & 0o077 and name != "bots"]


def readable(file: Path) -> bool:
    """Return whether user 65534 can read a file."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        os._exit(0 if os.access(file, os.R_OK, effective_ids=True) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_sharing_wants_one_thing(place: Path, arena: Arena) -> None:
    """A group that exists, or nobody."""
    assert "expected either --group GROUP or --off" in arena("home", "share").err
    assert "expected either --group GROUP or --off" in arena("home", "share", "--group", "x", "--off").err
    assert "there is no group 'no-such-group' on this host" in arena("home", "share", "--group", "no-such-group").err


@pytest.mark.parametrize("mounts", [True, False], ids=["mounts", "no mounts"])
@pytest.mark.parametrize("bare", [False, True], ids=["confined", "bare"])
def test_bots_of_other_users_play_from_a_private_home(
    bare: bool,
    mounts: bool,
    filled: Path,
    arena: Arena,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """In a private home below an open folder, in a container that permits no mounts too. Nothing of a start stays."""
    if bare:
        request.getfixturevalue("without_bubblewrap")
    if not mounts:

        def refuse(*_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr("arena.sandbox.public_paths._private_view", refuse)
    monkeypatch.setenv("ARENA_HOME", str(filled.parent / "own"))
    temporary = filled.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    ran = arena("submit", *BOTS, "--author", "ada", "--game", GAME)
    assert ran.status == 0, ran.err
    ran = arena("night", "run", GAME, "--encounters", "1", "--workers", "1", "--quiet")
    assert ran.status == 0, ran.err
    assert not arena("match", "list", "--forfeits").out.count(GAME)
    assert not list(temporary.iterdir())


SNOOP = """
import os, sys
seen = []
for place in ("..", "../..", os.environ["HOME"] + "/..", "/run/league-arena", {home!r}, {home!r} + "/bots"):
    try:
        seen += [os.path.join(place, name) for name in os.listdir(place)]
    except OSError:
        pass
for place in seen:
    for name in ("bot.py", "bot/bot.py"):
        try:
            text = open(os.path.join(place, name)).read()
        except OSError:
            continue
        if "very" + " secret" in text:
            open("/tmp/arena-test-leak", "a").write(place)
"""


def with_snoop(source: str, home: Path) -> str:
    """Return a bot that looks for the files of another one when it starts."""
    first = "from __future__ import annotations\n"
    assert source.count(first) <= 1
    before, _, after = source.partition(first) if first in source else ("", "", source)
    return before + (first if first in source else "") + SNOOP.format(home=str(home)) + after


def test_a_bare_bot_of_root_cannot_read_the_others(
    filled: Path, arena: Arena, without_bubblewrap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each start has its own copy, which only its own user can enter."""
    if os.geteuid() != 0:
        pytest.skip("only root's bots run under users of their own")
    home = filled.parent / "own"
    monkeypatch.setenv("ARENA_HOME", str(home))
    Path("snoop.py").write_text(with_snoop(Path(BOTS[0]).read_text(), home))
    Path("victim.py").write_text(Path(BOTS[1]).read_text() + "# very secret\n")
    leak = Path("/tmp/arena-test-leak")
    leak.unlink(missing_ok=True)
    ran = arena("submit", "snoop.py", "victim.py", "--author", "ada", "--game", GAME)
    assert ran.status == 0, ran.err
    assert arena("night", "run", GAME, "--encounters", "1", "--workers", "1", "--quiet").status == 0
    assert not leak.exists(), leak.read_text()


def test_the_owner_can_remove_a_home(filled: Path, arena: Arena) -> None:
    """By `rm -rf`, as an ordinary user."""
    own = filled.parent / "own"
    arena("submit", BOTS[0])  # every module is loaded now
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                own.mkdir()
                os.chown(own, 65534, 65534)
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            from arena.submission.folders import make_read_only

            bot = own / "bots" / "digest"
            (bot / "inner").mkdir(parents=True)
            (bot / "inner" / "file").touch()
            make_read_only(bot)
            assert stat.S_IMODE((bot / "inner" / "file").stat().st_mode) == 0o400
            shutil.rmtree(own / "bots")
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_stored_bot_that_was_edited_is_not_played(place: Path, arena: Arena) -> None:
    """Doctor names it, and a night does not begin; the same for files that are missing."""
    assert arena("submit", *BOTS, "--game", GAME).status == 0
    folder = Path(json.loads(arena("bot", "show", "village_greedy", "--json").out)[0]["folder"])
    file = folder / "bot.py"
    mode = stat.S_IMODE(file.stat().st_mode)
    before = file.read_bytes()
    file.chmod(0o600)
    file.write_bytes(before + b"# edited\n")
    for command in (("night", "run", GAME, "--encounters", "1"), ("play", "village_greedy", "village_random", "--game",
                                                                   GAME)):  # fmt: skip
        ran = arena(*command)
        assert ran.status == 1 and "the files of village_greedy:1 were changed after it was submitted" in ran.err
    assert not arena("night", "list").out.count(GAME)
    ran = arena("doctor")
    assert ran.status == 1 and "the files of village_greedy:1 were changed after it was submitted" in ran.out
    shutil.rmtree(folder)
    assert "the files of village_greedy:1 are missing" in arena("doctor").out
    assert arena("submit", BOTS[1], "--game", GAME).status == 0
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert "village_greedy:1" not in arena("doctor").out
    assert arena("night", "run", GAME, "--encounters", "1", "--workers", "1", "--quiet").status == 0
