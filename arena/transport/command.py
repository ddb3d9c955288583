"""Run one sandboxed command to its end, as builds and probes need it: with a time limit and limited output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.transport.base import EndCause, EndOfOutput, HeadAndTail, Launch, LineTooLong
from arena.transport.process import BotProcess

_LOOK_S: Final = 0.25
"""Time between two checks whether the command may continue."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended."""

    status: int | None
    """Exit code (128 + signal in a sandbox); None if the command was stopped early or could not be run."""
    output: str
    """Head and tail of the standard output, with undecodable bytes escaped."""
    errors: str
    """Head and tail of the standard error, with undecodable bytes escaped."""
    cpu_s: float


def run_to_end(
    launch: Launch, *, limit_s: float, given: bytes = b"", forbidden: Callable[[], bool] | None = None
) -> Finished:
    """Run the command with this standard input, and return how it ended. No process of the command is left.

    `forbidden` is called every quarter of a second. If it returns True, the command is stopped before its time limit.
    Raises `ArenaFault` if the command cannot be started.
    """
    process = BotProcess(launch)
    output = HeadAndTail()
    in_time = False
    try:
        process.send(given)
        process.end_input()
        _gather(process, output, process.clock() + limit_s, forbidden or (lambda: False))
    except EndOfOutput as ended:
        in_time = not ended.alive
        output.add(process.take_waiting())
    finally:
        end = process.close(polite=False)
    return Finished(
        status=end.exit_status if in_time and end.cause is not EndCause.SANDBOX_FAILED else None,
        output=output.read().decode(errors="backslashreplace"),
        errors=end.stderr.decode(errors="backslashreplace"),
        cpu_s=end.cpu_s,
    )


def _gather(process: BotProcess, output: HeadAndTail, deadline: float, forbidden: Callable[[], bool]) -> None:
    """Collect the output until the deadline. Raises `EndOfOutput` if the output ends earlier."""
    look = process.clock() + _LOOK_S
    while (now := process.clock()) < deadline:
        if now >= look:
            if forbidden():
                break
            look = process.clock() + _LOOK_S
        try:
            line = process.wait(min(deadline, look))
        except LineTooLong:
            output.add(process.take_waiting())
            continue
        if line is not None:
            output.add(line + b"\n")
    output.add(process.take_waiting())
