"""The bots of the benchmarks, and their commands."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from arena.model.records import Program

STARTER = Path(__file__).parents[2] / "arena" / "submission" / "starters" / "python" / "bot.py"
"""The starter that `arena new` writes: it reads each message with `json.loads`, chooses, prints and flushes."""
HERE = Path(__file__).parent


@cache
def public_folder() -> Path:
    """Return a new folder that every user of this machine may read, because bots run as another user."""
    folder = Path(tempfile.mkdtemp(prefix="arena-benchmark-bots-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def python_bot(name: str = "starter") -> Program:
    """Return the starter bot in Python, or a bot of this folder by its file name without `.py`."""
    folder = public_folder() / name
    folder.mkdir()
    shutil.copy(STARTER if name == "starter" else HERE / f"{name}.py", folder / "bot.py")
    return Program(name, 1, "benchmark", "0" * 40, str(folder), ("python3", "bot.py"))


@cache
def c_bot() -> Program:
    """Compile and return the bot in C."""
    folder = public_folder() / "c_bot"
    folder.mkdir()
    subprocess.run(["cc", "-O2", "-o", str(folder / "bot"), str(HERE / "c_bot.c")], check=True)
    return Program("c_bot", 1, "benchmark", "0" * 40, str(folder), ("./bot",))
