"""Promise of `traces`: it sees what a process leaves on this host, and not what a living one has."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.sandbox.probe import probe
from tests.support.bench import traces

MAKE = """
import ctypes
import sys
libc = ctypes.CDLL(None)
segment = libc.shmget(0, 4096, 0o1600)
assert segment >= 0
for path in sys.argv[1:]:
    open(path, "w").close()
print(segment, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def left() -> Iterator[tuple[Path, Path]]:
    """The paths of a file in the memory of the host and of a mark; nothing is there afterwards."""
    name = uuid.uuid4().hex
    paths = Path("/dev/shm", f"left-{name}"), Path("/var/tmp", f".written-by-{name}")
    yield paths
    for path in paths:
        path.unlink()


def test_remains_are_seen_as_soon_as_their_maker_has_ended(left: tuple[Path, Path]) -> None:
    """Files count at once. Memory of System V counts when nobody is there any more who could remove it."""
    sandbox = probe("off")
    before = traces(sandbox)
    command = [sys.executable, "-I", "-c", MAKE, *map(str, left)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as maker:
        assert maker.stdin is not None and maker.stdout is not None
        segment = maker.stdout.readline().strip()
        living = traces(sandbox)
        maker.stdin.close()
    after = traces(sandbox)
    subprocess.run(["ipcrm", "-m", segment], check=True)
    changed = {what for what in before if before[what] != after[what]}
    assert changed == {"shared memory", "named memory", "marks of bots"}
    assert living["shared memory"] == before["shared memory"]
