"""Tests of the workers, with real processes and generated results."""

from __future__ import annotations

import logging
import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from arena.errors import ArenaFault
from arena.linux import affinity, subreaper
from arena.model.records import MatchOrder, MatchRecord, Outcome, Unkillable, VoidRecord
from arena.model.rules import LeagueRules
from arena.workers import logs
from arena.workers.pool import WORKER_KILLED, Played, Workers, WorkerSettings
from tests.support.players import FunctionPlayer

RULES = LeagueRules(name="test", game="burn_my_village")
NO_PIN = WorkerSettings(2, pin=False)


def order(position: int) -> MatchOrder:
    return MatchOrder(f"test-1-{position}", b"seed", RULES, (), position=position)


def echo(given: MatchOrder) -> MatchRecord:
    """A match that is over at once; its replay tells which process played it."""
    return MatchRecord(given.position, Outcome.FINISHED, "game_over", 0, (), str(os.getpid()).encode())


def play_all(workers: Workers, positions: list[int]) -> list[Played]:
    """The results of all these matches, in the order in which they came."""
    waiting, played = list(reversed(positions)), []
    while waiting or workers.running:
        for slot in workers.free:
            if waiting:
                workers.submit(order(waiting.pop()), slot)
        played += workers.wait()
    return played


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """No test leaves a process behind."""
    before = subreaper.children()
    yield
    assert subreaper.children() <= before


def test_every_order_gives_one_result() -> None:
    """A hundred orders on two workers come back once each, from two processes that are not this one."""
    wanted = list(range(100))
    with Workers(NO_PIN, FunctionPlayer(echo)) as workers:
        played = play_all(workers, wanted)
    assert sorted(result.position for result in played) == wanted
    pids = {result.replay for result in played if isinstance(result, MatchRecord)}
    assert len(pids) == 2
    assert str(os.getpid()).encode() not in pids


def test_an_exception_makes_the_match_void() -> None:
    """Whatever `play` raises comes back by name, with its traceback, and the worker plays on."""

    def broken(given: MatchOrder) -> MatchRecord:
        if given.position == 1:
            raise ZeroDivisionError("the arena's own mistake")
        return echo(given)

    with Workers(WorkerSettings(1, pin=False), FunctionPlayer(broken)) as workers:
        played = play_all(workers, [0, 1, 2])
        assert len(workers.pids) == 1
    void = [result for result in played if isinstance(result, VoidRecord)]
    assert [(result.position, result.cause) for result in void] == [(1, "ZeroDivisionError")]
    assert "the arena's own mistake" in void[0].traceback
    assert len(played) == 3


def test_a_killed_worker_is_void_and_replaced() -> None:
    """SIGKILL in the middle of a match spoils that match alone; two workers are there again."""

    def suicidal(given: MatchOrder) -> MatchRecord:
        if given.position == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return echo(given)

    with Workers(NO_PIN, FunctionPlayer(suicidal)) as workers:
        before = set(workers.pids)
        played = play_all(workers, list(range(10)))
        assert len(workers.pids) == 2
        assert len(before & set(workers.pids)) == 1
    void = [result for result in played if isinstance(result, VoidRecord)]
    assert [(result.position, result.cause) for result in void] == [(3, WORKER_KILLED)]
    assert len(played) == 10


def test_a_killed_worker_leaves_no_process_behind() -> None:
    """What it had started, in sessions of their own and children of children, is killed and reaped with it."""

    def family_man(given: MatchOrder) -> MatchRecord:
        child = "import os, signal; os.fork(); os.setsid() if os.getpid() != os.getpgid(0) else None; signal.pause()"
        subprocess.Popen([sys.executable, "-c", child], start_new_session=True)
        os.kill(os.getpid(), signal.SIGKILL)
        return echo(given)

    others = subreaper.children()  # such as a database server that serves all tests
    with Workers(WorkerSettings(1, pin=False), FunctionPlayer(family_man)) as workers:
        played = play_all(workers, [0])
        assert [result.position for result in played] == [0]
        assert subreaper.children() >= set(workers.pids)
        assert subreaper.children() - set(workers.pids) <= others


def test_a_worker_that_died_idle_costs_no_match() -> None:
    """The order goes to its replacement."""
    with Workers(WorkerSettings(1, pin=False), FunctionPlayer(echo)) as workers:
        (pid,) = workers.pids
        os.kill(pid, signal.SIGKILL)
        # The zombie tells that its pipe is closed; it is left for the workers to reap.
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        played = play_all(workers, [0])
    assert [type(result) for result in played] == [MatchRecord]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_to_the_whole_group_do_not_reach_a_match(number: signal.Signals) -> None:
    """What Ctrl-C and a closed terminal mean is the parent's business: a worker plays on, whatever the parent does."""

    def interrupted(given: MatchOrder) -> MatchRecord:
        os.kill(os.getpid(), number)
        return echo(given)

    def parents_own(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, parents_own)
    try:
        _play_two(interrupted)
    finally:
        signal.signal(number, before)


def _play_two(interrupted: Callable[[MatchOrder], MatchRecord]) -> None:
    with Workers(WorkerSettings(1, pin=False), FunctionPlayer(interrupted)) as workers:
        assert all(isinstance(result, MatchRecord) for result in play_all(workers, [0, 1]))


def test_bots_do_not_inherit_a_deaf_ear() -> None:
    """A process that a worker starts has the default action for SIGINT and SIGTERM."""

    def ask(given: MatchOrder) -> MatchRecord:
        code = "import signal; print(signal.getsignal(2) is signal.default_int_handler, signal.getsignal(15))"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        return MatchRecord(given.position, Outcome.FINISHED, "game_over", 0, (), said)

    with Workers(WorkerSettings(1, pin=False), FunctionPlayer(ask)) as workers:
        (result,) = play_all(workers, [0])
    assert isinstance(result, MatchRecord)
    assert result.replay.split() == [b"True", b"0"]


def test_kept_things_are_closed_by_dismissal_and_not_by_an_exception(tmp_path: Path) -> None:
    """`close` runs once in each worker that is dismissed; an exception in the parent kills instead."""

    def close() -> Iterable[Unkillable]:
        (tmp_path / str(os.getpid())).touch()
        return ()

    with Workers(NO_PIN, FunctionPlayer(echo, close=close)) as workers:
        play_all(workers, [0, 1, 2])
        pids = workers.pids
    assert {path.name for path in tmp_path.iterdir()} == {str(pid) for pid in pids}
    with pytest.raises(KeyboardInterrupt), Workers(NO_PIN, FunctionPlayer(echo, close=close)) as workers:
        raise KeyboardInterrupt
    assert len(list(tmp_path.iterdir())) == 2


def test_what_the_parent_must_have_alone_is_given_up() -> None:
    """Each callback of `keep_out` runs in each worker before its first match, and not in the parent."""
    given_up: list[int] = []

    def tell(given: MatchOrder) -> MatchRecord:
        return MatchRecord(given.position, Outcome.FINISHED, "game_over", 0, (), repr(given_up).encode())

    settings = WorkerSettings(1, pin=False, keep_out=(lambda: given_up.append(1),))
    with Workers(settings, FunctionPlayer(tell)) as workers:
        (result,) = play_all(workers, [0])
    assert isinstance(result, MatchRecord)
    assert result.replay == b"[1]"
    assert given_up == []


def test_workers_are_pinned_and_the_parent_gets_its_cores_back() -> None:
    """One core a worker where there are enough; none of it outlasts the workers."""
    cores = os.sched_getaffinity(0)

    def where(given: MatchOrder) -> MatchRecord:
        core = repr(sorted(os.sched_getaffinity(0))).encode()
        return MatchRecord(given.position, Outcome.FINISHED, "game_over", 0, (), core)

    if len(cores) > 1:
        with Workers(WorkerSettings(1), FunctionPlayer(where)) as workers:
            (result,) = play_all(workers, [0])
            assert os.sched_getaffinity(0) == cores - {min(cores)}
        assert isinstance(result, MatchRecord)
        assert result.replay == f"[{min(cores)}]".encode()
    assert os.sched_getaffinity(0) == cores


def test_a_busy_worker_takes_no_second_order() -> None:
    """One order at a time: the parent decides late who plays what."""
    ours, theirs = multiprocessing.Pipe()

    def patient(given: MatchOrder) -> MatchRecord:
        theirs.recv()
        return echo(given)

    with Workers(WorkerSettings(1, pin=False), FunctionPlayer(patient)) as workers:
        workers.submit(order(0))
        assert workers.running == ("test-1-0",)
        with pytest.raises(ArenaFault, match="no free worker"):
            workers.submit(order(1))
        assert workers.wait(0) == []
        ours.send(None)
        assert [result.position for result in workers.wait()] == [0]


def test_a_worker_that_waits_makes_ready_for_what_comes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is told the order ahead, is interrupted by the next order, and plays that; an exception costs nothing."""
    monkeypatch.setattr(affinity, "for_workers", lambda count, pin: [min(os.sched_getaffinity(0))] * count)
    ours, theirs = multiprocessing.Pipe()

    def prepare(upcoming: MatchOrder, until: int) -> None:
        theirs.send(upcoming.position)
        assert select.select([until], [], [], 60)[0], "no order came"
        theirs.send("interrupted")
        raise ValueError("of no account")

    with Workers(WorkerSettings(1), FunctionPlayer(echo, prepare)) as workers:
        workers.prepare(order(7), 0)
        assert ours.recv() == 7
        assert workers.idle == workers.free == (0,)
        workers.submit(order(8))
        workers.prepare(order(9), 0)  # it has something to do: nothing comes of this
        assert [result.position for result in wait_for_one(workers)] == [8]
        assert ours.recv() == "interrupted"
    assert not ours.poll()


def test_workers_that_share_cores_start_nothing_ahead() -> None:
    """What one of them started would run while a bot of another is on turn."""

    def prepare(upcoming: MatchOrder, until: int) -> None:
        os._exit(1)

    with Workers(NO_PIN, FunctionPlayer(echo, prepare)) as workers:
        workers.prepare(order(0), 0)
        workers.prepare(order(1), 1)
        played = play_all(workers, [0, 1])
    assert not any(isinstance(result, VoidRecord) for result in played)


def wait_for_one(workers: Workers) -> list[Played]:
    """What comes next; log records come to nothing."""
    while not (played := workers.wait(60)):
        continue
    return played


def test_what_a_killed_worker_had_not_begun_is_no_attempt() -> None:
    """Orders that wait in the pipe of a worker go to its replacement; only the match that it played is void."""

    def suicidal(given: MatchOrder) -> MatchRecord:
        if given.position == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return echo(given)

    with Workers(WorkerSettings(1, pin=False), FunctionPlayer(suicidal)) as workers:
        workers.depth = 4
        for number in range(4):
            workers.submit(order(number))
        assert workers.free == ()
        played = play_all(workers, [])
    assert [type(result) for result in played] == [VoidRecord, MatchRecord, MatchRecord, MatchRecord]


def test_workers_that_cannot_live_end_in_one_sentence() -> None:
    """Workers that all die at once are not started for ever."""

    def give_up() -> None:
        os._exit(3)

    with (
        pytest.raises(ArenaFault, match="die before they have played anything, the last with status 3"),
        Workers(WorkerSettings(1, pin=False, keep_out=(give_up,)), FunctionPlayer(echo)) as workers,
    ):
        while True:
            workers.wait()


def test_waiting_ends_for_other_things_too() -> None:
    """A socket in `also` ends the wait as soon as it can be read."""
    ours, theirs = socket.socketpair()
    with ours, theirs, Workers(NO_PIN, FunctionPlayer(echo)) as workers:
        theirs.send(b"!")
        assert workers.wait(None, [ours]) == []


def test_all_records_are_in_one_log_with_their_match(tmp_path: Path) -> None:
    """Lines of workers and of the parent, tracebacks and what bots wrote included, name match and process."""
    log = logging.getLogger("arena.test")

    def talkative(given: MatchOrder) -> MatchRecord:
        log.info("a bot said %s", "\x1b[31mred\nand more")
        if given.position == 1:
            raise ValueError("oh")
        return echo(given)

    with logs.night_log(tmp_path) as path, Workers(NO_PIN, FunctionPlayer(talkative)) as workers:
        log.info("the night begins")
        play_all(workers, [0, 1])
    lines = path.read_text().splitlines()
    assert len([line for line in lines if " test-1-0 worker-" in line]) == 2
    assert any("ValueError: oh" in line and " test-1-1 worker-" in line for line in lines)
    assert any(line.endswith(r"a bot said \x1b[31mred") for line in lines)
    assert any(" - MainProcess: the night begins" in line for line in lines)
    assert all(line.split()[2] in ("-", "test-1-0", "test-1-1") for line in lines)


def test_a_log_that_cannot_be_written_disturbs_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A full disk costs log lines, never a match, and prints nothing."""
    (tmp_path / logs.LOG_FILE).symlink_to("/dev/full")
    with logs.night_log(tmp_path):
        logging.getLogger("arena.test").info("nobody will read this")
    assert capfd.readouterr() == ("", "")


def test_a_night_does_not_outlive_its_parent(tmp_path: Path) -> None:
    """SIGKILL of the parent ends the workers: this process adopts and finds them dead."""
    code = f"""
import os, signal, sys
sys.path[:0] = {sys.path!r}
from arena.workers.pool import Workers, WorkerSettings
from tests.support.players import FunctionPlayer
from tests.workers.test_pool import order
def forever(given):
    os.write(1, b"%d\\n" % os.getpid())
    signal.pause()
with Workers(WorkerSettings(2, pin=False), FunctionPlayer(forever)) as workers:
    workers.submit(order(0))
    workers.submit(order(1))
    workers.wait()
"""
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root) as parent:
        assert parent.stdout is not None
        before = subreaper.adopt_orphans(True)
        try:
            pids = [int(parent.stdout.readline()) for _ in range(2)]
        finally:
            parent.kill()
    try:
        for pid in pids:
            os.waitpid(pid, 0)
    finally:
        subreaper.adopt_orphans(before)
