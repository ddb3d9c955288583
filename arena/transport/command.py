"""Run one sandboxed command to its end, as builds and probes need it: with a time limit and limited output."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.linux.programs import host_program, missing_program
from arena.transport.base import EndCause, EndOfOutput, HeadAndTail, Launch, LineTooLong
from arena.transport.process import BotProcess

EXEC_FAILED: Final = (126, 127)
"""Exit codes of the sandbox's tools if they cannot execute the command. A program can exit with the same codes."""
_TRY_S: Final = 3.0
"""Longest run of a host's program alone. A program that runs longer can be executed."""
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


def cannot_execute(launch: Launch) -> str | None:
    """Return the program that keeps this host from running a bot's command, with the reason; None if there is none.

    Ask when a bot ended with a status of `EXEC_FAILED` before it answered. The bot may have chosen that status itself.
    So this runs the host's program alone, in an empty folder and without any file of the bot.
    """
    missing = missing_program(launch.command, launch.folder)
    if missing is not None:
        return f"{missing} is missing or cannot be executed"
    program = host_program(launch.command, launch.folder)
    if program is None:
        return None
    with tempfile.TemporaryDirectory(prefix="arena-") as empty:
        Path(empty).chmod(0o755)  # bots may run under another user
        tried = run_to_end(replace(launch, command=(program,), folder=empty), limit_s=_TRY_S)
    if tried.status not in EXEC_FAILED:
        return None
    return f"{program} cannot be executed: {tried.errors.strip()}"
