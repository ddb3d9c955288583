"""Advice for the most common mistakes of beginners: one sentence for what the arena saw of a bot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

NO_ANSWER: Final = "got none"
"""End of the detail of a forfeit if not even a part of an answer came."""
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_LATE: Final = ("startup_late", "turn_late", "clock_exhausted")
_PRINTED = re.compile(r"got ['\"](?P<said>.*)", re.DOTALL)
_MARK_IN_TEXT = re.compile(r"\\ufeff|\ufeff|\\xef\\xbb\\xbf|ï»¿")
_MODULE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"ModuleNotFoundError: No module named '(?P<name>[^']+)'",
        r"Cannot find (?:module|package) '(?P<name>[^'./][^']*)'",
        r"Can't locate (?P<name>\S+) in @INC",
        r"cannot load such file -- (?P<name>[^\s/]+)",
        r"module '(?P<name>[^']+)' not found",
    )
)
_WINDOWS_LINES = re.compile(r"\\r['\"]?: |\r['\"]?: |\$'\\r'|\^M|python3?\\r")
_NO_FILE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"No such file or directory: ['\"](?P<name>[^'\"]+)['\"]",
        r"can't open file ['\"](?P<name>[^'\"]+)['\"]",
        r"no such file or directory, open ['\"](?P<name>[^'\"]+)['\"]",
        r"Cannot find module ['\"](?P<name>[./][^'\"]*)['\"]",
        r"(?:cannot|can't|Can't) open (?:perl script |file )?['\"]?(?P<name>[^\s'\":]+)",
    )
)
_NETWORK = re.compile(
    r"Temporary failure in name resolution|Could not resolve|Name or service not known|Network is unreachable"
    r"|getaddrinfo|EAI_AGAIN|ENOTFOUND|CERTIFICATE_VERIFY_FAILED|certificate verify failed|NewConnectionError"
    r"|Connection refused|no such host|dial tcp|Could not find a version that satisfies"
)
_NO_PYTHON = re.compile(r"['‘]?\bpython['’]?: (?:command )?(?:not found|No such file or directory)")


@dataclass(frozen=True, slots=True)
class Sight:
    """What the arena saw of a bot that failed."""

    cause: str
    """Cause of the forfeit."""
    detail: str
    """The line for the author: what was expected, and what the bot sent."""
    stderr: str = ""
    command: Sequence[str] = ()
    """The command that runs the bot."""
    head: bytes = b""
    """Start of the bot's own file in that command."""
    answers: int = 0
    """Number of turns that the bot had answered before."""


def hint(seen: Sight) -> str | None:
    """Return one sentence of advice about a bot that failed, or None if no common mistake is recognised.

    >>> hint(Sight("no_handshake", "expected a JSON object, got 'hello world'"))
    'standard output is for answers only: print everything else to standard error'
    """
    ended = seen.cause == "crashed"
    advice = None
    if _is_marked(seen):
        advice = "there is a byte order mark before the text: save the file, or write the output, as UTF-8 without it"
    elif (ended and b"\r\n" in seen.head and _is_script(seen)) or _WINDOWS_LINES.search(seen.stderr):
        advice = (
            "the script has Windows line endings (CRLF), which its interpreter does not understand: save it with LF"
        )
    elif ended and _NO_PYTHON.search(seen.stderr):
        advice = _PYTHON3
    elif found := _first(_MODULE, seen.stderr):
        advice = (
            f"the module {found} is not installed for bots, which have the standard library and the package engine"
            " only: copy it into the bot's folder, and submit the folder"
        )
    elif _NETWORK.search(seen.stderr):
        advice = "a bot has no network: everything that it needs must be in its folder"
    elif found := _first(_NO_FILE, seen.stderr):
        advice = (
            f"the bot did not find {found}: it runs in its own folder and sees only the files that were submitted, so"
            " submit a folder that contains the file, and name the file relative to that folder"
        )
    elif (printed := _printed(seen)) is not None and not printed.lstrip().startswith("{"):
        advice = f"standard output is for answers only: print everything else to standard error{_how(seen, _STDERR)}"
    elif seen.cause in _LATE and not seen.answers and seen.detail.endswith(NO_ANSWER):
        advice = (
            "no complete line arrived: end each answer with a newline, and flush standard output after it"
            f"{_how(seen, _FLUSH)}"
        )
    return advice


def build_hint(output: str) -> str | None:
    """Return one sentence of advice about a build that failed with this output.

    >>> build_hint("curl: (6) Could not resolve host: example.org")
    'a build has no network: put everything that it needs into the folder, or build before you submit'
    """
    if _NETWORK.search(output):
        return "a build has no network: put everything that it needs into the folder, or build before you submit"
    if _WINDOWS_LINES.search(output):
        return "a script has Windows line endings (CRLF), which its interpreter does not understand: save it with LF"
    if _NO_PYTHON.search(output):
        return _PYTHON3
    return None


def missing_program_hint(program: str) -> str | None:
    """Return one sentence of advice about a program that is not installed.

    >>> missing_program_hint("python")
    'the program python is called python3 here'
    """
    return _PYTHON3 if PurePosixPath(program).name == "python" else None


def game_hint(failed: str, games: Sequence[str]) -> str | None:
    """Return one sentence of advice about a bot that failed in one game, of several that it was offered.

    >>> game_hint("lanterns", ["lanterns"])
    """
    other = next((game for game in games if game != failed), None)
    if other is None:
        return None
    return (
        f'if the bot plays one game only, say so: with `--game {other}`, with games = ["{other}"] in bot.toml, or by'
        ' answering hello with {"type":"decline"} in the other games'
    )


_PYTHON3: Final = "the program python is called python3 here"
_FLUSH: Final = {
    "python3": "print(..., flush=True)",
    "perl": "$| = 1;",
    "ruby": "$stdout.sync = true",
    "lua": "io.stdout:flush()",
    "php": "flush();",
    "./": "in C, fflush(stdout)",
}
_STDERR: Final = {
    "python3": "print(..., file=sys.stderr)",
    "node": "console.error(...)",
    "perl": "print STDERR ...",
    "ruby": "warn ...",
    "lua": "io.stderr:write(...)",
    "sh": "echo ... >&2",
    "bash": "echo ... >&2",
}


def _how(seen: Sight, table: dict[str, str]) -> str:
    """Return how the bot's language does it, in brackets; nothing if that is not known."""
    first = seen.command[0] if seen.command else ""
    text = table.get("./" if first.startswith("./") else PurePosixPath(first).name)
    return f" ({text})" if text else ""


def _printed(seen: Sight) -> str | None:
    """Return the start of the line that was no answer."""
    if seen.cause not in ("no_handshake", "malformed", "unasked_output") or seen.detail.startswith("turn "):
        return None  # "turn 5: ..." is about an answer that was read, but is none of the game
    found = _PRINTED.search(seen.detail)
    return found["said"] if found else None


def _is_marked(seen: Sight) -> bool:
    if seen.cause == "crashed":
        return seen.head.startswith(BYTE_ORDER_MARK) and b"#!" in seen.head[:5]
    printed = _printed(seen)
    return printed is not None and _MARK_IN_TEXT.match(printed) is not None


def _is_script(seen: Sight) -> bool:
    return seen.head.startswith(b"#!") or PurePosixPath(seen.command[0] if seen.command else "").name in ("sh", "bash")


def _first(patterns: Sequence[re.Pattern[str]], text: str) -> str | None:
    """Return the name that the last error message mentions, cut to a readable length."""
    for pattern in patterns:
        if found := pattern.findall(text):
            return str(found[-1])[:80]
    return None
