"""A bot is stored by its content, or refused in one sentence without leaving anything behind."""

import errno
import json
import os
import re
import shlex
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.errors import StoreError, SubmissionRefused
from arena.linux.stale import place_id
from arena.model.records import Submission
from arena.sandbox.probe import probe
from arena.submission import copying, folders
from arena.submission.copying import Bounds
from arena.submission.manifest import read_manifest
from arena.submission.receive import SubmitOptions, keep, receive
from tests.support.hosts import confinement

AUTHOR = SubmitOptions(author="ada")
VISIBLE = 0o777 if os.geteuid() == 0 else 0o700
"""Who sees a stored bot: if the arena is root, its bots run under other users."""
BARE = probe("off")
"""No confinement: what is built runs as this user."""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    folder = tmp_path / "bots"
    folder.mkdir()
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with a bot in it."""
    folder = tmp_path / "clever"
    (folder / "parts").mkdir(parents=True)
    (folder / "bot.toml").write_text('run = "python3 main.py"\n')
    (folder / "main.py").write_text("import parts.helper\n")
    (folder / "parts" / "helper.py").write_text("x = 1\n")
    return folder


def taken(bots: Path, source: Path, options: SubmitOptions = AUTHOR) -> Submission:
    with receive(bots, source, options, BARE) as submission:
        return keep(submission, bots)


def refusal(bots: Path, source: Path, options: SubmitOptions = AUTHOR) -> str:
    with pytest.raises(SubmissionRefused) as caught, receive(bots, source, options, BARE):
        pass
    assert list(bots.iterdir()) == []
    return str(caught.value)


def test_one_file_is_a_bot(bots: Path, tmp_path: Path) -> None:
    """A file with a known extension needs nothing else: name from the file, command from the extension."""
    file = tmp_path / "MyBot.py"
    file.write_text("print('hello')\n")
    submission = taken(bots, file)
    program = submission.program
    assert (program.name, program.author, program.command) == ("mybot", "ada", ("python3", "bot.py"))
    assert Path(submission.program.folder) == bots / submission.program.digest
    assert [entry.name for entry in bots.iterdir()] == [submission.program.digest]
    assert (Path(submission.program.folder) / "bot.py").read_text() == "print('hello')\n"
    assert submission.build_digest == submission.program.digest


def test_a_submission_is_known_by_its_content(bots: Path, source: Path, tmp_path: Path) -> None:
    """Same bytes and permission to run: same digest, whatever the file is called; a changed bit is another one."""
    (tmp_path / "one.py").write_text("1\n")
    (tmp_path / "two.py").write_text("1\n")
    assert taken(bots, tmp_path / "one.py").program.digest == taken(bots, tmp_path / "two.py").program.digest
    before = taken(bots, source).program.digest
    assert taken(bots, source).program.digest == before
    (source / "main.py").chmod(0o755)
    executable = taken(bots, source).program.digest
    (source / "main.py").rename(source / "main2.py")
    assert len({before, executable, taken(bots, source).program.digest}) == 3


def test_what_was_taken_in_cannot_be_written(bots: Path, source: Path) -> None:
    """The files of the kept copy are read-only, and only its owner may write to its folders, to remove them."""
    (source / "tool").write_text("#!/bin/sh\n")
    (source / "tool").chmod(0o700)
    folder = Path(taken(bots, source).program.folder)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
    assert modes[folder.name] == modes["parts"] == 0o755 & VISIBLE
    assert (modes["tool"], modes["main.py"]) == (0o555 & VISIBLE, 0o444 & VISIBLE)


def test_python_folders_are_compiled_when_they_are_taken_in(bots: Path, source: Path) -> None:
    """No bot spends its start-up limit on compiling its modules, match after match."""
    folder = Path(taken(bots, source).program.folder)
    assert list((folder / "parts" / "__pycache__").glob("helper.*.pyc"))


def test_what_tools_leave_in_a_folder_is_not_taken(bots: Path, source: Path) -> None:
    """Version control and caches neither travel nor count."""
    before = taken(bots, source).program.digest
    (source / ".git").mkdir()
    (source / ".git" / "link").symlink_to("/etc/passwd")
    (source / "parts" / "__pycache__").mkdir()
    (source / "parts" / "__pycache__" / "x.pyc").write_bytes(b"\0")
    assert taken(bots, source).program.digest == before


def test_an_arena_inside_the_folder_is_not_copied_into_itself(source: Path) -> None:
    """One beside its settings is passed over; one under another name is refused by its name."""
    (source / "arena.toml").touch()
    inside = source / ".arena" / "bots"
    inside.mkdir(parents=True)
    kept = taken(inside, source)
    assert not (Path(kept.program.folder) / ".arena").exists()
    assert taken(inside, source).program.digest == kept.program.digest
    other = source / "home" / "bots"
    other.mkdir(parents=True)
    for typed in (source, source / "parts" / ".."):
        assert f"holds the folder '{other}', where the arena stores bots" in refusal(other, typed)


@pytest.mark.parametrize("code", [errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL])
def test_a_name_that_the_disk_cannot_keep_is_a_refusal(
    bots: Path, source: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """It is this submission's fault, and the next one is taken."""
    real_open = Path.open

    def guarded(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "helper.py":
            raise OSError(code, os.strerror(code))
        return real_open(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", guarded)
    assert "'parts/helper.py' has a name that the disk of this host cannot store" in refusal(bots, source)


def test_a_manifest_names_the_bot_and_may_agree_with_the_command_line(bots: Path, source: Path) -> None:
    """`bot.toml` gives name, author and games; it cannot go against what was said, and games are chosen anew."""
    (source / "bot.toml").write_text(
        'name = "deep"\nauthor = "grace"\nrun = ["python3", "main.py"]\ngames = ["burn_my_village"]\n'
    )
    submission = taken(bots, source, SubmitOptions())
    program = submission.program
    assert (program.name, program.author, submission.games) == ("deep", "grace", ("burn_my_village",))
    submission = taken(bots, source, SubmitOptions(name="deep", author="Grace", games=("lanterns",)))
    program = submission.program
    assert (program.name, program.author, submission.games) == ("deep", "Grace", ("lanterns",))
    for options, message in (
        (SubmitOptions(name="other"), "--name says 'other' and bot.toml says name = 'deep'"),
        (SubmitOptions(author="ada"), "--author says 'ada' and bot.toml says author = 'grace'"),
    ):
        with pytest.raises(SubmissionRefused, match=message):
            taken(bots, source, options)


def test_a_shebang_says_what_runs_a_file(bots: Path, tmp_path: Path) -> None:
    """A file without a known extension is run by the interpreter of its first line."""
    (tmp_path / "scripted").write_text("#!/usr/bin/env sh\n")
    assert taken(bots, tmp_path / "scripted").program.command == ("sh", "bot")


def test_a_build_needs_leave_and_its_product_is_kept(bots: Path, tmp_path: Path) -> None:
    """A C file is built once, when it is taken in; the digest is that of the source."""
    (tmp_path / "quick.c").write_text("int main(void) { return 0; }\n")
    assert "expected --allow-build" in refusal(bots, tmp_path / "quick.c")
    submission = taken(bots, tmp_path / "quick.c", SubmitOptions(author="ada", allow_build=True))
    assert submission.program.command == ("./bot",)
    assert os.access(Path(submission.program.folder) / "bot", os.X_OK)
    assert submission.build_digest != submission.program.digest
    again = taken(bots, tmp_path / "quick.c")  # known content is not built again, so it needs no leave
    assert (again.program.digest, again.build_digest) == (submission.program.digest, submission.build_digest)


def test_a_failed_build_shows_what_it_printed(bots: Path, tmp_path: Path) -> None:
    """The compiler's own words reach the author."""
    (tmp_path / "broken.c").write_text("int main(void) { return missing; }\n")
    text = refusal(bots, tmp_path / "broken.c", SubmitOptions(author="ada", allow_build=True))
    assert "exit status 1" in text and "missing" in text


@pytest.mark.parametrize(
    "command",
    [
        "python3 ../../x.py",
        "..",
        "sh -c 'cd .. && ./run'",
        "java -cp lib/*:../lib Bot",
        "java -Djava.library.path=../native Bot",
        "gcc -I../include -o bot bot.c",
        "gcc -L.. bot.c",
        "./run lib/../../x",
        "python3 /home/ada/bot/main.py",
        "./bot --data=/srv/league/bots",
        "java -cp lib/*:/root/lib Bot",
        "gcc -I/var/include bot.c",
        "sh -c '. /root/profile && ./run </home/ada/book'",
    ],
)
def test_a_command_that_leads_out_of_the_folder_is_refused(bots: Path, source: Path, command: str) -> None:
    """Of `run` and of `build`, in one sentence that names the argument, though the rest of it is there."""
    for key, other in (("run", ""), ("build", "run = 'sh main.py'\n")):
        (source / "bot.toml").write_text(f"{other}{key} = {json.dumps(command)}\n")
        text = refusal(bots, source, SubmitOptions(author="ada", allow_build=True))
        argument = next(
            word for word in shlex.split(command) if ".." in word or re.search(r"/(home|srv|root|var)/", word)
        )
        assert text.startswith(f"bot.toml: the command {key!r} names {argument!r}: expected a path ")
        assert "\n" not in text


@pytest.mark.parametrize(
    "command",
    [
        "java -cp lib/*:. Bot",
        "python3 main.py --depth=3 --range 1..5 -- ... ..x x.. a..b/c",
        "/usr/bin/node bot.js",
        "/opt/jdk/bin/java -Djava.io.tmpdir=/tmp/cache -Xbootclasspath/a:/usr/share/java/x.jar -jar ./bot.jar",
        "ruby -Ilib -I. bot.rb /depth /depth:3 8/8/8 http://localhost/x 1/2",
        "sh -c 'exec ./bot 2>/dev/null'",
        "./.hidden/run . ./ .../x",
    ],
)
def test_an_honest_command_is_no_trouble(command: str) -> None:
    """What only looks like a way out stays as it was written."""
    assert read_manifest(f"run = {json.dumps(command)}".encode()).run == tuple(shlex.split(command))


Spoil = Callable[[Path], object]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "bot.toml").unlink(), "has no bot.toml"),
        (lambda folder: (folder / "bot.toml").write_text("rum = 'x'"), "unknown key 'rum': did you mean 'run'?"),
        (lambda folder: (folder / "bot.toml").write_text("name = 'x'"), 'expected run = "COMMAND"'),
        (lambda folder: (folder / "bot.toml").write_text("run = 3"), "expected a list of strings for 'run', got 3"),
        (lambda folder: (folder / "bot.toml").write_text("run = ''"), "expected a command for 'run', got ''"),
        (lambda folder: (folder / "bot.toml").write_text("run = '\"'"), "the command 'run' cannot be read"),
        (lambda folder: (folder / "bot.toml").write_text("run = "), "is not valid TOML"),
        (lambda folder: (folder / "bot.toml").write_bytes(b"\xff"), "is not UTF-8"),
        (lambda folder: (folder / "bot.toml").write_text("a=" + "[" * 40_000), "bot.toml"),
        (lambda folder: (folder / "bot.toml").write_text("#" * 70_000), "expected at most 65,536 bytes"),
        (lambda folder: (folder / "bot.toml").write_text("run='nothing-here'"), "'nothing-here', which is not inst"),
        (lambda folder: (folder / "bot.toml").write_text("run='./none'"), "'./none', and there is no such file"),
        (lambda folder: (folder / "bot.toml").write_text("run='./main.py'"), "which is not executable"),
        (lambda folder: (folder / "bot.toml").write_text("run='sh x'\ngames=['chess']"), "'chess' that is not inst"),
        (lambda folder: (folder / "bot.toml").write_text("run='sh x'\nname='A b'"), "'A b' is no name for a bot"),
        (lambda folder: (folder / "bot.toml").write_text("run='sh x'\nauthor=7"), "expected a string for 'author'"),
        (lambda folder: (folder / "link").symlink_to("/etc/passwd"), "'link' is a symbolic link"),
        (lambda folder: (folder / "parts" / "up").symlink_to(".."), "'parts/up' is a symbolic link"),
        (lambda folder: (folder / "hard").hardlink_to(folder / "main.py"), "has several hard links"),
        (lambda folder: os.mkfifo(folder / "pipe"), "'pipe' is a device, pipe or socket"),
        (lambda folder: os.mknod(folder / "s", stat.S_IFSOCK | 0o600), "'s' is a device, pipe or socket"),
        (lambda folder: (folder / "two\nlines").touch(), "'two\\nlines' has a control character"),
        (lambda folder: (folder / "dir\x1b").mkdir(), "'dir\\x1b' has a control character"),
        (lambda folder: (folder / "back\\slash").touch(), "backslash in its name"),
        (lambda folder: Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).touch(), "is not a UTF-8 name"),
        (lambda folder: (folder / ("n" * 200)).touch(), "has a name that is too long"),
        (lambda folder: os.truncate(folder / "main.py", 1 << 30), "'main.py' is too large: expected at most 67,108,"),
        (lambda folder: (folder / "/".join("d" * 20)).mkdir(parents=True), "nested too deeply"),
    ],
)
def test_what_may_not_be_in_a_folder_is_refused_in_one_sentence(
    bots: Path, source: Path, spoil: Spoil, message: str
) -> None:
    """Each misfit is named with what was expected, and nothing of the submission stays."""
    spoil(source)
    text = refusal(bots, source)
    assert message in text
    assert "\n" not in text


def test_too_many_or_too_much_is_refused(bots: Path, source: Path, tmp_path: Path) -> None:
    """The number of files and their total size are bounded before anything is read."""
    for number in range(10):
        (source / f"data{number}").write_bytes(b"x" * 1000)
    target = tmp_path / "target"
    target.mkdir()
    with pytest.raises(SubmissionRefused, match="too many files: expected at most 10"):
        copying.copy_folder(source, target, Bounds(files=10))
    target = tmp_path / "target2"
    target.mkdir()
    with pytest.raises(SubmissionRefused, match="too large: expected at most 5,000 bytes"):
        copying.copy_folder(source, target, Bounds(total_bytes=5_000))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("notes.txt", b"hello", "notes.txt is not a bot: expected a file with a known extension"),
        ("empty", b"", "empty is not a bot"),
        ("elf", b"\x7fELF", "elf is a program without permission to run"),
        ("my bot.py", b"", "'my bot' is no name for a bot: expected 1 to 32 of a-z"),
        ("x", b"#!\n", "the #! line of x names no interpreter"),
        ("x", b"#!/usr/no/such/thing\n", "runs with '/usr/no/such/thing', and there is no such file"),
        (
            "x",
            b"#!/usr/bin/env -S python3 ../x.py\n",
            "the #! line of x names '../x.py': expected a path that does not",
        ),
        ("x", b"#!/home/ada/python3\n", "the #! line of x names '/home/ada/python3': expected a path inside the sub"),
    ],
)
def test_a_file_that_is_no_bot_is_refused(bots: Path, tmp_path: Path, name: str, content: bytes, message: str) -> None:
    """One sentence says what a bot may be, in the words of the file that was given."""
    (tmp_path / name).write_bytes(content)
    assert message in refusal(bots, tmp_path / name)


def test_what_is_not_there_or_no_file_is_refused(bots: Path, tmp_path: Path) -> None:
    """A wrong path, and a socket in its place."""
    assert "there is no file or folder" in refusal(bots, tmp_path / "nothing.py")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s.py"))
        assert "s.py" in refusal(bots, tmp_path / "s.py")


def test_a_missing_interpreter_is_named_with_its_package(
    bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person who submits learns what the host lacks."""
    monkeypatch.setattr("arena.submission.languages.BOT_PATH", str(tmp_path))
    (tmp_path / "swift.js").write_text("")
    assert "'node', which is not installed here: install it (Debian package nodejs)" in refusal(
        bots, tmp_path / "swift.js"
    )


def test_what_a_killed_command_left_is_swept_away(bots: Path, tmp_path: Path) -> None:
    """An incoming folder whose process has ended disappears with the next submission."""
    left = bots / f".incoming-{place_id()}-4194999-1-abc"
    (left / "inside").mkdir(parents=True)
    left.chmod(0o555)
    (tmp_path / "mybot.py").touch()
    taken(bots, tmp_path / "mybot.py")
    assert not left.exists()


def test_a_submission_on_its_way_on_another_host_stays(bots: Path, tmp_path: Path) -> None:
    """Hosts that share a home cannot see each other's processes: work of another host goes after a quiet day only."""
    busy, abandoned = (bots / f".incoming-0badcafe-4194999-1-{name}" for name in ("busy", "abandoned"))
    busy.mkdir()
    abandoned.mkdir()
    os.utime(abandoned, (0, 0))
    (tmp_path / "mybot.py").touch()
    taken(bots, tmp_path / "mybot.py")
    assert busy.exists() and not abandoned.exists()


def test_a_sweep_follows_no_link(bots: Path, tmp_path: Path) -> None:
    """A link that looks like an abandoned submission leads to no removal."""
    precious = tmp_path / "precious"
    precious.mkdir()
    link = bots / f".incoming-{place_id()}-4194999-1-link"
    link.symlink_to(precious)
    (tmp_path / "mybot.py").touch()
    taken(bots, tmp_path / "mybot.py")
    assert precious.is_dir() and link.is_symlink()
    link.unlink()


def test_a_home_inside_a_submission_is_not_copied(bots: Path, source: Path) -> None:
    """`arena submit .` in a folder that has its own `.arena` does not take the database along."""
    (source / ".arena").mkdir()
    (source / ".arena" / "arena.db").write_text("secret")
    with receive(bots, source, AUTHOR, BARE) as submission:
        assert not (Path(submission.program.folder) / ".arena").exists()


def test_what_cannot_be_swept_away_stops_nobody(bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that one bot left, and that nobody can remove, does not keep others out."""
    left = bots / f".incoming-{place_id()}-4194999-1-abc"
    left.mkdir()
    (tmp_path / "mybot.py").touch()
    real_remove = folders.remove_folder

    def guarded(folder: Path) -> None:
        if folder == left:
            raise StoreError(f"the folder {folder} cannot be removed: Device or resource busy")
        real_remove(folder)

    monkeypatch.setattr(folders, "remove_folder", guarded)
    assert Path(taken(bots, tmp_path / "mybot.py").program.folder).is_dir()
    assert left.is_dir()


def test_a_file_that_cannot_be_read_is_named(bots: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without permission to read is a refusal that names it (played, since root may read everything)."""
    real_open = os.open

    def guarded(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "helper.py" and flags & os.O_NONBLOCK:
            raise PermissionError(13, "Permission denied")
        return real_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", guarded)
    assert "'parts/helper.py' cannot be read: Permission denied" in refusal(bots, source)


def test_a_build_that_is_confined_needs_no_leave(bots: Path, tmp_path: Path) -> None:
    """Where bots can be put into namespaces, so is the build: what it makes is the arena's own and read-only."""
    (tmp_path / "quick.c").write_text("int main(void) { return 0; }\n")
    with receive(bots, tmp_path / "quick.c", AUTHOR, confinement()) as submission:
        kept = keep(submission, bots)
    folder = Path(kept.program.folder)
    built = (folder / "bot").stat()
    assert built.st_uid == os.geteuid()
    assert stat.S_IMODE(built.st_mode) == 0o555 & VISIBLE
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755 & VISIBLE
