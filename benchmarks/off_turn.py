"""Measure the CPU time that a bot gets during its opponents' turns, as a share of their time.

Each bot tries to compute after its answer, in a different way. The opponent is a pause of constant length. The CPU time
of all processes of the bot is read from the scheduler's counters before and after each pause.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from arena.errors import ArenaFault
from arena.linux import proc
from arena.match.session import Session
from arena.model.records import Program
from arena.model.rules import LeagueRules
from arena.protocol.messages import encode
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe

HELD = 0.01
"""Largest share of its opponents' time that a sandboxed bot may use."""
PAUSE_S = 0.02
"""The cap of `benchmarks.fairness`. In a short pause, CPU time at its beginning is a larger share."""
TURNS = 50
FOLDER = Path(__file__).parent.parent / "tests" / "faulty_bots"
BOTS = (
    ("a thread", "thinks_off_turn.py"),
    ("a child", "helper_thinks_off_turn.py"),
    ("a grandchild that leaves the session", "escaped_helper_thinks_off_turn.py"),
    ("children that are always replaced", "successors_think_off_turn.py"),
    ("a timer that wakes it", "wakes_itself_by_a_timer.py"),
    ("a child whose end wakes it", "wakes_itself_by_a_child.py"),
    ("a parent whose end wakes its child", "wakes_itself_by_a_parent.py"),
    ("a pipe whose end wakes it", "wakes_itself_by_a_pipe.py"),
    ("a terminal whose end wakes it", "wakes_itself_by_a_terminal.py"),
    ("a thread, while its main thread cannot receive signals", "vforks_and_thinks.py"),
    ("children that wake each other", "children_wake_each_other.py"),
)


def run() -> None:
    """Print the table. Raises `ArenaFault` if the share of a sandboxed bot is above the limit."""
    print("\n### CPU time of a bot in its opponents' turns\n\n| it computes by | sandboxed | not sandboxed |")
    print("|---|---|---|")
    worst = 0.0
    sandboxes = [probe("auto"), probe("off")]
    for words, file in BOTS:
        shares = [share(file, sandbox) for sandbox in sandboxes]
        if sandboxes[0].confined:
            worst = max(worst, shares[0])
        print(f"| {words} | {shares[0]:.2%} | {shares[1]:.2%} |")
    if not sandboxes[0].confined:
        print("\nthis host supports no sandbox: both columns are without one")
    if worst > HELD:
        raise ArenaFault(f"a sandboxed bot used {worst:.2%} of its opponents' time: expected at most {HELD:.0%}")


def share(file: str, sandbox: Sandbox, turns: int = TURNS, pause_s: float = PAUSE_S) -> float:
    """Return the share of its opponents' time in which this bot computed; it can exceed 1 on several cores."""
    rules = LeagueRules(name="off_turn", game="burn_my_village", time_control="1000+0/10")
    taken_s = used_s = 0.0
    with tempfile.TemporaryDirectory() as home:
        # Use a new folder for each bot: the arena remembers which programs it has found computing.
        folder = shutil.copytree(FOLDER, Path(home, "bots"))
        Path(home).chmod(0o755)
        program = Program(Path(file).stem, 1, "nobody", "0" * 32, str(folder), ("python3", file))
        session = Session.launch(program, encode({"type": "hello"}) + b"\n", rules, sandbox)
        try:
            session.greet()
            for turn in range(turns):
                message = encode({"type": "turn", "turn": turn, "legal": [{"type": "pass"}]}) + b"\n"
                session.ask(message, turn=turn, limit_s=10.0)
                before, begun = processor_time(), time.perf_counter()
                time.sleep(pause_s)
                used_s += processor_time() - before
                taken_s += time.perf_counter() - begun
        finally:
            session.close(polite=False)
    return used_s / taken_s


def processor_time() -> float:
    """Return the seconds of CPU time of all descendants of this process so far."""
    total = 0
    for pid in proc.descendants(os.getpid()):
        for count in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            try:
                total += int(count.read_bytes().split()[0])
            except (OSError, IndexError):
                continue
    return total / 1e9
