"""Which programs of the host a bot's command needs, and whether they are there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.linux.programs import host_program, missing_program

SH = str(Path("/bin/sh").resolve())


def script(folder: Path, name: str, line: str, mode: int = 0o755) -> str:
    (folder / name).write_text(f"#!{line}\n")
    (folder / name).chmod(mode)
    return f"./{name}"


def test_a_program_on_the_path_of_bots_is_there() -> None:
    """By its name, or by a path."""
    assert missing_program(("sh", "bot.sh"), "/nowhere") is None
    assert missing_program((SH, "bot.sh"), "/nowhere") is None
    assert host_program(("sh", "bot.sh"), "/nowhere") == "sh"


def test_what_cannot_be_executed_is_missing(tmp_path: Path) -> None:
    """No file, a device in its place, a file without permission."""
    assert missing_program(("no-such-program", "x"), str(tmp_path)) == "no-such-program"
    assert missing_program(("/dev/null", "x"), str(tmp_path)) == "/dev/null"
    assert missing_program(("./bot",), str(tmp_path)) == "./bot"
    assert missing_program((script(tmp_path, "plain", SH, 0o644),), str(tmp_path)) == "./plain"


def test_the_interpreter_of_a_script_is_needed_too(tmp_path: Path) -> None:
    """Also through `env`, and through a script that is the interpreter of another one."""
    folder = str(tmp_path)
    assert missing_program((script(tmp_path, "good", SH),), folder) is None
    assert missing_program((script(tmp_path, "lost", "/usr/bin/no-such-program -w"),), folder) == (
        "/usr/bin/no-such-program"
    )
    assert missing_program((script(tmp_path, "env", "/usr/bin/env no-such-program"),), folder) == "no-such-program"
    assert missing_program(("/usr/bin/env", "-S", "A=1", "no-such-program"), folder) == "no-such-program"
    assert missing_program((script(tmp_path, "again", "./lost"),), folder) == "/usr/bin/no-such-program"
    assert host_program(("./env",), folder) == "no-such-program"
    assert host_program(("./good",), folder) == SH
    assert missing_program((script(tmp_path, "circle", "./circle"),), folder) is None


def test_the_loader_of_a_program_is_needed_too(tmp_path: Path) -> None:
    """A bot's own program is no program of the host; its loader is, and cannot be tried alone."""
    copy = tmp_path / "bot"
    shutil.copy(SH, copy)
    assert missing_program(("./bot",), str(tmp_path)) is None
    assert host_program(("./bot",), str(tmp_path)) is None
    data = copy.read_bytes()
    if (place := data.find(b"/lib")) < 0 or b"ld-" not in data[place : place + 64]:
        pytest.skip("the shell of this host has no loader of its own")
    copy.write_bytes(data[:place] + b"/LIB" + data[place + 4 :])
    missing = missing_program(("./bot",), str(tmp_path))
    assert missing is not None and missing.startswith("/LIB")


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 200, b"#!", b"#!\xff\n"])
def test_odd_files_are_no_trouble(tmp_path: Path, content: bytes) -> None:
    """A bot may contain anything."""
    (tmp_path / "bot").write_bytes(content)
    (tmp_path / "bot").chmod(0o755)
    missing_program(("./bot",), str(tmp_path))
    host_program(("./bot",), str(tmp_path))
