"""Helpers for tests of misbehaving bots: their folder, reused polite opponents, and checks for leaks on the host."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.linux import subreaper
from arena.linux.stale import owner_mark
from arena.match.referee import play_match
from arena.match.session import Session
from arena.model.records import MatchOrder, MatchRecord, Program
from arena.protocol.messages import encode_hello
from arena.sandbox.launcher import Sandbox
from tests.support.helpers import SEED, tiny_rules
from tests.support.tiny_game import GAME

FOLDER = Path(__file__).parent.parent / "faulty_bots"
SHARED = ("table.py", "playing.py")
"""Files of the folder `faulty_bots` that are not bots."""
CONTROL = "0.6+0/0.4"
FAULTY_SEAT = 1
POLITE = "polite.py"
OTHERS = ("arena-", "PostgreSQL.")
"""How names in /dev/shm begin that tests and their database servers give. No bot gives such a name."""


def bot_files() -> list[Path]:
    """Return the paths of all programs in the folder."""
    return [path for path in sorted(FOLDER.iterdir()) if path.suffix in {".py", ".sh"} and path.name not in SHARED]


class Bench:
    """A folder of bots with unique names, so that their leaked processes can be found."""

    def __init__(self, folder: Path) -> None:
        self.mark = uuid.uuid4().hex
        self.folder = folder
        for source in bot_files():
            shutil.copy(source, folder / self.name(source.name))
        shutil.copy(FOLDER / "playing.py", folder)
        (folder / "targets.json").write_text("{}")

    def name(self, file: str) -> str:
        return f"{self.mark}_{file}"

    def program(self, file: str) -> Program:
        runner = "sh" if file.endswith(".sh") else "python3"
        return Program(Path(file).stem, 1, "nobody", "d1" * 16, str(self.folder), (runner, self.name(file)))

    def alive(self) -> list[str]:
        """Return the command lines of running processes of these bots."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                command = entry.read_bytes()
            except OSError:
                continue
            if self.mark.encode() in command:
                found.append(command.decode(errors="replace"))
        return found


@contextmanager
def make_bench() -> Iterator[Bench]:
    """Yield a folder with all bots that every user may read."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        bench = Bench(Path(folder))
        yield bench
        for place in ("/tmp", "/var/tmp"):
            for message in Path(place).glob(f"message-of-{bench.mark}_*"):
                message.unlink()


@contextmanager
def make_targets(bench: Bench) -> Iterator[None]:
    """Create targets that hostile bots look for on a host: another bot, a database, a home, secrets, sockets."""
    with tempfile.TemporaryDirectory() as made, socket.create_server(("127.0.0.1", 0)) as port:
        home = Path(made)
        home.chmod(0o755)
        for name in ("other_bot", "database"):
            (home / name).write_text("secret")
        with socket.socket(socket.AF_UNIX) as named:
            abstract = f"arena-{bench.mark}"
            named.bind(f"\0{abstract}")
            named.listen()
            targets = {
                "arena": os.getpid(),
                "home": str(home),
                "other_bot": str(home / "other_bot"),
                "database": str(home / "database"),
                "port": port.getsockname()[1],
                "abstract": abstract,
                "folders": [str(home), str(bench.folder)],
            }
            (bench.folder / "targets.json").write_text(json.dumps(targets))
            yield


class Polite:
    """Polite bots whose processes are reused, because starting them takes longer than most matches."""

    def __init__(self, bench: Bench, sandbox: Sandbox) -> None:
        self._bench = bench
        self._sandbox = sandbox
        self._kept: list[Session] = []

    @contextmanager
    def lend(self, count: int) -> Iterator[list[Session]]:
        """Yield this number of sessions after the handshake; afterwards each must still run and be silent."""
        rules = tiny_rules(time_control=CONTROL)
        while len(self._kept) < count:
            hello = encode_hello(GAME, rules)
            self._kept.append(Session.launch(self._bench.program(POLITE), hello, rules, self._sandbox))
            self._kept[-1].greet()
        yield self._kept[:count]
        assert not any(session.transport.waiting() for session in self._kept[:count])

    def close(self) -> None:
        """Kill all of them."""
        for session in self._kept:
            assert session.close(polite=True).survivors == 0
        self._kept.clear()


@contextmanager
def at_table(
    bench: Bench, sandbox: Sandbox, files: list[str], **changes: Any
) -> Iterator[tuple[MatchOrder, list[Session]]]:
    """Yield running sessions of these bots, and kill all of them afterwards."""
    rules = tiny_rules(**{"time_control": CONTROL, **changes})
    programs = tuple(bench.program(file) for file in files)
    hello = encode_hello(GAME, rules)
    sessions: list[Session] = []
    try:
        sessions += [Session.launch(program, hello, rules, sandbox) for program in programs]
        yield MatchOrder("tiny-1-0", SEED, rules, programs, sandbox=tuple(sandbox.layers)), sessions
    finally:
        ends = [session.close(polite=True) for session in sessions]
    assert [end.survivors for end in ends] == [0] * len(ends)


def played(bench: Bench, sandbox: Sandbox, files: list[str], **changes: Any) -> MatchRecord:
    """Return the record of a match between these bots, with these changes to the rules."""
    with at_table(bench, sandbox, files, **changes) as (order, sessions):
        record = play_match(order, sessions)
    assert bench.alive() == []
    return record


def with_faulty(file: str, seats: int) -> list[str]:
    """Return the files of the bots of a match: polite bots, and this one in one seat."""
    return [file if seat == FAULTY_SEAT else POLITE for seat in range(seats)]


def traces(sandbox: Sandbox) -> dict[str, object]:
    """Return all of this host that a bot may not change for good, to be compared before and after.

    Tests that run at the same time do not matter: their processes, folders, cgroups and locks have other numbers in
    their names, their disks are mounted as `small-disk`, and what they make for a moment is gone at a second look.
    """
    ours = {os.geteuid(), *sandbox.uids}
    named = list(Path("/dev/shm").glob("*"))
    marks = [path for place in ("/tmp", "/var/tmp") for path in Path(place).glob(".written-by-*")]
    places = [place for place in (sandbox.cgroups.unified, sandbox.cgroups.memory) if place]
    return {
        "children": subreaper.children(),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "scratch folders": set(Path(tempfile.gettempdir()).glob(f"arena-scratch-{owner_mark()}-*")),
        "cgroups": {path for place in places for path in Path(place).glob(f"arena-bot-{owner_mark()}-*")},
        "mounts": set(re.findall(r"^(?!small-disk ).+", Path("/proc/mounts").read_text(), re.MULTILINE)),
        "shared memory": {name: _owned(name, ours) for name in ("shm", "sem", "msg")},
        "locks": len(re.findall(rf"\b{os.getpid()}\b", Path("/proc/locks").read_text())),
        "affinity": os.sched_getaffinity(0),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "named memory": {path for path in named if _owner(path) in ours and not path.name.startswith(OTHERS)},
        "marks of bots": {path for path in marks if path.exists()},
    }


def _owned(kind: str, users: set[int]) -> int:
    """Return the number of System V objects of a kind that belong to the arena's user or to a user of bots.

    An object whose maker is still alive is not counted: it belongs to a server or a bot of another test.
    """
    try:
        head, *rows = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()
    except OSError:
        return 0
    objects = [dict(zip(head.split(), row.split(), strict=True)) for row in rows]
    return sum(int(each["uid"]) in users and not Path("/proc", each.get("cpid", "none")).exists() for each in objects)


def _owner(path: Path) -> int:
    try:
        return path.lstat().st_uid
    except OSError:
        return -1
