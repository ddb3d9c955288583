"""Disturb nights of real bots at random times in every known way, and compare their results.

Half of the nights use the best sandbox of this host, half use only resource limits. Half of each are on their own small
disk, if this user may mount one. Half of these start their bots again for each match.

`python -m tests.night.chaos 1000` (`make chaos`) does it a thousand times. Fixed seeds decide each disturbance and its
time, in matches done and thousandths of a second; the exact time depends on the machine.
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
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from arena.linux import proc, subreaper
from arena.linux.proc import status_of
from arena.model.causes import Cause
from arena.sandbox.probe import probe
from arena.store.store import Store
from arena.store.values import MatchFilter, NightState
from tests.support.real_night import ROOT, Mode, outcome, play, prepare, rules
from tests.support.small_disk import fill, small_disk

SCRIPT = "import sys; sys.path[:0] = {path!r}; from tests.night.chaos import play_on; play_on(*sys.argv[1:])"
MODES: tuple[Mode, Mode] = ("auto", "off")
NIGHT = 4
"""So many disturbances, then the night is left in peace until its end."""
BETWEEN = 9
"""At most so many matches from one disturbance to the next."""
PATIENCE_S = 60
DISK = 8 << 20
"""A home has a third of a megabyte; there may be some copies of it."""
JUMP_S = 1e6
PROOF = {"namespaces", "seccomp", "total-memory-limit"}
"""Where these layers are in force, the arena can tell a bot that was killed from one that ended itself."""

Outcome = tuple[str, dict[str, bytes]]


@contextlib.contextmanager
def jumping_wall_clock(luck: Random) -> Iterator[None]:
    """Whenever this process, or one that it forks, asks what time it is, that is another day of three weeks."""
    true_time, true_time_ns = time.time, time.time_ns
    time.time = lambda: true_time() + luck.uniform(-JUMP_S, JUMP_S)
    time.time_ns = lambda: int(time.time() * 1e9)
    try:
        yield
    finally:
        time.time, time.time_ns = true_time, true_time_ns


def play_on(folder: str, mode: Mode, reuse: str, workers: str, seed: str, parked: str) -> None:
    """In a process of its own: play or go on with the night of a home, a byte on stdout for every event; the wall clock
    jumps about all the time."""

    def report(_event: object) -> None:
        os.write(1, b".")

    with jumping_wall_clock(Random(seed)):
        play(Path(folder), rules(reuse=bool(reuse)), int(workers), report, mode=mode, parked=bool(parked))


@dataclass
class Setting:
    """Where and how a night is played, and what became of it so far."""

    folder: Path
    mode: Mode
    reuse: bool
    """Whether bots stay for another match."""
    proven: bool
    """Whether the arena can prove that others killed a bot."""
    disk: Path | None
    """The disk on which the folder lies, if that is one that may be filled."""
    may_crash: int = 0
    """So many bots were killed where that may be no different from a crash."""


class Playing:
    """A night that is being played by another process."""

    def __init__(self, setting: Setting, luck: Random, *, parked: bool = False) -> None:
        self.setting = setting
        self.folder = setting.folder
        code = SCRIPT.format(path=[str(ROOT), *sys.path])
        command = [sys.executable, "-c", code, str(setting.folder), setting.mode, "reuse" if setting.reuse else ""]
        command += [str(luck.choice([1, 2])), str(luck.random()), "parked" if parked else ""]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, bufsize=0
        )

    def hear(self, events: int) -> bool:
        """Wait until so many more things have happened; False when the night ended before."""
        assert self.process.stdout is not None
        return all(self.process.stdout.read(1) for _ in range(events))

    def family(self) -> list[list[int]]:
        """The process; its workers; everything below them."""
        night = self.process.pid
        living = [status for pid in proc.descendants(night) if (status := status_of(pid)) is not None]
        # It began a session, which its workers are in and no bot is, not even one whose worker has died.
        workers = [process.pid for process in living if (process.parent, process.session) == (night, night)]
        return [[night], workers, [process.pid for process in living if process.pid not in workers]]

    def end(self) -> int:
        """Hear it to its end; its exit status."""
        self.errors = self.process.communicate(timeout=PATIENCE_S)[1].decode(errors="replace")
        return self.process.returncode


def is_over(folder: Path) -> bool:
    """Whether the night of this home was played to its end."""
    with Store.open(folder) as store:
        if not store.has_league("real") or store.open_night("real") is not None:
            return False
        return store.count_matches(MatchFilter(league="real")) > 0


def stopped(pid: int) -> bool:
    """Whether a process is stopped by a signal."""
    status = status_of(pid)
    return status is not None and status.state == "T"


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
    """Where nothing proves that others did it, its death is a crash: else bots could undo a match that they lose.

    Where there is proof the match is void; without it the bot has crashed, unless it had not greeted yet and is started
    again. That moment is not known here, so without proof it may have crashed or not.
    """
    bots = night.family()[2]
    if bots:
        night.setting.may_crash += not night.setting.proven
        send(signal.SIGKILL, [luck.choice(bots)])
    return None


def suspend(night: Playing, luck: Random) -> Path | None:
    """As when a laptop is closed, for a moment or for longer than the referee trusts its clock.

    A bot to which the arena has sent its stop, but which has not taken it yet, counts as running: it goes on by this,
    as it would not after a lid was closed.
    """
    halted = []
    for generation in night.family():
        # Who was stopped before, by the arena, must not go on by this.
        running = [pid for pid in generation if not stopped(pid)]
        send(signal.SIGSTOP, running)
        halted.append(running)
    select.select([], [], [], luck.choice([0.05, 0.3, 1.3]))
    for generation in reversed(halted):
        send(signal.SIGCONT, generation)
    return None


def fill_disk(night: Playing, luck: Random) -> Path | None:
    """There is no space any more but for a few kilobytes; on a disk that others use, no file may grow any further."""
    left = luck.randrange(30_000)
    if night.setting.disk is not None:
        filler = night.setting.disk / "filler"
        fill(filler, left)
        night.end()
        filler.unlink()
        return night.folder
    limit = max(file.stat().st_size for file in night.folder.glob("arena.db*")) + left
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


Disturbance: TypeAlias = Callable[[Playing, Random], Path | None]
DISTURBANCES: tuple[Disturbance, ...] = (
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
        self._proven: dict[Mode, bool] = {}
        self._quiet: dict[Mode, Outcome] = {}
        for mode in MODES:
            self._proven[mode] = set(probe(mode).layers) >= PROOF
            quiet = area / f"quiet-{mode}"
            shutil.copytree(self._template, quiet)
            assert play(quiet, rules(reuse=True), 1, lambda _event: None, mode=mode).finished
            self._quiet[mode] = outcome(quiet)
        self.done: Counter[tuple[str, Mode, bool]] = Counter()
        """Kind of disturbance, how the bots were confined, and whether it was on a small disk."""

    def disturb(self, seed: int, kinds: Iterator[Disturbance]) -> None:
        """One night with a few disturbances; afterwards it is as the quiet one, and no process is left."""
        place = self._area / f"night-{seed}"
        mode = MODES[seed % 2]
        with small_disk(place, DISK) if seed // 2 % 2 else contextlib.nullcontext(False) as mounted:
            folder = place / "home"
            shutil.copytree(self._template, folder)
            setting = Setting(folder, mode, not seed // 4 % 2, self._proven[mode], place if mounted else None)
            self._play(seed, setting, kinds)
            self._compare(seed, setting)
        shutil.rmtree(place)

    def _play(self, seed: int, setting: Setting, kinds: Iterator[Disturbance]) -> None:
        """Play it, disturb it, and go on until its end."""
        luck = Random(seed)
        known = subreaper.children()
        before = subreaper.adopt_orphans(True)
        try:
            night = Playing(setting, luck)
            for _ in range(NIGHT):
                if not night.hear(luck.randrange(1, BETWEEN)):
                    break
                select.select([], [], [], luck.random() / 50)
                kind = next(kinds)
                self.done[kind.__name__, setting.mode, setting.disk is not None] += 1
                go_on = kind(night, luck)
                if go_on is not None:
                    night.end()
                    wait_for_orphans(known)
                    setting.folder = go_on
                    if is_over(go_on):
                        break  # It came after the last match: to play again would be to begin another night.
                    night = Playing(setting, luck)
            status = night.end() if night.process.returncode is None else 0
            assert status == 0, f"seed {seed}: the night ended with status {status}\n{night.errors}"
            if has_parked(setting.folder):
                # Two disturbances met the same match: it is played at the end.
                assert Playing(setting, luck, parked=True).end() == 0
            wait_for_orphans(known)
        finally:
            send(signal.SIGKILL, list(subreaper.children() - known))
            subreaper.adopt_orphans(before)

    def _compare(self, seed: int, setting: Setting) -> None:
        with Store.open(setting.folder) as store:
            assert store.night("real").state is NightState.CLOSED
            assert store.verify("real").holds, f"seed {seed}: the ratings are not those of the matches"
            attempts = Counter(attempt.match_id for attempt in store.attempts("real"))
            matches = store.matches(MatchFilter(league="real"), limit=10_000)
            crashed = {m.match_id for m in matches if any(seat.cause is Cause.CRASHED for seat in m.seats)}
        board, replays = outcome(setting.folder)
        quiet_board, quiet = self._quiet[setting.mode]
        assert replays.keys() == quiet.keys(), f"seed {seed}: matches are missing or doubled"
        # See `kill_bot` for who may crash. Nothing else may differ.
        assert len(crashed) <= setting.may_crash, f"seed {seed}: {sorted(crashed)} crashed"
        different = {match_id for match_id, replay in replays.items() if replay != quiet[match_id]}
        assert different <= crashed, f"seed {seed}: {sorted(different - crashed)} came out differently"
        if not crashed and max(attempts.values(), default=0) < 2:
            assert board == quiet_board, f"seed {seed}: the leaderboard differs"


def has_parked(folder: Path) -> bool:
    """Whether matches of the night of this home were set aside."""
    with Store.open(folder) as store:
        return store.night_counts(store.night("real")).parked > 0


def wait_for_orphans(known: set[int]) -> None:
    """Reap what became our child when its parent was killed; fails when somebody lives on."""
    deadline = time.monotonic() + PATIENCE_S
    while adopted := subreaper.children() - known:
        for pid in subreaper.reap(adopted, 10):
            with contextlib.suppress(FileNotFoundError):
                # A sandbox's monitor that is killed in its first moments leaves a process that waits for it for ever;
                # the next arena command ends that, as this does. A bot that came to run has left at the end of input.
                name = Path(f"/proc/{pid}/comm").read_text().strip()
                assert name == "bwrap", f"process {pid} lives on: {Path(f'/proc/{pid}/cmdline').read_bytes()!r}"
                probe("auto")
        assert time.monotonic() < deadline


def kinds_in_turn(seed: int) -> Iterator[Disturbance]:
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
        print()
        for (name, mode, small), count in sorted(chaos.done.items()):
            print(f"{name:12} {mode:5} {'small disk' if small else 'usual disk'} {count:4}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
