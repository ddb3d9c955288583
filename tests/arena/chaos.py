"""Disturbs nights of real bots at random moments, in every way there is, and compares how they end.

`python -m tests.arena.chaos 1000` (`make chaos`) does it a thousand times. What happens when is drawn from fixed seeds,
in terms of matches done and thousandths of a second; the exact moment is up to the machine.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from arena import family
from arena.errors import Cause
from arena.store import MatchFilter, NightState, Store
from tests.arena.real_night import ROOT, outcome, play, prepare, rules

SCRIPT = "import sys; sys.path[:0] = {path!r}; from tests.arena.chaos import play_on; play_on(*sys.argv[1:])"
NIGHT = 4
"""So many disturbances, then the night is left in peace until its end."""
BETWEEN = 9
"""At most so many matches from one disturbance to the next."""
PATIENCE_S = 60

Outcome = tuple[str, dict[str, bytes]]


def play_on(folder: str, workers: str, seed: str) -> None:
    """In a process of its own: play or go on with the night of a home, a byte on stdout for every event; the wall clock
    jumps about all the time."""
    luck, true_time = Random(seed), time.time
    time.time = lambda: true_time() + luck.uniform(-1e6, 1e6)
    play(Path(folder), rules(reuse=True), int(workers), lambda _event: os.write(1, b".") and None)


class Playing:
    """A night that is being played by another process."""

    def __init__(self, folder: Path, luck: Random) -> None:
        self.folder = folder
        code = SCRIPT.format(path=[str(ROOT), *sys.path])
        command = [sys.executable, "-c", code, str(folder), str(luck.choice([1, 2])), str(luck.random())]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, bufsize=0
        )

    def hear(self, events: int) -> bool:
        """Wait until so many more things have happened; False when the night ended before."""
        assert self.process.stdout is not None
        return all(self.process.stdout.read(1) for _ in range(events))

    def family(self) -> list[list[int]]:
        """The process; its workers; everything below them."""
        generations = [[self.process.pid]]
        while generations[-1]:
            generations.append([child for pid in generations[-1] for child in children(pid)])
        below = [pid for generation in generations[2:] for pid in generation]
        return [generations[0], generations[1] if len(generations) > 1 else [], below]

    def end(self) -> int:
        """Hear it to its end; its exit status."""
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode


def is_over(folder: Path) -> bool:
    """Whether the night of this home was played to its end."""
    with Store.open(folder) as store:
        if not store.has_league("real") or store.open_night("real") is not None:
            return False
        return store.count_matches(MatchFilter(league="real")) > 0


def children(pid: int) -> list[int]:
    """The child processes of a process; none when it is gone."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def send(number: signal.Signals, pids: list[int]) -> None:
    """A signal to each that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


# Disturbances: each gives the folder to go on with, or None where the night plays on.


def kill_parent(night: Playing, _luck: Random) -> Path | None:
    send(signal.SIGKILL, [night.process.pid])
    return night.folder


def kill_all(night: Playing, luck: Random) -> Path | None:
    pids = [pid for generation in night.family() for pid in generation]
    luck.shuffle(pids)
    send(signal.SIGKILL, pids)
    return night.folder


def kill_worker(night: Playing, luck: Random) -> Path | None:
    workers = night.family()[1]
    send(signal.SIGKILL, [luck.choice(workers)] if workers else [])
    return None


def kill_bot(night: Playing, luck: Random) -> Path | None:
    bots = night.family()[2]
    send(signal.SIGKILL, [luck.choice(bots)] if bots else [])
    return None


def suspend(night: Playing, luck: Random) -> Path | None:
    """As when a laptop is closed, for a moment or for longer than the referee trusts its clock."""
    generations = night.family()
    for generation in generations:
        send(signal.SIGSTOP, generation)
    select.select([], [], [], luck.choice([0.05, 0.3, 1.3]))
    for generation in reversed(generations):
        send(signal.SIGCONT, generation)
    return None


def fill_disk(night: Playing, luck: Random) -> Path | None:
    """No file may grow any further but for a few kilobytes."""
    sizes = [file.stat().st_size for file in night.folder.glob("arena.db*")]
    limit = max(sizes) + luck.randrange(30_000)
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(night.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    night.end()
    return night.folder


def copy_home(night: Playing, _luck: Random) -> Path | None:
    """Stop the writer, copy all that lies there, its write-ahead log too, and go on with the copy."""
    send(signal.SIGSTOP, [night.process.pid])
    copy = night.folder.with_name(f"{night.folder.name}-copy")
    shutil.copytree(night.folder, copy, ignore=shutil.ignore_patterns("*.sock"))
    send(signal.SIGKILL, [night.process.pid])
    return copy


DISTURBANCES: tuple[Callable[[Playing, Random], Path | None], ...] = (
    kill_parent,
    kill_all,
    kill_worker,
    kill_bot,
    suspend,
    fill_disk,
    copy_home,
)


class Chaos:
    """Nights that are disturbed, and what they are compared with."""

    def __init__(self, area: Path) -> None:
        self._area = area
        self._template = area / "template"
        prepare(self._template)
        quiet = area / "quiet"
        shutil.copytree(self._template, quiet)
        assert play(quiet, rules(reuse=True), 1, lambda _event: None).finished
        self.quiet = outcome(quiet)
        self.done: Counter[str] = Counter()

    def disturb(self, seed: int, kinds: Iterator[Callable[[Playing, Random], Path | None]]) -> None:
        """One night with a few disturbances; afterwards it is as the quiet one, and no process is left."""
        luck = Random(seed)
        folder = self._area / f"night-{seed}"
        shutil.copytree(self._template, folder)
        known = family.children()
        before = family.adopt_orphans(True)
        bots_killed = 0
        try:
            night = Playing(folder, luck)
            for _ in range(NIGHT):
                if not night.hear(luck.randrange(1, BETWEEN)):
                    break
                select.select([], [], [], luck.random() / 50)
                kind = next(kinds)
                bots_killed += kind is kill_bot
                self.done[kind.__name__] += 1
                go_on = kind(night, luck)
                if go_on is not None:
                    night.end()
                    wait_for_orphans(known)
                    if is_over(go_on):
                        # It came after the last match: to play again would be to begin another night.
                        night.folder = go_on
                        break
                    night = Playing(go_on, luck)
            status = night.end() if night.process.returncode is None else 0
            assert status == 0, f"seed {seed}: the night ended with status {status}"
            wait_for_orphans(known)
        finally:
            send(signal.SIGKILL, list(family.children() - known))
            family.adopt_orphans(before)
        self._compare(seed, night.folder, bots_killed)
        for left in self._area.glob(f"night-{seed}*"):
            shutil.rmtree(left)

    def _compare(self, seed: int, folder: Path, bots_killed: int) -> None:
        with Store.open(folder) as store:
            if store.night_counts(store.night("real")).parked:
                # Two disturbances met the same match: it is played at the end.
                play(folder, rules(reuse=True), 1, lambda _event: None, parked=True)
            assert store.night("real").state is NightState.CLOSED
            assert store.verify("real").holds, f"seed {seed}: the ratings are not those of the matches"
            attempts = Counter(attempt.match_id for attempt in store.attempts("real"))
            matches = store.matches(MatchFilter(league="real"), limit=10_000)
            crashed = {m.match_id for m in matches if any(seat.cause is Cause.CRASHED for seat in m.seats)}
        board, replays = outcome(folder)
        assert replays.keys() == self.quiet[1].keys(), f"seed {seed}: matches are missing or doubled"
        # A bot that dies forfeits, whoever killed it: else bots could undo a lost match. Nothing else may differ.
        assert len(crashed) <= bots_killed
        different = {match_id for match_id, replay in replays.items() if replay != self.quiet[1][match_id]}
        assert different <= crashed, f"seed {seed}: {sorted(different - crashed)} came out differently"
        if not crashed and max(attempts.values(), default=0) < 2:
            assert board == self.quiet[0], f"seed {seed}: the leaderboard differs"


def wait_for_orphans(known: set[int]) -> None:
    """Reap what became our child when its parent was killed; fails when somebody lives on."""
    deadline = time.monotonic() + PATIENCE_S
    while orphans := family.children() - known:
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                descriptor = os.pidfd_open(pid)
                dead = select.select([descriptor], [], [], 10)[0]
                os.close(descriptor)
                assert dead, f"process {pid} lives on: {Path(f'/proc/{pid}/cmdline').read_bytes()!r}"
                os.waitpid(pid, 0)
        assert time.monotonic() < deadline


def kinds_in_turn(seed: int) -> Iterator[Callable[[Playing, Random], Path | None]]:
    """Every kind of disturbance once, in random order, and again."""
    luck = Random(seed)
    while True:
        yield from luck.sample(DISTURBANCES, len(DISTURBANCES))


def main(disturbances: int, seed: int = 1) -> None:
    """Disturb until it is enough; an assertion that fails names the seed of its night."""
    with tempfile.TemporaryDirectory(prefix="arena-chaos-") as area:
        chaos = Chaos(Path(area))
        kinds = kinds_in_turn(seed)
        while chaos.done.total() < disturbances:
            chaos.disturb(seed, kinds)
            seed += 1
            print(f"\r{chaos.done.total()} disturbances, {seed - 1} nights, all exact", end="", flush=True)
        print("\n" + ", ".join(f"{name}: {count}" for name, count in sorted(chaos.done.items())))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
