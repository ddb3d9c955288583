"""The stores of the tests: a SQLite file in the home, or a database of a temporary PostgreSQL server."""

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
"""Environment variable with the folder of the server's socket; processes that the tests start inherit it."""
TEMPLATE = "template_arena"
USER = "arena"
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
MEMORY_BYTES = 4 << 30
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def place(folder: Path) -> str | Path:
    """Return the store of a home in this folder: the folder itself, or the URL of its own database."""
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
    """Use files as stores in this block, also in a test of a server: its results are compared with theirs."""
    before = os.environ.pop(VARIABLE, None)
    try:
        yield
    finally:
        if before is not None:
            os.environ[VARIABLE] = before


def url(socket: str, name: str) -> str:
    """Return the URL of a database of the test server."""
    return f"postgresql+psycopg://{USER}@/{name}?host={socket}"


def connect(socket: str) -> Any:
    """Open a connection for work that no store does, like creating databases."""
    import psycopg

    return psycopg.connect(f"postgresql://{USER}@/postgres?host={socket}", autocommit=True)


def installed() -> Path:
    """Return the folder of the server's programs. If there is none, skip the test and report the reason."""
    if not PROGRAMS:
        not_tried("no PostgreSQL server is installed here (Debian package postgresql): what needs one is left out")
    return PROGRAMS[-1].parent


class Server:
    """A PostgreSQL server in a temporary folder, on a local socket; it needs no special permissions."""

    def __init__(self) -> None:
        self._bin = installed()
        # A socket's path must be short. Each database has seven megabytes of small files, so use a memory disk.
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
        # The server starts when this process writes a line, also after it was killed. It is a child of a shell and
        # not of this process, because a night kills processes that become its own children while it runs. Server
        # and shell end when this process ends.
        self._keeper = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "sh", "-c", 'while read line; do "$@"; done', "sh",
             "setpriv", "--pdeathsig", "QUIT", *command],
            cwd="/", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=ENVIRONMENT, **self._user,
        )  # fmt: skip
        self.running = False
        self.start()

    def start(self) -> None:
        """Start the server, also after it was killed, and wait until it answers."""
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
        """Kill the server and all its processes by SIGKILL."""
        file = self.folder / "data" / "postmaster.pid"
        if file.exists():
            lines = file.read_text().splitlines()
            pid = int(lines[0])
            for line in lines[6:7]:
                # Its shared memory, by key and number, then ends with its last process: other tests look for remains.
                subprocess.run(["ipcrm", "-m", line.split()[1]], capture_output=True)
            with contextlib.suppress(ProcessLookupError):
                # The server must not start another process while its processes are listed.
                os.kill(pid, signal.SIGSTOP)
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
                for each in (*map(int, children), pid):
                    _end(each, signal.SIGKILL)
            file.unlink()  # another process may soon have this pid
        self.running = False

    def clear(self) -> None:
        """Remove the databases of all homes."""
        with connect(str(self.folder)) as connection:
            found = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'home_%'").fetchall()
            for (name,) in found:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        """Stop the server and remove its data."""
        if self.running:
            # A server that stops in order, unlike a killed one, releases its shared memory.
            pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
            _end(pid, signal.SIGQUIT)
        self.kill()
        self._keeper.communicate()
        shutil.rmtree(self.folder)


def _end(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process, and wait until it is dead."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        signal.pidfd_send_signal(descriptor, number)
        select.select([descriptor], [], [], 10)
        os.close(descriptor)
