"""Hints in the words of other languages, and no hint where nothing is known."""

from __future__ import annotations

import pytest

from arena.text.hints import Sight, build_hint, hint

LATE = "expected an answer to turn 0 within 2.000 s, got none"
STATUS = "expected an answer, but the process ended with status 1"


@pytest.mark.parametrize(
    ("stderr", "part"),
    [
        ("Error: Cannot find module 'lodash'\nRequire stack:", "the module lodash is not installed"),
        ("Error: Cannot find module '/bot/src/main.js'", "did not find /bot/src/main.js"),
        ("Can't locate JSON/XS.pm in @INC (you may need to install the JSON::XS module)", "the module JSON/XS.pm is"),
        ("<internal>: cannot load such file -- nokogiri (LoadError)", "the module nokogiri is"),
        ("lua: bot.lua:1: module 'cjson' not found:", "the module cjson is"),
        ("Error: ENOENT: no such file or directory, open 'book.txt'", "did not find book.txt"),
        ('Can\'t open perl script "x.pl": No such file or directory', "did not find x.pl"),
        ("start.sh: 2: python: not found", "python is called python3"),
        ("start.sh: line 1: python: command not found", "python is called python3"),
        ("/usr/bin/env: 'python': No such file or directory", "python is called python3"),
        ("env: $'python3\\r': No such file or directory", "Windows line endings"),
        ("start.sh: 3: \r: not found", "Windows line endings"),
        ("bash: line 2: $'\\r': command not found", "Windows line endings"),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "a bot has no network"),
        ("Error: getaddrinfo EAI_AGAIN example.org", "a bot has no network"),
    ],
)
def test_each_language_has_its_words(stderr: str, part: str) -> None:
    """The last words of a program that crashed name the mistake."""
    advice = hint(Sight("crashed", STATUS, stderr))
    assert advice is not None and part in advice


@pytest.mark.parametrize(
    ("command", "part"),
    [(("perl", "x.pl"), "($| = 1;)"), (("./bot",), "(in C, fflush(stdout))"), ((), "flush standard output after it")],
)
def test_a_silent_bot_is_told_how_its_language_flushes(command: tuple[str, ...], part: str) -> None:
    """Only if it has never answered: a bot that has answered knows how."""
    advice = hint(Sight("turn_late", LATE, command=command))
    assert advice is not None and advice.endswith(part)
    assert hint(Sight("turn_late", LATE, command=command, answers=3)) is None
    assert hint(Sight("turn_late", "expected an answer within 2 s, got it after 3 s", command=command)) is None


@pytest.mark.parametrize(
    ("cause", "detail"),
    [
        ("crashed", STATUS),
        ("malformed", "expected an action, got '{}'"),
        ("malformed", "turn 3: expected a card, got 'x'"),
        ("no_handshake", 'expected {"type":"ready"} or {"type":"decline"}, got \'{"type":"hello"}\''),
        ("illegal_action", "turn 0: expected an index below 4, got 99"),
        ("out_of_memory", STATUS),
    ],
)
def test_no_advice_is_better_than_a_wrong_one(cause: str, detail: str) -> None:
    """What is no common mistake gets no hint."""
    assert hint(Sight(cause, detail, "KeyError: 'card'")) is None
    assert build_hint("error: expected ; before }") is None


def test_what_a_hint_quotes_is_short() -> None:
    """A bot decides what its stderr says."""
    advice = hint(Sight("crashed", STATUS, f"ModuleNotFoundError: No module named '{'x' * 9000}'"))
    assert advice is not None and len(advice) < 300
