"""Skip tests that this host cannot run, with a reason, so that they never pass silently."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

import pytest

from arena.errors import UsageError
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe

NEED_SANDBOX = "NEED_SANDBOX"
"""Environment variable of hosts that must have every layer, as CI sets it: tests then fail instead of being skipped."""


def confinement(*, engine_folder: str | None = None, runtimes: Sequence[str] = ()) -> Sandbox:
    """Return the best sandbox of this host. If it has none, skip the test and report the reason."""
    try:
        return probe("required", engine_folder=engine_folder, runtimes=runtimes)
    except UsageError as error:
        not_tried(str(error))


def not_tried(reason: str) -> NoReturn:
    """Skip this test with a reason, or fail it if this host must have every layer."""
    if os.environ.get(NEED_SANDBOX):
        pytest.fail(f"{NEED_SANDBOX} is set, and {reason}")
    pytest.skip(reason)
