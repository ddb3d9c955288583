"""Tests of `arena submit` with odd submissions: each is handled independently and leaves nothing behind."""

from __future__ import annotations

import json
import os
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.check.report import CheckReport
from arena.errors import ArenaFault, StoreError, SubmissionRefused
from arena.model.records import Program
from arena.submission import copying, receive
from arena.submission.copying import Bounds
from tests.cli.conftest import GAME, Arena
from tests.support.bench import traces
from tests.support.hosts import confinement

RUN = "run = 'python3 main.py'\n"

MANIFESTS: dict[str, bytes] = {
    "hex": b"run = 'x'\nname = 0x" + b"F" * 20_000,
    "digits": b"run = 'x'\nname = " + b"9" * 20_000,
    "float": b"run = 1e999999",
    "arguments": b"run = ['sh'" + b",''" * 15_000 + b"]",
    "argument": b"run = ['sh', '" + b"a" * 60_000 + b"']",
    "key": b"run = 'x'\n'" + b"k" * 60_000 + b"' = 1",
    "value": b"run = 'sh x'\nname = '" + b"v" * 60_000 + b"'",
    "author": b"run = 'sh x'\nauthor = '" + b"v" * 60_000 + b"'",
    "game": b"run = 'python3 main.py'\ngames = ['" + b"v" * 60_000 + b"']",
    "games": b"run = 'python3 main.py'\ngames = [" + b"'a'," * 10_000 + b"]",
    "twice": b"['" + b"k" * 30_000 + b"']\n['" + b"k" * 30_000 + b"']",
    "dotted": b".".join([b"a"] * 30_000) + b" = 1",
    "quoted": b".".join([b"'a'"] * 15_000) + b" = 1",
    "many_dotted": b"\n".join(b"a.b.c.d%d = 1" % number for number in range(4_000)),
    "nested": b"run = " + b"[" * 40_000,
    "inline": b"run = " + b"{a=" * 20_000,
    "tables": b"[[a]]\n" * 10_000,
    "open_text": b'run = "' + b'\\"' * 30_000,
    "large": b"#" * 70_000,
    "utf16": "run = 'x'".encode("utf-16"),
    "surrogate": b"run = 'x'\nname = '\xed\xa0\x80'",
    "null": b'run = "sh \\u0000"',
    "controls": b'run = "sh"\nauthor = "a\\u001b[2J"',
    "unseen": b'run = "sh"\nauthor = "\\u200b\\u2800"',
    "other_author": b"run = 'python3 main.py'\nauthor = 'Mallory'",
    "proc_root": b"run = '/proc/1/root/usr/bin/python3 main.py'",
    "proc_self": b"run = 'python3 /proc/self/root/etc/passwd'",
    "long_program": b"run = './" + b"p" * 4_000 + b"'",
    "program_is_a_folder": b"run = '/usr/bin/'",
    "program_below_a_file": b"run = './main.py/x'",
    "device": b"run = '/dev/stdin'",
}
"""Each as the `bot.toml` of a folder with a `main.py`."""


def fifo(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def many_folders(folder: Path) -> None:
    for number in range(2_000):
        (folder / f"d{number}").mkdir()


def deep(folder: Path) -> None:
    (folder / "/".join("d" * 30)).mkdir(parents=True)


def long_path(folder: Path) -> None:
    (folder / "/".join(["d" * 110] * 12)).mkdir(parents=True)
    (folder / "/".join(["d" * 110] * 12) / "x").touch()


def sparse(folder: Path) -> None:
    (folder / "big").touch()
    os.truncate(folder / "big", 1 << 42)


def not_utf8(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).mkdir()


def manifest_is_a_folder(folder: Path) -> None:
    (folder / "bot.toml").unlink()
    (folder / "bot.toml").mkdir()


def loop(folder: Path) -> None:
    (folder / "loop").symlink_to(".")


def a_socket(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
    os.chdir(here)


FOLDERS: dict[str, Callable[[Path], None]] = {
    f.__name__: f for f in (fifo, many_folders, deep, long_path, sparse, not_utf8, a_socket, manifest_is_a_folder, loop)
}
FILES = {
    "crlf.sh": b"read x\r\necho\r\n",
    "null": b"#!/usr/bin/env sh\0\n",
    "bom": b"\xef\xbb\xbf#!/bin/sh\n",
    "zip": b"PK\x03\x04",
    "x\x1b[2J.py": b"",
    "n" * 250 + ".py": b"",
}

BUILDS = {
    "closes_all": "chmod 000 .",
    "closes_a_folder": "mkdir d; touch d/x; chmod 000 d",
    "closes_a_file": "touch x; chmod 000 x",
    "hides_its_files": "mkdir d; cd d; touch a b c; chmod 300 .",
    "set_uid": "cp /bin/true t && chmod 4755 t",
    "set_gid_folder": "mkdir d && chmod 2777 d",
    "creates_set_uid": "exec python3 -c 'import os; os.open(\"t\", os.O_CREAT | os.O_WRONLY, 0o4755)'",
    "attribute": 'exec python3 -c \'import os; os.setxattr("main.py", "user.x", b"1")\'',
    "removes_itself": "rm -rf *",
    "many_folders_built": "seq 6000 | sed 's/^/d/' | xargs mkdir",
}


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that everybody passes at once: what is tried here comes before it."""
    monkeypatch.setattr(
        "arena.check.runner.check",
        lambda program, rules, *_, **__: CheckReport(program.label, rules.name, rules.game, False, ()),
    )


@pytest.fixture
def good(place: Path) -> str:
    (place / "good.py").write_text("good\n")
    return "good.py"


@pytest.fixture
def odd(place: Path) -> Iterator[list[str]]:
    """Everything odd that can be submitted."""
    sources = []
    for name, manifest in MANIFESTS.items():
        (place / name).mkdir()
        (place / name / "main.py").touch()
        (place / name / "bot.toml").write_bytes(manifest)
        sources.append(name)
    for name, spoil in FOLDERS.items():
        (place / name).mkdir()
        (place / name / "bot.toml").write_text(RUN)
        (place / name / "main.py").touch()
        spoil(place / name)
        sources.append(name)
    for name, text in FILES.items():
        (place / "files" / name).parent.mkdir(exist_ok=True)
        (place / "files" / name).write_bytes(text)
        sources.append(f"files/{name}")
    odd_bytes = os.fsdecode(b"files/\xff.py")
    Path(odd_bytes).touch()
    Path("files/circle.py").symlink_to("circle.py")
    yield [
        *sources,
        odd_bytes,
        "files/circle.py",
        "/dev/zero",
        "/proc/self/mem",
        "/proc/kmsg",
        "nothing",
        "n" * 300,
        "good.py/x",
    ]


def submitted(arena: Arena, *sources: str) -> tuple[int, list[dict[str, str]], str]:
    ran = arena("submit", "--json", "--game", GAME, *sources)
    return ran.status, json.loads(ran.out), ran.err


def only_one_is_kept(place: Path, told: list[dict[str, str]]) -> None:
    """Nothing of any other is left on the disk."""
    (kept,) = [entry["digest"] for entry in told if entry["outcome"] == "entered"]
    assert [entry.name for entry in (place / "home" / "bots").iterdir()] == [kept]


@pytest.mark.usefixtures("instant")
def test_nothing_odd_stops_a_good_bot(arena: Arena, place: Path, good: str, odd: list[str]) -> None:
    """Each odd one is refused in one harmless sentence, and the good one is entered."""
    status, told, said = submitted(arena, *odd, good)
    assert status == 1 and "Traceback" not in said and "\x1b" not in said
    assert [entry["source"] for entry in told] == [*odd, good]
    for entry in told[:-1]:
        assert entry["outcome"] == "refused", entry
        assert len(entry["reason"]) < 700 and entry["reason"].isprintable(), entry
    assert told[-1]["outcome"] == "entered"
    only_one_is_kept(place, told)


@pytest.mark.usefixtures("instant")
def test_no_build_stops_a_good_bot(arena: Arena, place: Path, good: str) -> None:
    """Whatever it leaves is removed, and nobody of another user could run it meanwhile."""
    before = {what: found for what, found in traces(confinement()).items() if what != "mounts"}
    for name, command in BUILDS.items():
        (place / name).mkdir()
        (place / name / "main.py").touch()
        (place / name / "build.sh").write_text(command)
        (place / name / "bot.toml").write_text(f"{RUN}build = 'sh build.sh'\n")
    status, told, _ = submitted(arena, *BUILDS, good)
    assert status == 1
    refused = {entry["source"] for entry in told if entry["outcome"] == "refused"}
    assert refused == set(BUILDS) - {"removes_itself"}
    entered = {entry["source"] for entry in told if entry["outcome"] == "entered"}
    assert entered == {good, "removes_itself"}  # that it cannot be played is for the check to say
    assert len(list((place / "home" / "bots").iterdir())) == 2
    # What this process mounts, so that bots reach its folders, nobody else sees.
    assert {what: found for what, found in traces(confinement()).items() if what != "mounts"} == before


@pytest.mark.usefixtures("instant")
def test_where_nothing_confines_a_build_its_rights_are_taken_from_what_it_leaves(arena: Arena, place: Path) -> None:
    """Set-id bits, permissions for everybody and attributes do not come as far as the kept folder."""
    (place / "loose").mkdir()
    (place / "loose" / "main.py").touch()
    (place / "loose" / "build.sh").write_text(
        "cp /bin/true t; chmod 6777 t; mkdir d; chmod 3777 d; chmod 666 main.py; chmod 777 .\n"
        'python3 -c \'import os; os.setxattr("main.py", "user.x", b"1")\' || true'  # not every disk has them
    )
    (place / "loose" / "bot.toml").write_text(f"{RUN}build = 'sh build.sh'\n")
    ran = arena("submit", "loose", "--sandbox", "off", "--allow-build", "--game", GAME)
    assert ran.status == 0, ran.err
    (kept,) = (place / "home" / "bots").iterdir()
    assert "user.x" not in os.listxattr(kept / "main.py")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [kept, *kept.rglob("*")]}
    visible = 0o777 if os.geteuid() == 0 else 0o700  # root's bots run under other users
    assert modes["d"] == modes[kept.name] == 0o755 & visible
    assert (modes["t"], modes["main.py"]) == (0o555 & visible, 0o444 & visible)


def test_a_build_lies_behind_a_closed_door(place: Path, tmp_path: Path) -> None:
    """The folder around it cannot be listed by others, and for an ordinary user's arena not be entered either."""
    area = tmp_path / "area"
    area.mkdir()
    (place / "mybot.py").touch()
    with receive.receive(area, place / "mybot.py", receive.SubmitOptions(author="ada"), confinement()) as submission:
        (around,) = area.iterdir()
        assert Path(submission.program.folder).parent == around
        assert stat.S_IMODE(around.stat().st_mode) == (0o711 if os.geteuid() == 0 else 0o700)
    assert list(area.iterdir()) == []


def test_a_confined_build_sees_no_set_id(place: Path, tmp_path: Path) -> None:
    """Its folder, and all else, is mounted so that set-id bits mean nothing."""
    from arena.transport.base import Launch, Limits
    from arena.transport.command import run_to_end

    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        launch = Launch(("cat", "/proc/self/mounts"), made, confinement(), Limits(), writable=True)
        lines = run_to_end(launch, limit_s=30).output.splitlines()
    options = {line.split()[1]: line.split()[3].split(",") for line in lines}
    assert "/bot" in options and "/tmp" in options
    assert [place for place, found in options.items() if "nosuid" not in found] == []


@pytest.mark.usefixtures("instant")
def test_a_file_that_grows_or_a_folder_that_goes(
    arena: Arena, place: Path, good: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changes while it is copied is refused; so is what takes too long."""
    for name in ("grows", "goes", "slow"):
        (place / name / "parts").mkdir(parents=True)
        (place / name / "bot.toml").write_text(RUN)
        (place / name / "main.py").write_text("x")
        (place / name / "parts" / "y").touch()
    real_read, real_walk = os.read, copying._Walk.files

    def reading(descriptor: int, count: int) -> bytes:
        where = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        if where.endswith("grows/main.py"):
            with (place / "grows" / "main.py").open("a") as more:
                more.write("x")
        if where.endswith("goes/main.py") and (place / "goes" / "parts").exists():
            (place / "goes" / "parts" / "y").unlink()
            (place / "goes" / "parts").rmdir()
        return real_read(descriptor, count)

    def walking(self: copying._Walk) -> Iterator[tuple[copying.FoundFile, int]]:
        if self.source.name == "slow":
            self.bounds = Bounds(limit_s=-1)
        return real_walk(self)

    with monkeypatch.context() as patched:
        patched.setattr(os, "read", reading)
        patched.setattr(copying._Walk, "files", walking)
        status, told, _ = submitted(arena, "grows", "goes", "slow", good)
    assert status == 1
    assert "changed while it was read" in told[0]["reason"]
    assert "'parts' cannot be read: No such file" in told[1]["reason"]
    assert told[2]["reason"] == "reading it takes too long: expected at most -1 s"
    assert told[3]["outcome"] == "entered"


def test_names_that_a_disk_takes_for_one(tmp_path: Path) -> None:
    """As where capitals do not count: it is the submission that cannot be kept here, not the arena that fails."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "Main.py").touch()
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "Main.py").touch()  # what such a disk says to main.py
    with pytest.raises(SubmissionRefused, match=r"'Main\.py' has a name that the disk of this host cannot distinguish"):
        copying.copy_folder(tmp_path / "source", tmp_path / "target")


def test_a_fault_in_one_check_leaves_the_others_alone(
    arena: Arena, place: Path, good: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be of the bot's making: that one is not entered, and it is not called the bot's fault either."""
    (place / "evil.py").write_text("evil\n")

    def check(program: Program, rules: object, *_: object, **__: object) -> CheckReport:
        if program.name == "evil":
            raise ArenaFault("a process could not be ended")
        return CheckReport(program.label, GAME, GAME, False, ())

    monkeypatch.setattr("arena.check.runner.check", check)
    status, told, said = submitted(arena, "evil.py", good)
    assert (status, [entry["outcome"] for entry in told]) == (1, ["failed", "entered"])
    assert "failed evil.py: a process could not be ended" in said
    only_one_is_kept(place, told)


@pytest.mark.usefixtures("instant")
@pytest.mark.parametrize("fault", [StoreError("the disk is full"), TypeError("a bug")])
def test_a_fault_of_the_arena_ends_it_and_names_the_rest(
    arena: Arena, place: Path, good: str, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """It becomes no bot's refusal; whoever submits learns which bots were not handled."""

    def broken(*_: object) -> None:
        raise fault

    monkeypatch.setattr("arena.submission.receive.require_command", broken)
    ran = arena("submit", good, "later.py", "last.py", "--debug")
    assert ran.status == 1
    assert "not handled: later.py last.py" in ran.err
    assert str(fault) in ran.err and "Traceback" in ran.err
    status, told, _ = submitted(arena, good, "later.py")
    assert status == 1
    assert [entry["outcome"] for entry in told] == ["not_handled", "not_handled"]
    assert list((place / "home" / "bots").iterdir()) == []


@pytest.mark.usefixtures("instant")
def test_a_byte_order_mark_is_no_trouble(arena: Arena, place: Path) -> None:
    """Editors on Windows write one."""
    (place / "marked").mkdir()
    (place / "marked" / "main.py").touch()
    (place / "marked" / "bot.toml").write_bytes(b"\xef\xbb\xbfname = 'marked'\r\n" + RUN.encode())
    ran = arena("submit", "marked", "--game", GAME)
    assert ran.status == 0, ran.err


def manifest_of(place: Path, folder: str, text: str, content: str = "") -> str:
    (place / folder).mkdir(exist_ok=True)
    (place / folder / "main.py").write_text(content)
    (place / folder / "bot.toml").write_text(RUN + text)
    return folder


@pytest.mark.usefixtures("instant")
@pytest.mark.parametrize("how", ["option", "environment", "file"])
def test_what_the_organiser_says_binds(arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """A manifest may agree with the author that was said, and with nobody else; so with the name."""
    monkeypatch.delenv("ARENA_AUTHOR")
    said = {"option": "--author", "environment": "environment variable ARENA_AUTHOR", "file": "arena.toml"}[how]
    if how == "environment":
        monkeypatch.setenv("ARENA_AUTHOR", "Mallory")
    if how == "file":
        (place / "home").mkdir(exist_ok=True)
        (place / "home" / "arena.toml").write_text('author = "Mallory"\n')
    options = ("--author", "Mallory") if how == "option" else ()
    stolen = manifest_of(place, "stolen", 'name = "ada"\nauthor = "Ada Lovelace"\n')
    ran = arena("submit", stolen, "--game", GAME, *options)
    assert ran.status == 1
    assert f"{said} says 'Mallory' and bot.toml says author = 'Ada Lovelace'" in ran.err and "--author" in ran.err
    agreeing = manifest_of(place, "agreeing", 'name = "mine"\nauthor = "MALLORY"\n')
    assert arena("submit", agreeing, "--game", GAME, *options).status == 0
    ran = arena("submit", agreeing, "--game", GAME, "--name", "other", *options)
    assert ran.status == 1 and "--name says 'other' and bot.toml says name = 'mine'" in ran.err
    (bot,) = json.loads(arena("bot", "list", "--json").out)
    assert (bot["name"], bot["author"]) == ("mine", "Mallory")


@pytest.mark.usefixtures("instant")
def test_a_manifest_alone_takes_nobodys_name(arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may name an author who has no bots here; after that only the organiser speaks for that author."""
    monkeypatch.delenv("ARENA_AUTHOR")
    first = manifest_of(place, "first", 'name = "ada"\nauthor = "Ada Lovelace"\n')
    assert arena("submit", first, "--game", GAME).status == 0
    assert arena("submit", first, "--game", GAME).status == 0  # it changes nothing
    for author in ("Ada Lovelace", "ada lovelace", "Ａｄａ Lovelace"):
        for name in ("ada", "fresh"):
            evil = manifest_of(place, "evil", f'name = "{name}"\nauthor = "{author}"\n', "evil")
            ran = arena("submit", evil, "--game", GAME)
            assert ran.status == 1 and "expected --author 'Ada Lovelace' from the organiser of the arena" in ran.err
    lookalike = manifest_of(place, "evil", 'name = "fresh"\nauthor = "Аdа Lovelace"\n', "evil")
    ran = arena("submit", lookalike, "--game", GAME)
    assert ran.status == 1 and "looks like 'Ada Lovelace'" in ran.err
    assert [bot["versions"] for bot in json.loads(arena("bot", "list", "--json").out)] == [1]
    second = manifest_of(place, "first", 'name = "ada"\nauthor = "Ada Lovelace"\n', "better")
    ran = arena("submit", second, "--game", GAME, "--author", "ADA LOVELACE")
    assert ran.status == 0 and "ada:2 by Ada Lovelace" in ran.out


@pytest.mark.usefixtures("instant")
def test_an_author_is_spelt_as_at_first(arena: Arena, place: Path, good: str) -> None:
    """Case and width make no second author, and a name that belongs to another says what to do."""
    assert arena("submit", good, "--game", GAME, "--author", "Ada").status == 0
    (place / "good.py").write_text("better\n")
    ran = arena("submit", good, "--game", GAME, "--author", "ａｄａ")
    assert "good:2 by Ada" in ran.out
    ran = arena("submit", good, "--game", GAME, "--author", "Eve's")
    assert "choose another with --name, or use --author Ada if the bot is that author's" in ran.err


def test_every_command_that_takes_a_file_is_as_strict(
    arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`arena check` refuses what `arena submit` does, and leaves as little."""
    confinement()
    temporary = place / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (place / "dotted").mkdir()
    (place / "dotted" / "bot.toml").write_bytes(MANIFESTS["dotted"])
    ran = arena("check", "dotted/", "--game", GAME)
    assert ran.status == 1 and "too many dots" in ran.err
    assert list(temporary.iterdir()) == []


def test_every_bound_is_in_the_documentation() -> None:
    """One table has them all, as they are."""
    from arena.check.runner import BUDGET_S
    from arena.submission import manifest as m
    from arena.submission.author_names import LONGEST_AUTHOR
    from arena.submission.builds import BUILD_S

    text = (Path(__file__).parents[2] / "docs" / "writing-a-bot.md").read_text(encoding="utf-8")
    table = text.partition("### Limits")[2].partition("\n## ")[0]
    rows = [line.split("|")[2:4] for line in table.splitlines() if line.startswith("| ")][1:]
    found = [[int(cell.replace(",", "")) if cell.strip() else None for cell in row] for row in rows]
    bounds = [[getattr(kind, name) for kind in (Bounds(), copying.BUILT)] for name in Bounds.__slots__]
    alone = (BUILD_S, receive.PRECOMPILE_S, BUDGET_S, m.MANIFEST_BYTES, m.BOUNDS.keys, m.BOUNDS.dots,
             m.BOUNDS.brackets, m.BOUNDS.word, m.LONGEST_TEXT, m.MOST_GAMES, m.MOST_ARGUMENTS, m.LONGEST_ARGUMENT,
             LONGEST_AUTHOR)  # fmt: skip
    assert found == [*bounds, *([bound, None] for bound in alone)]
