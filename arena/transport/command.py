"""One command run to its end, for builds and probes: confined, with a time limit, its output kept in part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.transport.base import EndOfOutput, HeadAndTail, Launch, LineTooLong
from arena.transport.process import ProcessTransport

_LOOK_S: Final = 0.25
"""How often it is asked whether a command may go on."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended."""

    status: int | None
    """Exit code (128 + signal in a sandbox); None when it was stopped at its time limit or could not be run."""
    output: str
    """Head and tail of its standard output, undecodable bytes escaped."""
    errors: str
    """The same of its standard error."""
    cpu_s: float


def run_to_end(
    launch: Launch, *, limit_s: float, given: bytes = b"", forbidden: Callable[[], bool] | None = None
) -> Finished:
    """Run the command with that standard input and return how it ended; no process of it is left.

    `forbidden` is asked now and then whether it has to be stopped before its time. Raises `ArenaFault` when it cannot
    even be started.
    """
    transport = ProcessTransport(launch)
    output = HeadAndTail()
    in_time = False
    try:
        transport.send(given)
        transport.end_input()
        _gather(transport, output, transport.clock() + limit_s, forbidden or (lambda: False))
    except EndOfOutput as end:
        in_time = not end.alive
        output.add(transport.take_waiting())
    finally:
        ending = transport.close(polite=False)
    return Finished(
        status=ending.exit_status if in_time and not transport.sandbox_failed() else None,
        output=output.read().decode(errors="backslashreplace"),
        errors=ending.stderr.decode(errors="backslashreplace"),
        cpu_s=ending.cpu_s,
    )


def _gather(transport: ProcessTransport, output: HeadAndTail, deadline: float, forbidden: Callable[[], bool]) -> None:
    """Collect the output up to the deadline. Raises `EndOfOutput` when it ends before."""
    look = transport.clock() + _LOOK_S
    while (now := transport.clock()) < deadline:
        if now >= look:
            if forbidden():
                break
            look = transport.clock() + _LOOK_S
        try:
            line = transport.wait(min(deadline, look))
        except LineTooLong:
            output.add(transport.take_waiting())
            continue
        if line is not None:
            output.add(line + b"\n")
    output.add(transport.take_waiting())
