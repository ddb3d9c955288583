"""Look for false verdicts: bots that are called late for time in which other programs used the CPU.

Two processes that compute without end load each core. On every core at once, a session asks a bot turn after turn with
a cap of 20 ms. The session is pinned to that core, as in a night, or free to move, as in `arena play`. A bot that uses
10 ms of CPU time must be in time at every turn, although its answer takes about three times as long. A bot that uses
40 ms must be late at every turn, although it could blame the load.

    python -m benchmarks.fairness [TURNS_IN_TIME [TURNS_LATE]]
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import quantiles

from arena.match.session import Session
from arena.model.rules import LeagueRules
from arena.protocol.messages import encode
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from benchmarks.bots import python_bot
from benchmarks.measure import describe_machine

CAP_S = 0.020
IN_TIME_S = 0.010
LATE_S = 0.040
BURNERS = 2
"""Number of processes that compute without end on each core, beside the bot."""
WINDOW_S = 2.0
"""Late answers are still read for this time, so that one process serves all turns of a case."""


@dataclass(frozen=True, slots=True)
class Case:
    """A number of turns of one kind."""

    name: str
    way: str
    seconds: float
    turns: int
    late: bool
    """Whether every turn must be late; otherwise every turn must be in time."""
    pinned: bool = True
    """Whether the session itself is pinned to one core, as in a night."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The results of a case."""

    case: Case
    late: int
    wall_s: tuple[float, ...]
    charged_s: tuple[float, ...]
    evidence: str

    @property
    def false(self) -> int:
        """Number of turns with a wrong verdict."""
        return self.case.turns - self.late if self.case.late else self.late


def cases(in_time: int, late: int) -> list[Case]:
    """Return the cases that must not have a single false verdict."""
    return [
        Case("10 ms in one thread", "one thread", IN_TIME_S, in_time, late=False),
        Case("40 ms in one thread", "one thread", LATE_S, late, late=True),
    ]


def judge(wanted: Sequence[Case], sandbox: Sandbox | None = None) -> list[Verdicts]:
    """Play every case on all cores at once, with `BURNERS` processes on each, and return the results."""
    confinement = sandbox or probe("auto")
    cores = sorted(os.sched_getaffinity(0))
    context = multiprocessing.get_context("fork")
    with loaded(cores):
        results = []
        for case in wanted:
            python_bot("burner")  # create its folder before the fork, so that all processes share it
            jobs = []
            for number, core in enumerate(cores):
                turns = case.turns // len(cores) + (number < case.turns % len(cores))
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_serve, args=(theirs, case, turns, core, confinement))
                process.start()
                theirs.close()
                jobs.append((process, ours))
            parts = []
            for process, ours in jobs:
                parts.append(ours.recv())
                process.join()
                ours.close()
            results.append(
                Verdicts(
                    case,
                    late=sum(part[0] for part in parts),
                    wall_s=tuple(value for part in parts for value in part[1]),
                    charged_s=tuple(value for part in parts for value in part[2]),
                    evidence=parts[0][3],
                )
            )
    return results


@contextlib.contextmanager
def loaded(cores: Sequence[int]) -> Iterator[None]:
    """Load each core with processes that compute without end, each in its own kernel session."""
    burners = []
    try:
        for core in cores:
            code = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
            burners += [subprocess.Popen([sys.executable, "-c", code], start_new_session=True) for _ in range(BURNERS)]
        yield
    finally:
        for burner in burners:
            burner.kill()
        for burner in burners:
            burner.wait()


def _serve(pipe, case: Case, turns: int, core: int, sandbox: Sandbox) -> None:  # type: ignore[no-untyped-def]
    """Play one core's part of a case, in a separate process."""
    if case.pinned:
        os.sched_setaffinity(0, {core})
    rules = LeagueRules(name="fairness", game="burn_my_village", time_control="1000+1/1", strikes=1)
    session = Session.launch(python_bot("burner"), encode({"type": "hello"}) + b"\n", rules, sandbox)
    late, walls, charged, evidence = 0, [], [], ""
    try:
        session.greet()
        for turn in range(turns):
            message = encode({"type": "turn", "turn": turn, "way": case.way, "seconds": case.seconds}) + b"\n"
            heard = session.ask(message, turn=turn, limit_s=CAP_S, strike_window_s=WINDOW_S)
            late += heard.answer is None
            walls.append(heard.times.wall_s)
            charged.append(heard.times.charged_s)
            evidence = heard.times.evidence
    finally:
        session.close(polite=False)
    pipe.send((late, walls, charged, evidence))
    pipe.close()
    os._exit(0)


def show(results: Sequence[Verdicts]) -> None:
    """Print one Markdown table."""
    print(f"\n| bot uses | turns | late | false verdicts | wall (median, p99, max ms) | charged (the same) |"
          f" evidence |\n|{'---|' * 7}")  # fmt: skip
    for found in results:
        row = [found.case.name, f"{found.case.turns:,}", f"{found.late:,}", f"{found.false:,}"]
        row += [_spread(found.wall_s), _spread(found.charged_s), found.evidence]
        print(f"| {' | '.join(row)} |")


def _spread(values: Sequence[float]) -> str:
    cuts = quantiles(values, n=100)
    return ", ".join(f"{value * 1000:.1f}" for value in (cuts[49], cuts[98], max(values)))


def run(in_time: int = 10_000, late: int = 1_000) -> int:
    """Print the results, and return 1 if a case that must not have a false verdict has one."""
    print(describe_machine())
    must = judge(cases(in_time, late))
    also = judge(
        [
            Case("10 ms in four threads", "four threads", IN_TIME_S, late, late=False),
            Case("10 ms in a child", "a child", IN_TIME_S, late, late=False),
            Case("40 ms in a child", "a child", LATE_S, max(late // 5, 1), late=True),
            Case("40 ms asleep", "sleeping", LATE_S, max(late // 5, 1), late=True),
            Case("10 ms in four threads, arena not pinned", "four threads", IN_TIME_S, late, late=False, pinned=False),
            Case("10 ms in a child, arena not pinned", "a child", IN_TIME_S, late, late=False, pinned=False),
        ]
    )
    show([*must, *also])
    return int(any(found.false for found in must))


if __name__ == "__main__":
    raise SystemExit(run(*map(int, sys.argv[1:])))
