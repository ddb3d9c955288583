"""Games that only benchmarks play; the arena finds them like any installed plug-in."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

OFFERED = {"flat": "benchmarks.games.flat:GAME", "connect_four": "benchmarks.games.connect_four:GAME"}


@cache
def offer_games() -> None:
    """Make the games visible in this process and its forks, like those of an installed package."""
    folder = tempfile.mkdtemp(prefix="arena-benchmark-games-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    metadata = Path(folder, "arena_benchmark_games-1.dist-info")
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-benchmark-games\nVersion: 1\n")
    lines = [f"{key} = {reference}" for key, reference in OFFERED.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[arena.games]", *lines, ""]))
    sys.path.append(folder)
