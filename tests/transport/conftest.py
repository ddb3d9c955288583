"""Each way in which a bot's processes are held together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.sandbox.cgroups import CgroupHost
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe


@pytest.fixture(scope="module", params=["confined", "confined, no cgroups", "bare", "bare, no cgroups"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each way in which a bot's family is held together."""
    found = probe("auto" if request.param.startswith("confined") else "off")
    return replace(found, cgroups=CgroupHost()) if "no cgroups" in request.param else found


@pytest.fixture(scope="module")
def bare() -> Sandbox:
    """The quickest start."""
    return probe("off")
