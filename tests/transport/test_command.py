"""Tests of commands that run to their end."""

from __future__ import annotations

from arena.sandbox.launcher import Sandbox
from arena.transport.base import (
    Launch,
)
from arena.transport.command import run_to_end


def test_a_command_is_run_to_its_end(sandbox: Sandbox) -> None:
    """Input, output, errors and status of a build or a probe."""
    done = run_to_end(
        Launch(("sh", "-c", "cat; echo oops >&2; exit 3"), "/usr", sandbox), limit_s=10.0, given=b"in" * 100_000
    )
    assert done.status == 3
    assert done.output.startswith("inin")
    assert done.errors == "oops\n"


def test_a_command_is_stopped_at_its_limit(bare: Sandbox) -> None:
    """No status, and what it wrote so far."""
    done = run_to_end(Launch(("sh", "-c", "echo begun; sleep 60"), "/usr", bare), limit_s=0.1)
    assert (done.status, done.output) == (None, "begun\n")
