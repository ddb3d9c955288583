"""What tests do on hosts that cannot do everything: say so, and never pass silently for what was not tried."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

import pytest

from arena.errors import UsageError
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe

NEED_SANDBOX = "NEED_SANDBOX"
"""Set where every layer must be there (CI sets it): what could not be tried then fails."""


def confinement(*, engine_folder: str | None = None, runtimes: Sequence[str] = ()) -> Sandbox:
    """The best confinement of this host. Where it has none, the test ends here and its summary says why."""
    try:
        return probe("required", engine_folder=engine_folder, runtimes=runtimes)
    except UsageError as error:
        not_tried(str(error))


def not_tried(reason: str) -> NoReturn:
    """End this test, with the reason in the summary; a failure where everything has to be tried."""
    if os.environ.get(NEED_SANDBOX):
        pytest.fail(f"{NEED_SANDBOX} is set, and {reason}")
    pytest.skip(reason)
