"""The tools that the arena is measured against, in a separate environment (`make peers`): they need many packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build"
PEERS_PYTHON = BUILD / "peers-venv" / "bin" / "python"
PEERS_NODE = BUILD / "peers-npm"


def measure_peer(script: str, *arguments: str) -> float:
    """Return the number that a script of this folder prints last.

    Raises `FileNotFoundError` if the other tools are not installed.
    """
    if not PEERS_PYTHON.exists():
        raise FileNotFoundError(f"{PEERS_PYTHON} is missing: `make peers` installs what the arena is measured against")
    done = subprocess.run(
        [str(PEERS_PYTHON), str(HERE / script), *arguments], check=True, capture_output=True, text=True
    )
    return float(done.stdout.splitlines()[-1])
