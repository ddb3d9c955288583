"""Play matches in parallel, in forked worker processes with one pipe each.

A worker plays one order at a time and sends the record back. An error in the worker becomes a `VoidRecord`. If a worker
dies, its match becomes a `VoidRecord` too, its leaked processes are killed, and a new worker replaces it. Workers share
nothing, so a killed worker cannot block the others.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType, TracebackType
from typing import Any, Final, Protocol

from arena.errors import ArenaFault
from arena.linux import affinity, subreaper, survivors
from arena.model.records import MatchOrder, MatchRecord, Unkillable, VoidRecord
from arena.workers import logs

Played = MatchRecord | VoidRecord

WORKER_KILLED: Final = "worker_killed"
_CLOSE_S: Final = 5 + int(survivors.PATIENCE_S)
"""Time in seconds after which a worker that was asked to exit is killed. It waits less than this for a killed bot."""

_DEATHS_IN_A_ROW: Final = 20
"""Deaths in a row, for each worker of the pool, after which the pool gives up: all workers must have a problem."""

_log = logging.getLogger("arena.workers")


class Player(Protocol):
    """An object that plays the orders of a worker, such as `arena.workers.player.MatchPlayer`."""

    def play(self, order: MatchOrder, /) -> MatchRecord:
        """Play the order and return its record. Every exception makes the match void."""

    def prepare(self, order: MatchOrder, until: int, /) -> None:
        """Prepare the match that will probably be next, and return at once when the descriptor `until` can be read."""

    def close(self) -> Iterable[Unkillable]:
        """Close every reused bot before the worker exits, and return the bots that could not be killed."""


class Waitable(Protocol):
    """Another object to wait for, such as a socket or a pipe."""

    def fileno(self) -> int:
        """Return the descriptor to wait on until it can be read."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """How workers are started."""

    count: int
    pin: bool = True
    """Whether each worker and its bots get their own core, if there are enough. The parent gets the rest or nice 10."""
    keep_out: tuple[Callable[[], None], ...] = ()
    """Functions that each worker calls after the fork, to close resources of the parent (locks, database, sockets)."""


@dataclass(slots=True)
class _Worker:
    """The parent's view of one worker."""

    process: BaseProcess
    connection: Connection
    core: int | None
    orders: deque[MatchOrder]
    """Orders that the worker has received and not answered. It plays the first; the others wait in its pipe."""


class Workers:
    """Play orders in several processes, as a context manager.

    Each worker has a copy of the player. It calls `play` for an order, `prepare` while it is idle, and `close` when it
    is asked to exit. A normal end of the context asks the workers to exit. An exception kills them and all their bots.
    """

    def __init__(self, settings: WorkerSettings, player: Player) -> None:
        self._settings = settings
        self._player = player
        self._workers: dict[int, _Worker] = {}
        self._strangers: set[int] = set()
        self._adopted = False
        self._deaths = 0
        self.depth = 1
        """Maximum number of orders of each worker: the order that it plays, and those that it plays directly after."""
        self.unkillable: list[Unkillable] = []
        """Bots that workers could not kill when they exited."""
        self._affinity: set[int] | None = None
        self._nice = os.getpriority(os.PRIO_PROCESS, 0)

    def __enter__(self) -> Workers:
        self._adopted = subreaper.adopt_orphans(True)
        # Earlier children of this process do not belong to the pool and must not be killed.
        self._strangers = subreaper.children()
        for slot, core in enumerate(affinity.for_workers(self._settings.count, pin=self._settings.pin)):
            self._start(slot, core, deque())
        if self._settings.pin:
            self._affinity = affinity.make_room(self._settings.count)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.dismiss()
        else:
            self.kill()

    @property
    def free(self) -> tuple[int, ...]:
        """Return the slots of the workers that can receive an order, those with the fewest orders first."""
        open_slots = [slot for slot, worker in self._workers.items() if len(worker.orders) < self.depth]
        return tuple(sorted(open_slots, key=lambda slot: len(self._workers[slot].orders)))

    @property
    def idle(self) -> tuple[int, ...]:
        """Return the slots of the workers that have no order."""
        return tuple(slot for slot, worker in self._workers.items() if not worker.orders)

    @property
    def running(self) -> tuple[str, ...]:
        """Return the ids of the matches that workers have received."""
        return tuple(order.match_id for worker in self._workers.values() for order in worker.orders)

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the process ids of the workers."""
        return tuple(worker.process.pid or 0 for worker in self._workers.values())

    def submit(self, order: MatchOrder, slot: int | None = None) -> None:
        """Send an order to the free worker of this slot, or to any. Raises `ArenaFault` if there is no free worker."""
        free = self.free
        if slot is None and free:
            slot = free[0]
        if slot is None or slot not in free:
            raise ArenaFault(f"no free worker for {order.match_id}")
        worker = self._workers[slot]
        worker.orders.append(order)
        if not _sent(worker, order) and len(worker.orders) == 1:
            # The worker died while it was idle, so no worker has started this match.
            self._replace(slot)
        # If the worker was not idle, `wait` notices its death and dispatches the orders that it had not started.

    def prepare(self, order: MatchOrder, slot: int) -> None:
        """Let an idle worker prepare the match that it will probably receive next.

        This does nothing if workers share cores: the prepared bots would run during the turns of others.
        """
        worker = self._workers[slot]
        if worker.core is not None and not worker.orders:
            # If the worker is dead, `submit` notices that when it sends the order itself.
            _sent(worker, _Upcoming(order))

    def wait(self, timeout_s: float | None = None, also: Iterable[Waitable] = ()) -> list[Played]:
        """Return the matches that were finished or lost since the last call.

        The list is empty after the timeout, if an object of `also` can be read, or if workers sent only log records.
        """
        slots = {worker.connection: slot for slot, worker in self._workers.items()}
        sources: list[Any] = [*slots, *also]
        played: list[Played] = []
        for source in wait(sources, timeout_s):
            if isinstance(source, Connection) and source in slots:
                played += self._hear(slots[source])
        return played

    def dismiss(self) -> None:
        """Ask every worker to close its reused bots and exit. The workers must be idle."""
        for worker in self._workers.values():
            try:
                worker.connection.send(None)
            except OSError:
                continue
        for worker in self._workers.values():
            self._drain(worker)
        self.kill()

    def kill(self) -> None:
        """Kill every worker and all its bots now. Their matches have no result."""
        for worker in self._workers.values():
            worker.process.kill()
        for worker in self._workers.values():
            worker.process.join()
            worker.process.close()
            worker.connection.close()
        self._workers.clear()
        if self._affinity is not None:
            affinity.restore(self._affinity, self._nice)
        subreaper.kill_adopted(self._strangers)
        subreaper.adopt_orphans(self._adopted)

    def _start(self, slot: int, core: int | None, orders: deque[MatchOrder]) -> None:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        inherited = [ours, *(worker.connection for worker in self._workers.values())]
        process = context.Process(
            target=_work,
            name=f"worker-{slot}",
            args=(
                _Post(theirs, inherited, os.getpid(), core, self._nice),
                self._player,
                self._settings.keep_out,
            ),
        )
        process.start()
        # Only the worker may hold its end of the pipe. Otherwise the parent would not notice its death.
        theirs.close()
        self._workers[slot] = worker = _Worker(process, ours, core, orders)
        for order in orders:
            _sent(worker, order)

    def _hear(self, slot: int) -> list[Played]:
        worker = self._workers[slot]
        try:
            heard = worker.connection.recv()
        except (EOFError, OSError):
            begun = worker.orders.popleft() if worker.orders else None
            message = self._replace(slot)
            if begun is None:
                return []
            with logs.about_match(begun.match_id):
                _log.warning("%s", message)
            return [VoidRecord(begun.position, WORKER_KILLED, message)]
        if isinstance(heard, logging.LogRecord):
            logs.take_record(heard)
            return []
        self._deaths = 0
        worker.orders.popleft()
        return [heard]

    def _replace(self, slot: int) -> str:
        """Reap a dead worker, kill its leaked processes, give its orders to a new worker. Return a message about it."""
        worker = self._workers.pop(slot)
        worker.process.kill()
        worker.process.join()
        status = worker.process.exitcode
        worker.process.close()
        worker.connection.close()
        left = subreaper.kill_adopted(self._strangers.union(self.pids))
        self._deaths += 1
        if self._deaths > _DEATHS_IN_A_ROW * self._settings.count:
            raise ArenaFault(f"workers die before they have played anything, the last with status {status}")
        self._start(slot, worker.core, worker.orders)
        return f"worker {slot} ended with status {status}; {left} processes of its bots were killed"

    def _drain(self, worker: _Worker) -> None:
        """Receive the last messages of an exiting worker, until the end of its pipe."""
        while wait([worker.connection], _CLOSE_S):
            try:
                heard = worker.connection.recv()
            except (EOFError, OSError):
                return
            if isinstance(heard, logging.LogRecord):
                logs.take_record(heard)
            elif isinstance(heard, _Farewell):
                self.unkillable += heard.unkillable


def _sent(worker: _Worker, order: MatchOrder | _Upcoming) -> bool:
    """Send the order, and return whether that succeeded; False means that the worker is dead."""
    try:
        worker.connection.send(order)
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Farewell:
    """A worker's message before it exits: the bots that it could not kill."""

    unkillable: tuple[Unkillable, ...]


@dataclass(frozen=True, slots=True)
class _Upcoming:
    """An order that the worker must prepare but not play yet."""

    order: MatchOrder


@dataclass(frozen=True, slots=True)
class _Post:
    """The values that a new worker receives: its end of the pipe, and facts about its parent."""

    connection: Connection
    inherited: Sequence[Connection]
    """The parent's ends of the pipes, which the fork copied."""
    parent: int
    core: int | None
    nice: int
    """The parent's priority before it was lowered."""


def _work(
    post: _Post, player: Player, keep_out: Iterable[Callable[[], None]]
) -> None:  # pragma: no cover - runs in forked processes
    """Run a worker process from its start to its exit."""
    subreaper.sweep_up_after_parent(post.parent)
    # These signals reach the whole process group (Ctrl-C, a closed terminal, a service that stops), but only the parent
    # handles them. An empty handler is better than SIG_IGN, which bots would inherit.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ignore)
    signal.set_wakeup_fd(-1)
    for connection in post.inherited:
        connection.close()
    for give_up in keep_out:
        give_up()
    affinity.pin(post.core, post.nice)
    connection = post.connection
    logs.send_records(connection.send)
    try:
        while (order := connection.recv()) is not None:
            if isinstance(order, _Upcoming):
                _prepare(player, order.order, connection)
            else:
                connection.send(_play_one(player, order))
    except (EOFError, OSError):
        # The parent is dead. The end of the pipe may arrive before the signal.
        subreaper.sweep_up()
    # The default action of SIGALRM ends the process, so this last step has a time limit.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_CLOSE_S)
    try:
        if unkillable := tuple(player.close()):
            connection.send(_Farewell(unkillable))
    except Exception:  # noqa: BLE001 - the worker exits anyway
        _log.exception("a reused bot could not be closed")
    # Avoid a normal exit: buffers and exit handlers that the fork copied must not run a second time.
    os._exit(0)


def _play_one(player: Player, order: MatchOrder) -> Played:
    with logs.about_match(order.match_id):
        try:
            record = player.play(order)
            for seat, result in enumerate(record.seats):
                if result.cause is not None:
                    _log.info("seat %d forfeits, %s: %s", seat, result.cause, result.detail)
            return record
        except Exception as error:  # noqa: BLE001 - no exception is a bot's forfeit
            _log.exception("void")
            return VoidRecord(order.position, type(error).__name__, traceback.format_exc())


def _prepare(player: Player, order: MatchOrder, connection: Connection) -> None:
    with logs.about_match(order.match_id):
        try:
            player.prepare(order, connection.fileno())
        except Exception:  # noqa: BLE001 - the match itself will show the error
            _log.exception("could not be prepared")


def _ignore(_signal: int, _frame: FrameType | None) -> None:
    """Do nothing. Interrupted system calls continue."""
