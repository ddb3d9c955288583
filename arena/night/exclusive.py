"""What the process that plays a night has alone in its home and its database: locks, log, and the ear for orders."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from arena.config.home import Home
from arena.linux.lockfile import FileLock
from arena.night.commands import CommandHandler
from arena.night.control import ControlSocket, night_lock
from arena.store.locking import DatabaseLock
from arena.store.store import Store
from arena.workers import logs


@dataclass(frozen=True, slots=True)
class Hold:
    """All of it, while `holding` lasts."""

    home: FileLock
    database: DatabaseLock
    control: ControlSocket
    steering: CommandHandler

    def give_up(self) -> None:
        """In a worker: leave all of it to the parent."""
        for held in (self.home, self.database, self.control):
            held.give_up()


@contextlib.contextmanager
def holding(home: Home, store: Store, steering: CommandHandler) -> Iterator[Hold]:
    """Take it, and give it back. Raises `NightError` where another process plays in this home or database."""
    home.create()
    with (
        night_lock(home.run) as lock,
        store.lock_nights() as database_lock,
        logs.night_log(home.logs),
        contextlib.closing(ControlSocket(home.run, steering.answer)) as control,
    ):
        yield Hold(lock, database_lock, control, steering)
