"""After SIGKILL at any time a night resumes, and no match is lost or played twice."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.linux import subreaper
from arena.model.records import MatchOrder, MatchRecord
from arena.night.events import MatchDone, NightEvent
from arena.night.runner import resume_night, run_night
from arena.store.store import Store
from arena.store.values import MatchFilter, NightState
from tests.support.made_up_night import (
    PLAN,
    RATING,
    RULES,
    SEED,
    hand_in_all,
    main,
    make_up,
    names,
    open_store,
    outcome,
    venue,
)

pytestmark = pytest.mark.usefixtures("database")

ROOT = Path(__file__).parents[2]
SCRIPT = "import sys; sys.path[:0] = {path!r}; from tests.support.made_up_night import main; main(*sys.argv[1:])"


@pytest.fixture(scope="module")
def undisturbed(database: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """The outcome of the night when nothing happens."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with open_store(folder) as store:
        hand_in_all(store, names(6))
    main(str(folder), "2", "never")
    with open_store(folder) as store:
        return outcome(store)


def begin(folder: Path, workers: int, dying: int | None) -> subprocess.Popen[bytes]:
    """The night of this home in a process of its own, which dies when it comes to that match."""
    arguments = [str(folder), str(workers), "never" if dying is None else str(dying)]
    code = SCRIPT.format(path=[str(ROOT), *sys.path])
    return subprocess.Popen([sys.executable, "-c", code, *arguments], cwd=ROOT)


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_many_matches_and_resumed(
    workers: int, tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]
) -> None:
    """The parent is killed again and again, each time at another match; the end is that of an undisturbed night."""
    with open_store(tmp_path) as store:
        hand_in_all(store, names(6))
    positions = sorted(random.Random(workers).sample(range(len(undisturbed[1])), 3))
    before = subreaper.adopt_orphans(True)
    known = subreaper.children()
    try:
        for dying in positions:
            with begin(tmp_path, workers, dying) as night:
                assert night.wait() == -signal.SIGKILL
            # Workers die with their parent; as orphans they come to this process, which reaps them and finds no more.
            for pid in subreaper.children() - known:
                os.waitpid(pid, 0)
            assert subreaper.children() <= known
            with open_store(tmp_path) as store:
                assert store.open_night(RULES.name) is not None
        with begin(tmp_path, workers, None) as night:
            assert night.wait() == 0
    finally:
        subreaper.adopt_orphans(before)
    with open_store(tmp_path) as store:
        assert outcome(store) == undisturbed
        assert store.night(RULES.name).state is NightState.CLOSED
        assert store.attempts(RULES.name) == []


class Killed(BaseException):
    """Stands for SIGKILL of the parent: no handler of the night may catch it."""


def die_after(store: Store, name: str, times: int) -> None:
    """Let the store's method of that name be the last thing that happens, at its call of that number."""
    method = getattr(store, name)
    calls = itertools.count(1)

    def dying(*arguments: object, **named: object) -> object:
        result = method(*arguments, **named)
        if next(calls) == times:
            raise Killed
        return result

    setattr(store, name, dying)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "name", ["create_night", "plan_round", "record", "end_entrant", "update_ratings", "close_night"]
)
def test_killed_right_after_a_write(
    name: str, times: int, tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]
) -> None:
    """The database as each kind of transaction leaves it is a night that goes on to the same end."""
    with open_store(tmp_path) as store:
        hand_in_all(store, names(6))
        die_after(store, name, times)
        with contextlib.suppress(Killed):
            run_night(venue(store, tmp_path, workers=2), RULES, RATING, PLAN, SEED)
    with open_store(tmp_path) as store:
        if store.open_night(RULES.name) is not None:
            assert resume_night(venue(store, tmp_path), RULES.name).finished
        assert outcome(store) == undisturbed


def test_a_full_disk_ends_the_night_in_one_sentence(tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]) -> None:
    """A result that cannot be stored ends the run, whatever was heard is played again, nothing is half-written."""
    with open_store(tmp_path) as store:
        hand_in_all(store, names(6))

        def full(*_: object) -> object:
            raise StoreError("the disk of the database is full: nothing of the last step was stored")

        store.record = full  # type: ignore[method-assign, assignment]
        with pytest.raises(StoreError, match="disk"):
            run_night(venue(store, tmp_path, workers=2), RULES, RATING, PLAN, SEED)
    with open_store(tmp_path) as store:
        assert resume_night(venue(store, tmp_path), RULES.name).finished
        assert outcome(store) == undisturbed


def test_workers_killed_at_random_change_nothing(tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]) -> None:
    """A worker that is killed while it plays costs an attempt; the night ends as ever."""

    def mortal(order: MatchOrder) -> MatchRecord:
        mark = tmp_path / f"died-{order.match_id}"
        if order.seed[0] % 8 == 0 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return make_up(order)

    with open_store(tmp_path) as store:
        hand_in_all(store, names(6))
        summary = run_night(venue(store, tmp_path, mortal, workers=2), RULES, RATING, PLAN, SEED)
        deaths = len(list(tmp_path.glob("died-*")))
        assert summary.counts.attempts == deaths > 5
        assert summary.counts.parked == 0
        assert outcome(store) == undisturbed
        assert store.count_matches(MatchFilter(league=RULES.name)) == len(undisturbed[1])


def test_hand_ins_during_a_night_neither_wait_nor_disturb(
    tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]
) -> None:
    """`submit` and `withdraw` of another process, while matches are stored: they take effect at once, and the night is
    the same."""
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT), *sys.path]!r}\n"
        "from tests.support.made_up_night import *\n"
        "with open_store(Path(sys.argv[1])) as store:\n"
        "    hand_in_all(store, ['meanwhile']); store.withdraw('meanwhile')\n"
    )
    with open_store(tmp_path) as store:
        hand_in_all(store, names(6))
        other: list[subprocess.Popen[bytes]] = []
        withdrawn: list[int] = []

        def submit(event: NightEvent) -> None:
            if isinstance(event, MatchDone) and not other:
                other.append(subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT))
            if isinstance(event, MatchDone) and event.match_id == "friday-1-60":
                # The night's own transaction is not open while it plays: the other process had its turn.
                withdrawn.append(other[0].wait(timeout=60))

        assert run_night(replace(venue(store, tmp_path), report=submit), RULES, RATING, PLAN, SEED).finished
        assert withdrawn == [0]
        assert outcome(store) == undisturbed
        assert [bot.name for bot in store.bots() if bot.withdrawn] == ["meanwhile"]


def test_a_lock_left_by_a_dead_process_is_no_lock(tmp_path: Path) -> None:
    """The lock file and the socket of a killed night lie around; the next run takes no notice."""
    with open_store(tmp_path) as store:
        hand_in_all(store, names(4))
    with begin(tmp_path, 1, 3) as night:
        assert night.wait() == -signal.SIGKILL
    assert (tmp_path / "run" / "night.lock").exists()
    assert (tmp_path / "run" / "night.sock").exists()
    with open_store(tmp_path) as store:
        assert resume_night(venue(store, tmp_path), RULES.name).finished
