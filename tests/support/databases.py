"""Where the tests keep their stores: a SQLite file in the home, or a PostgreSQL server of their own."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.hosts import not_tried

VARIABLE = "ARENA_TESTED_ON_SERVER"
"""Names the folder of the server's socket; also for processes that the tests start."""
TEMPLATE = "template_arena"
USER = "arena"
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
MEMORY_BYTES = 4 << 30
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def place(folder: Path) -> str | Path:
    """The store of a home in this folder: the folder itself, or the URL of a database of its own."""
    socket = os.environ.get(VARIABLE)
    if socket is None:
        return folder
    name = "home_" + hashlib.blake2b(os.fsencode(folder), digest_size=12).hexdigest()
    with connect(socket) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
    return url(socket, name)


@contextlib.contextmanager
def on_sqlite() -> Iterator[None]:
    """Meanwhile stores are files, also in a test of a server: what it comes to there is compared with these."""
    before = os.environ.pop(VARIABLE, None)
    try:
        yield
    finally:
        if before is not None:
            os.environ[VARIABLE] = before


def url(socket: str, name: str) -> str:
    """The URL of a database of the test server."""
    return f"postgresql+psycopg://{USER}@/{name}?host={socket}"


def connect(socket: str) -> Any:
    """A connection for what no store does: making databases."""
    import psycopg

    return psycopg.connect(f"postgresql://{USER}@/postgres?host={socket}", autocommit=True)


def installed() -> Path:
    """The folder of the server's programs. Where there is none, the test ends here and its summary says why."""
    if not PROGRAMS:
        not_tried("no PostgreSQL server is installed here (Debian package postgresql): what needs one is left out")
    return PROGRAMS[-1].parent


class Server:
    """A PostgreSQL server in a temporary folder, on a local socket; needs no rights but to start programs."""

    def __init__(self) -> None:
        self._bin = installed()
        # A socket's path must be short. Each database is seven megabytes of small files: memory spares the disk.
        memory = Path("/dev/shm")
        roomy = memory.is_dir() and shutil.disk_usage(memory).free > MEMORY_BYTES
        self.folder = Path(tempfile.mkdtemp(prefix="arena-pg-", dir=memory if roomy else "/tmp"))
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            # The server refuses to run as root.
            user = pwd.getpwnam("postgres")
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.folder.chmod(0o755)
        data = f"{self.folder}/data"
        initdb = [f"{self._bin}/initdb", "-D", data, "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8"]
        subprocess.run(initdb, cwd="/", check=True, capture_output=True, env=ENVIRONMENT, **self._user)
        settings = {
            "listen_addresses": "", "unix_socket_directories": self.folder, "fsync": "off", "full_page_writes": "off",
            "autovacuum": "off", "dynamic_shared_memory_type": "mmap",
            "log_min_messages": "log",
        }  # fmt: skip
        command = [f"{self._bin}/postgres", "-D", data, *(f"--{name}={value}" for name, value in settings.items())]
        # A line from us starts it, also again after it was killed. It is a shell's child, not ours: a night kills
        # what became its own child while it was played. And both end when this process ends.
        self._keeper = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "sh", "-c", 'while read line; do "$@"; done', "sh",
             "setpriv", "--pdeathsig", "QUIT", *command],
            cwd="/", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=ENVIRONMENT, **self._user,
        )  # fmt: skip
        self.running = False
        self.start()

    def start(self) -> None:
        """Start it, also after it was killed, and wait until it answers."""
        if self.running:
            return
        assert self._keeper.stdin is not None and self._keeper.stderr is not None
        self._keeper.stdin.write("start\n")
        self._keeper.stdin.flush()
        heard = []
        for line in self._keeper.stderr:
            heard.append(line)
            if "ready to accept connections" in line:
                self.running = True
                return
            assert "FATAL" not in line or "starting up" in line, heard
        raise AssertionError(heard)

    def kill(self) -> None:
        """SIGKILL of the server and all its processes."""
        file = self.folder / "data" / "postmaster.pid"
        if file.exists():
            lines = file.read_text().splitlines()
            pid = int(lines[0])
            for line in lines[6:7]:
                # Its shared memory, by key and number, then ends with its last process: other tests look for remains.
                subprocess.run(["ipcrm", "-m", line.split()[1]], capture_output=True)
            with contextlib.suppress(ProcessLookupError):
                # It must not start another one while its processes are listed.
                os.kill(pid, signal.SIGSTOP)
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
                for each in (*map(int, children), pid):
                    _end(each, signal.SIGKILL)
            file.unlink()  # its number may soon be another's
        self.running = False

    def clear(self) -> None:
        """Remove the databases of all homes."""
        with connect(str(self.folder)) as connection:
            found = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'home_%'").fetchall()
            for (name,) in found:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        """Stop it and remove all that it stored."""
        if self.running:
            # Unlike a killed one it gives its shared memory back.
            pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
            _end(pid, signal.SIGQUIT)
        self.kill()
        self._keeper.communicate()
        shutil.rmtree(self.folder)


def _end(pid: int, number: signal.Signals) -> None:
    """End a process by a signal, and wait until it is dead."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        signal.pidfd_send_signal(descriptor, number)
        select.select([descriptor], [], [], 10)
        os.close(descriptor)
