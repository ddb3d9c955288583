"""The exclusive resources of the process that plays a night: locks of home and database, log, and control socket."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from arena.config.home import Home
from arena.linux.lockfile import FileLock
from arena.night.control import ControlSocket, night_lock
from arena.store.locking import DatabaseLock
from arena.store.store import Store
from arena.workers import logs


@dataclass(frozen=True, slots=True)
class Exclusive:
    """The exclusive resources of a night, until the end of `exclusive`."""

    home: FileLock
    database: DatabaseLock
    control: ControlSocket
    """It is not open yet: the night opens it when it can answer."""

    def give_up(self) -> None:
        """Close all of them in a worker, so that only the parent holds them."""
        for resource in (self.home, self.database, self.control):
            resource.give_up()


@contextlib.contextmanager
def exclusive(home: Home, store: Store) -> Iterator[Exclusive]:
    """Acquire locks, log and control socket, and release them at the end.

    Raises `NightError` if another process plays a night in this home or database.
    """
    home.create()
    with (
        night_lock(home.run) as lock,
        store.lock_nights() as database_lock,
        logs.night_log(home.logs),
        contextlib.closing(ControlSocket(home.run)) as control,
    ):
        yield Exclusive(lock, database_lock, control)
