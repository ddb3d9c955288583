"""Run the build command of a submission, or compile its Python files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import SubmissionRefused
from arena.submission import copying, folders
from arena.text.hints import build_hint
from arena.text.sanitize import terminal
from arena.transport.base import Confinement, Launch, Limits
from arena.transport.command import Finished, run_to_end

BUILD_LIMITS: Final = Limits(memory_mb=2048, processes=256, scratch_mb=512, open_files=1024, file_mb=512)
"""The limits of a build: a compiler needs more than the bot that it builds."""
BUILD_S: Final = 120.0
"""Maximum seconds of a build."""
_QUOTED_LINES = 12


@dataclass(frozen=True, slots=True)
class Build:
    """One command to run in a writable copy of a submission."""

    command: tuple[str, ...]
    folder: Path
    confinement: Confinement
    limit_s: float = BUILD_S
    must_succeed: bool = True


def run_build(build: Build) -> None:
    """Run the command to its end. Afterwards none of its processes runs.

    Raises `SubmissionRefused` with its last lines of output if it fails or takes too long and `must_succeed` is set.
    Raises it in any case if the result has files that a submission must not have, or too many. The caller must then
    remove the folder.
    """
    launch = Launch(build.command, str(build.folder), build.confinement, BUILD_LIMITS, writable=True)
    # The folder is on the host's disk, where no process limit restricts the number of files.
    done = run_to_end(launch, limit_s=build.limit_s, forbidden=lambda: folders.outgrows(build.folder, copying.BUILT))
    copying.check_folder(build.folder)
    folders.take_back(build.folder)
    if build.must_succeed and done.status is None:
        raise SubmissionRefused(f"the build was stopped after {build.limit_s:g} s{_tail(done)}")
    if build.must_succeed and done.status != 0:
        raise SubmissionRefused(f"the build failed with exit status {done.status}{_tail(done)}")


def _tail(done: Finished) -> str:
    lines = (done.output + done.errors).splitlines()[-_QUOTED_LINES:]
    if not lines:
        return ", without printing anything"
    advice = build_hint(done.output + done.errors)
    told = "".join(f"\n  {terminal(line, 200)}" for line in lines)
    return ", after printing:" + told + (f"\nhint: {advice}" if advice else "")
