"""The exclusive resources of the process that plays a night: locks of home and database, log, and control socket."""

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
    """The exclusive resources of a night, while `holding` lasts."""

    home: FileLock
    database: DatabaseLock
    control: ControlSocket
    steering: CommandHandler

    def give_up(self) -> None:
        """Close all of them in a worker, so that only the parent holds them."""
        for held in (self.home, self.database, self.control):
            held.give_up()


@contextlib.contextmanager
def holding(home: Home, store: Store, steering: CommandHandler) -> Iterator[Hold]:
    """Acquire locks, log and control socket, and release them at the end.

    Raises `NightError` if another process plays a night in this home or database.
    """
    home.create()
    with (
        night_lock(home.run) as lock,
        store.lock_nights() as database_lock,
        logs.night_log(home.logs),
        contextlib.closing(ControlSocket(home.run, steering.answer)) as control,
    ):
        yield Hold(lock, database_lock, control, steering)
