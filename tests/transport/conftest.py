"""Fixtures for tests of the transport: sandboxes and a folder for temporary files."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

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


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that all may write, as /tmp is."""
    place = tmp_path / "tmp"
    place.mkdir()
    place.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place
