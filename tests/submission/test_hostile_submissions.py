"""Tests of hostile submissions: refused in one sentence, with no file on the disk and no process left."""

from __future__ import annotations

import io
import os
import shutil
import stat
import subprocess
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.errors import SubmissionRefused
from arena.sandbox.launcher import Sandbox
from arena.submission import copying, folders
from arena.submission.builds import Build, run_build
from arena.submission.copying import Bounds
from arena.submission.receive import SubmitOptions, keep, receive
from tests.support.bench import traces
from tests.support.hosts import confinement

AUTHOR = SubmitOptions(default_author="mallory")


@pytest.fixture(scope="module")
def confined() -> Sandbox:
    return confinement()


@pytest.fixture
def bots() -> Iterator[Path]:
    """Where every user may read, as bots' users must."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "trojan"
    folder.mkdir()
    (folder / "bot.toml").write_text('run = "python3 main.py"\n')
    (folder / "main.py").write_text("")
    return folder


def refusal(bots: Path, source: Path, sandbox: Sandbox) -> str:
    """The sentence; nothing of the submission is left, neither on the disk nor as a process."""
    before = traces(sandbox)
    with pytest.raises(SubmissionRefused) as caught, receive(bots, source, AUTHOR, sandbox):
        pass
    assert list(bots.iterdir()) == []
    assert traces(sandbox) == before
    return str(caught.value)


def a_zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../escape.py", bytes(1 << 20))
    return data.getvalue()


def a_tar() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("../escape.py"))
    return data.getvalue()


@pytest.mark.parametrize("name", ["bot.zip", "bot", "bot.tar", "bot.tar.gz", "bot.TGZ", "bot.7z"])
@pytest.mark.parametrize("make", [a_zip, a_tar])
def test_archives_are_not_accepted(
    bots: Path, tmp_path: Path, confined: Sandbox, name: str, make: Callable[[], bytes]
) -> None:
    """Whatever one is called, it is named as what it is, and what to do instead; it is never unpacked."""
    (tmp_path / name).write_bytes(make())
    text = refusal(bots, tmp_path / name, confined)
    assert text == f"{name} is an archive, which is not accepted: unpack it and submit the folder"
    assert not list(tmp_path.rglob("escape.py"))


def test_a_hundred_thousand_files(bots: Path, source: Path, confined: Sandbox) -> None:
    """Refused by the number of names, before any of them is opened."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="arena-", dir=memory if os.access(memory, os.W_OK) else None) as made:
        shutil.copytree(source, made, dirs_exist_ok=True)
        folder = os.open(made, os.O_RDONLY)
        for number in range(100_000):
            os.close(os.open(f"file{number}", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
        os.close(folder)
        assert refusal(bots, Path(made), confined) == "the folder has too many files: expected at most 2,000"


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("run = '../../other/bot'", "expected a path that does not go up"),
        ("run = 'python3 main.py'\nbuild = '../tool'", "expected a path that does not go up"),
        ("run = 'python3 main.py'\nname = '../../escape'", "is no name for a bot"),
        ("run = 'python3 main.py'\nname = '.'", "is no name for a bot"),
        ("run = 'python3 main.py'\nauthor = \"a\\u001b[2J\"", "is not a valid name for an author"),
        ("run = 'python3 main.py'\ngames = ['burn_my_village/../x']", "that is not installed"),
        ("run = './main.py'", "is not executable"),
        ("run = 'main.py'", "'main.py', which is not installed here"),
        ("run = 'python3 main.py'\nbuild = 'true'\nbuild_time = 9999", "unknown key 'build_time'"),
    ],
)
def test_a_manifest_that_lies(bots: Path, source: Path, confined: Sandbox, manifest: str, message: str) -> None:
    """What it claims is checked, and it names nothing outside of the submission."""
    (source / "bot.toml").write_text(manifest)
    text = refusal(bots, source, confined)
    assert message in text and "\n" not in text and "\x1b" not in text


def test_a_manifest_that_is_a_link_or_a_pipe(bots: Path, source: Path, confined: Sandbox) -> None:
    """It is read from the copy, in which neither can be."""
    (source / "bot.toml").rename(source / "real.toml")
    (source / "bot.toml").symlink_to("real.toml")
    assert "'bot.toml' is a symbolic link" in refusal(bots, source, confined)
    (source / "bot.toml").unlink()
    os.mkfifo(source / "bot.toml")
    assert "has no bot.toml" in refusal(bots, source, confined)


def test_a_folder_that_changes_while_it_is_read(bots: Path, source: Path, confined: Sandbox) -> None:
    """Folders and links that change places all the time: the copy holds plain files of the submission, or nothing."""
    (source / "inside").mkdir()
    (source / "inside" / "data").write_text("harmless")
    outside = source.parent / "outside"
    outside.mkdir()
    (outside / "data").write_text("secret")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (source / "inside").rename(source / "aside")
            (source / "inside").symlink_to(outside)
            (source / "inside").unlink()
            (source / "aside").rename(source / "inside")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for number in range(150):
            target = bots / str(number)
            target.mkdir()
            try:
                copying.copy_folder(source, target)
            except SubmissionRefused:
                continue
            for path in target.rglob("*"):
                assert not path.is_symlink()
                assert not path.is_file() or path.read_text() != "secret"
    finally:
        stop.set()
        swapper.join()


BUILDS = {
    "leaves a link": ("ln -s /etc/passwd link", "'link' is a symbolic link"),
    "leaves a pipe": ("mkfifo pipe", "'pipe' is a device, pipe or socket"),
    "leaves a hard link": ("ln main.py twin", "has several hard links"),
    "leaves a name of two lines": ("touch 'two\nlines'", "'two\\nlines' has a control character"),
    "nests its folders deeper than any path": (
        "python3 -c 'import os; [os.mkdir(str(n)) or os.chdir(str(n)) for n in range(1500)]'",
        "nested too deeply",
    ),
    "leaves too many files": ("mkdir d; cd d; seq 20100 | xargs touch", "too many files"),
    "fills the disk": ("for n in 1 2 3; do truncate -s 400M big$n; done; sleep 60", "too large"),
    "takes too long to say so": ("exit 3", "the build failed with exit status 3"),
    "reads other bots": ('cat ../*/main.py /home/*/* /root/* 2>/dev/null; cat "$SECRET"', "the build failed"),
    "uses the network": (
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 22), 5)'",
        "the build failed",
    ),
    "removes its own program": ("rm main.py bot.toml; mkdir main.py; ln -s / root", "'root' is a symbolic link"),
    "writes outside": ("echo x > /usr/x || echo x > /etc/x || echo x > /x || exit 9", "exit status 9"),
}


@pytest.mark.parametrize("what", BUILDS)
def test_a_hostile_build(bots: Path, source: Path, confined: Sandbox, what: str) -> None:
    """It runs confined on a copy, and its result has to pass like any submission."""
    command, message = BUILDS[what]
    (source / "build.sh").write_text(command)
    (source / "bot.toml").write_text("run = 'python3 main.py'\nbuild = 'sh build.sh'\n")
    assert message in refusal(bots, source, confined)


def test_a_build_leaves_no_process_and_no_rights(bots: Path, source: Path, confined: Sandbox) -> None:
    """A helper ends with the build; set-uid bits are refused to it, all is the arena's own and read-only."""
    (source / "bot.toml").write_text("run = './tool'\nbuild = 'sh build.sh'\n")
    (source / "build.sh").write_text("sleep 1000 & cp /bin/true tool; chmod 6777 tool && exit 3; chmod 777 tool")
    before = traces(confined)
    with receive(bots, source, AUTHOR, confined) as submission:
        kept = keep(submission, bots)
    assert traces(confined) == before
    found = (Path(kept.program.folder) / "tool").stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o555, os.geteuid())


def test_a_build_has_a_time_of_its_own(source: Path, confined: Sandbox) -> None:
    """One that does not end is ended, with what it printed so far."""
    source.chmod(0o755)
    with pytest.raises(SubmissionRefused, match=r"(?s)the build was stopped after 0\.5 s.*working"):
        run_build(Build(("sh", "-c", "while :; do echo working; sleep 0.1; done"), source, confined, limit_s=0.5))


def test_any_folder_can_be_removed(tmp_path: Path) -> None:
    """However deep it is, closed, read-only or oddly named."""
    folder = tmp_path / "folder"
    folder.mkdir()
    try:
        here = Path.cwd()
        os.chdir(folder)
        for number in range(1_500):
            Path("deep" * 10).mkdir()
            os.chdir("deep" * 10)
            if number % 500 == 0:
                Path("file").touch(mode=0o400)
        os.chdir(here)
        (folder / ".removed-0").touch()
        (folder / "closed").mkdir(mode=0o000)
        (folder / "link").symlink_to("/")
        assert folders.outgrows(folder, Bounds(files=90))
        folder.chmod(0o500)
        folders.remove_folder(folder)
        assert not folder.exists()
        folders.remove_folder(folder)
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)  # or pytest's own cleaning would fail ever after
