"""Matches in parallel: the executor seam, here as forked processes with a pipe each.

A worker takes one order at a time, plays it and sends the record back. Whatever goes wrong in it becomes a
`VoidRecord`; so does its own death, after which everything that it left behind is killed and another one takes its
place. Nothing is shared between workers: one that is killed cannot hold up the others.
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
_LEAVE_S: Final = 5 + int(survivors.PATIENCE_S)
"""A worker that is told to leave is killed after so many seconds: more than it waits for a kept bot that it killed."""

_DEATHS_IN_A_ROW: Final = 20
"""When so many workers die one after the other (for each that there should be), something is wrong with all."""

_log = logging.getLogger("arena.workers")


class Play(Protocol):
    """What a worker does with an order."""

    def __call__(self, order: MatchOrder, /) -> MatchRecord:
        """Play it. Every exception makes the match void."""


class Prepare(Protocol):
    """What a worker does with an order that it will probably be given next, while it has nothing else to do."""

    def __call__(self, order: MatchOrder, until: int, /) -> None:
        """Make ready what can be, and end at once when the descriptor `until` can be read."""


Leave = Callable[[], Iterable[Unkillable] | None]
"""What a worker does at its end; gives the bots that it could not end."""


class Waitable(Protocol):
    """Something else to wait for: a socket, a pipe."""

    def fileno(self) -> int:
        """The descriptor to wait on until it can be read."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """How workers are started."""

    count: int
    pin: bool = True
    """Each worker and its bots on a core of its own, where there are as many; the parent on another, or nice."""
    keep_out: tuple[Callable[[], None], ...] = ()
    """Called in each worker after the fork: gives up what the parent must have alone (locks, database, sockets)."""


@dataclass(slots=True)
class _Worker:
    """The parent's end of one worker."""

    process: BaseProcess
    connection: Connection
    core: int | None
    orders: deque[MatchOrder]
    """What it was given and has not answered; it plays the first, the others wait in its pipe."""


class Workers:
    """Plays orders in several processes; a context manager.

    `play` is called in the workers, `prepare` in one that waits, `leave` in each that is asked to end. Leaving the
    context in peace dismisses the workers, leaving it by an exception kills them with all their bots.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        play: Play,
        leave: Leave | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        self._settings = settings
        self._tasks = _Tasks(play, leave, prepare)
        self._workers: dict[int, _Worker] = {}
        self._strangers: set[int] = set()
        self._adopted = False
        self._deaths = 0
        self.depth = 1
        """How many orders each worker may have: the one that it plays, and what it goes on with at once."""
        self.unkillable: list[Unkillable] = []
        """Bots that workers could not end when they left."""
        self._affinity: set[int] | None = None
        self._nice = os.getpriority(os.PRIO_PROCESS, 0)

    def __enter__(self) -> Workers:
        self._adopted = subreaper.adopt_orphans(True)
        # Children of this process from before are none of our business.
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
        """Slots of the workers that may be given an order, those with the fewest first."""
        open_slots = [slot for slot, worker in self._workers.items() if len(worker.orders) < self.depth]
        return tuple(sorted(open_slots, key=lambda slot: len(self._workers[slot].orders)))

    @property
    def idle(self) -> tuple[int, ...]:
        """Slots of the workers that have no order."""
        return tuple(slot for slot, worker in self._workers.items() if not worker.orders)

    @property
    def running(self) -> tuple[str, ...]:
        """Ids of the matches that are with a worker."""
        return tuple(order.match_id for worker in self._workers.values() for order in worker.orders)

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the workers."""
        return tuple(worker.process.pid or 0 for worker in self._workers.values())

    def submit(self, order: MatchOrder, slot: int | None = None) -> None:
        """Give an order to a free worker: this one, or any. Raises `ArenaFault` when it is not free."""
        free = self.free
        if slot is None and free:
            slot = free[0]
        if slot is None or slot not in free:
            raise ArenaFault(f"no free worker for {order.match_id}")
        worker = self._workers[slot]
        worker.orders.append(order)
        if not _sent(worker, order) and len(worker.orders) == 1:
            # It died while it had nothing to do: nobody has begun this match.
            self._replace(slot)
        # If it had something to do, `wait` hears of its death, and hands on what it had not begun.

    def prepare(self, order: MatchOrder, slot: int) -> None:
        """Let a worker that has nothing to do make ready for a match that it will probably be given next.

        Nothing comes of it where workers share cores: what it starts would run while others are on turn.
        """
        worker = self._workers[slot]
        if self._tasks.prepare is not None and worker.core is not None and not worker.orders:
            # If it is dead, that is heard when it is given the order itself.
            _sent(worker, _Upcoming(order))

    def wait(self, timeout_s: float | None = None, also: Iterable[Waitable] = ()) -> list[Played]:
        """What was finished or lost since the last call.

        Empty when the time is over, when something of `also` can be read, or when workers only wrote to the log.
        """
        slots = {worker.connection: slot for slot, worker in self._workers.items()}
        sources: list[Any] = [*slots, *also]
        played: list[Played] = []
        for source in wait(sources, timeout_s):
            if isinstance(source, Connection) and source in slots:
                played += self._hear(slots[source])
        return played

    def dismiss(self) -> None:
        """Let every worker close its kept bots and end; for workers that have nothing to do."""
        for worker in self._workers.values():
            try:
                worker.connection.send(None)
            except OSError:
                continue
        for worker in self._workers.values():
            self._drain(worker)
        self.kill()

    def kill(self) -> None:
        """End every worker and all its bots now; no match of theirs leaves a result."""
        for worker in self._workers.values():
            worker.process.kill()
        for worker in self._workers.values():
            worker.process.join()
            worker.process.close()
            worker.connection.close()
        self._workers.clear()
        if self._affinity is not None:
            affinity.come_back(self._affinity, self._nice)
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
                self._tasks,
                self._settings.keep_out,
            ),
        )
        process.start()
        # Only the worker may hold its end, or its death would not be heard.
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
            return [VoidRecord(begun.match_id, WORKER_KILLED, message)]
        if isinstance(heard, logging.LogRecord):
            logs.take_record(heard)
            return []
        self._deaths = 0
        worker.orders.popleft()
        return [heard]

    def _replace(self, slot: int) -> str:
        """Bury a dead worker, kill what it left behind, give its orders to another; says what happened."""
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
        """Hear a leaving worker's last log records, up to the end of its pipe."""
        while wait([worker.connection], _LEAVE_S):
            try:
                heard = worker.connection.recv()
            except (EOFError, OSError):
                return
            if isinstance(heard, logging.LogRecord):
                logs.take_record(heard)
            elif isinstance(heard, _Farewell):
                self.unkillable += heard.unkillable


def _sent(worker: _Worker, order: MatchOrder | _Upcoming) -> bool:
    """Whether the order is on its way; False tells that the worker is dead."""
    try:
        worker.connection.send(order)
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Tasks:
    """What a worker can be asked to do."""

    play: Play
    leave: Leave | None
    prepare: Prepare | None


@dataclass(frozen=True, slots=True)
class _Farewell:
    """A worker's last word."""

    unkillable: tuple[Unkillable, ...]


@dataclass(frozen=True, slots=True)
class _Upcoming:
    """An order that is not to be played yet."""

    order: MatchOrder


@dataclass(frozen=True, slots=True)
class _Post:
    """What a new worker finds: its end of the pipe, and what it has to know of its parent."""

    connection: Connection
    inherited: Sequence[Connection]
    """The parent's ends, which the fork copied."""
    parent: int
    core: int | None
    nice: int
    """The parent's priority before it stepped back."""


def _work(
    post: _Post, tasks: _Tasks, keep_out: Iterable[Callable[[], None]]
) -> None:  # pragma: no cover - runs in forked processes
    """The whole life of a worker process."""
    subreaper.sweep_up_after_parent(post.parent)
    # These come to the whole group (Ctrl-C, a closed terminal, a service that ends): the parent alone decides what they
    # mean. A handler that does nothing, not SIG_IGN, which bots would inherit.
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
                _prepare(tasks.prepare, order.order, connection)
            else:
                connection.send(_play_one(tasks.play, order))
    except (EOFError, OSError):
        # Nobody is left to play for; the pipe may tell so before the signal does.
        subreaper.sweep_up()
    # The default action of the alarm ends the process, so the farewell is bounded.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LEAVE_S)
    if tasks.leave is not None:
        try:
            if unkillable := tasks.leave():
                connection.send(_Farewell(tuple(unkillable)))
        except Exception:  # noqa: BLE001 - it is leaving anyway
            _log.exception("a kept bot could not be closed")
    # Not a normal exit: nothing that the fork copied (buffers, exit handlers, threads) may act a second time.
    os._exit(0)


def _play_one(play: Play, order: MatchOrder) -> Played:
    with logs.about_match(order.match_id):
        try:
            record = play(order)
            for seat, result in enumerate(record.seats):
                if result.cause is not None:
                    _log.info("seat %d forfeits, %s: %s", seat, result.cause, result.detail)
            return record
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not a bot's loss
            _log.exception("void")
            return VoidRecord(order.match_id, type(error).__name__, traceback.format_exc())


def _prepare(prepare: Prepare | None, order: MatchOrder, connection: Connection) -> None:
    with logs.about_match(order.match_id):
        try:
            if prepare is not None:
                prepare(order, connection.fileno())
        except Exception:  # noqa: BLE001 - the match itself will show what is wrong
            _log.exception("could not be prepared")


def _ignore(_signal: int, _frame: FrameType | None) -> None:
    """Do nothing; system calls go on."""
