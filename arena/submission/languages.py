"""How to run a submitted file: by its extension, its `#!` line, or itself; and whether this host can run it."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from arena.errors import RuntimeMissing, SubmissionRefused
from arena.linux.programs import BOT_PATH
from arena.submission.manifest import refuse_outside
from arena.text.hints import missing_program_hint
from arena.text.sanitize import quoted, terminal


@dataclass(frozen=True, slots=True)
class Runtime:
    """One language: its file extensions and the commands that run or build a file."""

    language: str
    extensions: tuple[str, ...]
    run: tuple[str, ...]
    """Arguments of the command; `{file}` is the submitted file, `{program}` the result of the build."""
    package: str
    """Debian package that contains the command."""
    build: tuple[str, ...] = ()
    """Arguments of the build command; empty if nothing is built."""


RUNTIMES: Final = (
    Runtime("python", (".py",), ("python3", "{file}"), "python3"),
    Runtime("javascript", (".js", ".mjs", ".cjs"), ("node", "{file}"), "nodejs"),
    Runtime("shell", (".sh",), ("sh", "{file}"), "dash"),
    Runtime("bash", (".bash",), ("bash", "{file}"), "bash"),
    Runtime("perl", (".pl",), ("perl", "{file}"), "perl"),
    Runtime("ruby", (".rb",), ("ruby", "{file}"), "ruby"),
    Runtime("lua", (".lua",), ("lua", "{file}"), "lua5.4"),
    Runtime("php", (".php",), ("php", "{file}"), "php-cli"),
    Runtime("java", (".java",), ("java", "{file}"), "default-jdk-headless"),
    Runtime("c", (".c",), ("./{program}",), "gcc", ("gcc", "-O2", "-std=c17", "-o", "{program}", "{file}", "-lm")),
    Runtime("c++", (".cpp", ".cc", ".cxx"), ("./{program}",), "g++", ("g++", "-O2", "-o", "{program}", "{file}")),
    Runtime("rust", (".rs",), ("./{program}",), "rustc", ("rustc", "-O", "-o", "{program}", "{file}")),
    Runtime("go", (".go",), ("./{program}",), "golang-go", ("go", "build", "-o", "{program}", "{file}")),
)
"""Every language in which a single file needs no further information to run."""

ARCHIVES: Final = frozenset((".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar"))
_ARCHIVE_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")

_PACKAGES = {
    arguments[0]: runtime.package for runtime in RUNTIMES for arguments in (runtime.build, runtime.run) if arguments
}


_NO_PROGRAMS: Final = (("proc",), ("sys",), ("dev",), ("tmp",))
"""Top folders that must not hold the program of a bot: in the sandbox their content is different or missing."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_SHELLS: Final = ("sh", "bash", "dash", "ksh", "zsh")
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Recipe:
    """The commands that build and run one submission, with arguments relative to its folder."""

    run: tuple[str, ...]
    build: tuple[str, ...] = ()


def recipe_for(file: str, head: bytes, executable: bool, shown: str = "") -> Recipe:
    """Return how to run a single file: by its extension, then by its `#!` line, then as an executable program.

    `head` is the start of its content, `executable` its permission to execute, and `shown` the name that its author
    knows. Raises `SubmissionRefused`.

    >>> recipe_for("mybot.py", b"import json", False)
    Recipe(run=('python3', 'mybot.py'), build=())
    >>> recipe_for("mybot", b"#!/usr/bin/env -S perl -w", False)
    Recipe(run=('perl', '-w', 'mybot'), build=())
    """
    path = PurePosixPath(file)
    shown = terminal(shown or file, _SHOWN)
    if head.startswith(_BYTE_ORDER_MARK + b"#!"):
        raise SubmissionRefused(
            f"{shown} begins with a byte order mark: expected #! there (save the file without the mark)"
        )
    for runtime in RUNTIMES:
        if path.suffix.lower() in runtime.extensions:
            _refuse_windows_lines(shown, runtime.run[0], head)
            names = {"{file}": file, "./{program}": f"./{path.stem}", "{program}": path.stem}
            return Recipe(
                tuple(names.get(argument, argument) for argument in runtime.run),
                tuple(names.get(argument, argument) for argument in runtime.build),
            )
    if head.startswith(b"#!"):
        interpreter = _interpreter(shown, head)
        _refuse_windows_lines(shown, PurePosixPath(interpreter[0]).name, head)
        return Recipe((*interpreter, file))
    if executable and head.startswith(b"\x7fELF"):
        return Recipe((f"./{file}",))
    if head.startswith(b"\x7fELF"):
        raise SubmissionRefused(f"{shown} is a program without permission to run: expected chmod +x {shown}")
    if path.suffix.lower() in ARCHIVES or head.startswith(_ARCHIVE_BEGINNINGS) or head[257:262] == b"ustar":
        raise SubmissionRefused(f"{shown} is an archive, which is not accepted: unpack it and submit the folder")
    known = " ".join(extension for runtime in RUNTIMES for extension in runtime.extensions)
    raise SubmissionRefused(
        f"{shown} is not a bot: expected a file with a known extension ({known}), one that begins with a #! line, "
        "an executable program, or a folder with a bot.toml"
    )


def require_command(command: Sequence[str], folder: Path, what: str = "runs") -> None:
    """Check that the first argument can be run here: it is a file of the folder, or a program on the PATH of bots.

    Raises `RuntimeMissing` that names the program and the package that contains it, or `SubmissionRefused`.
    """
    program = command[0]
    said = f"this bot {what} with {quoted(program)}"
    if "/" not in program:
        if shutil.which(program, path=BOT_PATH) is None:
            package = _PACKAGES.get(program)
            hint = f"install it (Debian package {package})" if package else f"the arena searched {BOT_PATH}"
            if advice := missing_program_hint(program):
                hint += f"; {advice}"
            raise RuntimeMissing(f"{said}, which is not installed here: {hint}")
        return
    parts = PurePosixPath(program).parts
    if ".." in parts:
        raise SubmissionRefused(f"{said}: expected a path that does not go up (..)")
    if parts[0].startswith("/") and parts[1:2] in _NO_PROGRAMS:
        raise SubmissionRefused(f"{said}: expected a program of the submission, or one below /usr, /opt, …")
    file = folder / program  # or an absolute path, which pathlib keeps unchanged
    try:
        kind = file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise SubmissionRefused(f"{said}, and there is no such file") from error
    except OSError as error:
        raise SubmissionRefused(f"{said}, which cannot be inspected: {error.strerror}") from error
    if not stat.S_ISREG(kind):
        raise SubmissionRefused(f"{said}, which is not a file")
    if not os.access(file, os.X_OK):
        raise SubmissionRefused(f"{said}, which is not executable: expected chmod +x")


def _refuse_windows_lines(file: str, interpreter: str, head: bytes) -> None:
    if interpreter in _SHELLS and b"\r\n" in head:
        raise SubmissionRefused(
            f"{file} has Windows line endings (CRLF), which a shell does not understand: expected LF"
        )


def _interpreter(file: str, head: bytes) -> tuple[str, ...]:
    """Return the interpreter of a `#!` line and its arguments; `/usr/bin/env NAME` means NAME on the PATH of bots."""
    line = head[2:].split(b"\n", 1)[0].rstrip(b"\r")
    try:
        arguments = shlex.split(line.decode())
    except ValueError as error:
        raise SubmissionRefused(f"the #! line of {file} cannot be read: {terminal(str(error), 200)}") from error
    if arguments and PurePosixPath(arguments[0]).name == "env":
        arguments = [argument for argument in arguments[1:] if argument != "-S"]
    if not arguments or arguments[0].startswith("-") or "\0" in line.decode():
        raise SubmissionRefused(f"the #! line of {file} names no interpreter")
    refuse_outside(arguments, f"the #! line of {file}")
    return tuple(arguments)
