"""Where the tests keep their stores: a SQLite file in the home, or a PostgreSQL server of their own."""

from __future__ import annotations

import hashlib
import os
import pwd
import select
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

VARIABLE = "ARENA_TESTED_ON_SERVER"
"""Names the folder of the server's socket; also for processes that the tests start."""
TEMPLATE = "template_arena"
USER = "arena"
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
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


def url(socket: str, name: str) -> str:
    """The URL of a database of the test server."""
    return f"postgresql+psycopg://{USER}@/{name}?host={socket}"


def connect(socket: str) -> Any:
    """A connection for what no store does: making databases."""
    import psycopg

    return psycopg.connect(f"postgresql://{USER}@/postgres?host={socket}", autocommit=True)


class Server:
    """A PostgreSQL server in a temporary folder, on a local socket; needs no rights but to start programs."""

    def __init__(self) -> None:
        self._bin = PROGRAMS[-1].parent
        # A socket's path must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="arena-pg-", dir="/tmp"))
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
        processes = self._processes()
        for descriptor in processes:
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        for descriptor in processes:
            select.select([descriptor], [], [], 10)
            os.close(descriptor)
        self.running = False

    def close(self) -> None:
        """Stop it and remove all that it stored."""
        if self.running:
            self.kill()
        self._keeper.communicate()
        shutil.rmtree(self.folder)

    def _processes(self) -> list[int]:
        """Descriptors of the server and its processes."""
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [os.pidfd_open(each) for each in (pid, *map(int, children))]
