"""Escape untrusted text (names, authors, notes, output of bots) for the place where it is shown."""

from __future__ import annotations

import re
import unicodedata

CUT = "…"
"""Replaces the text that was cut off."""

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control characters, invisible format characters (with direction overrides), lone surrogates, line separators."""

_LONG = re.compile(r"\S{301,}")
"""Words that no message needs whole. Paths are longer than other words, and their reader may want to copy them."""
_LINE = 1000
"""The most characters of one line of a message."""
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~&$:@])")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def terminal(text: str, limit: int | None = None) -> str:
    r"""Return one line that is safe to print: characters that could move the cursor, colour or hide text are escaped.

    The result is cut to `limit` characters, if given.

    >>> terminal("red \x1b[31m alert\n")
    'red \\x1b[31m alert\\n'
    >>> terminal("a long story", 6)
    'a lon…'
    """
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_visible, text))
    return text if limit is None or len(text) <= limit else text[: max(limit - 1, 0)] + CUT


def terminal_lines(text: str) -> str:
    """Return several lines that are safe to print: like `terminal`, but line breaks stay."""
    return "\n".join(terminal(line) for line in text.split("\n"))


def message(text: str) -> str:
    r"""Return the text of an error for a terminal: harmless lines of bounded length, whatever it quotes.

    >>> message("there is no bot 'a" + "a" * 5000 + "'\nsee `arena bot list`").replace("a" * 99, "A")
    "there is no bot 'A… (5,003 characters)\nsee `arena bot list`"
    """
    return "\n".join(terminal(_LONG.sub(_shortened, line)[:_LINE], _LINE) for line in text.split("\n"))


def _shortened(word: re.Match[str]) -> str:
    return f"{word[0][:100]}{CUT} ({len(word[0]):,} characters)"


def markdown(text: str) -> str:
    r"""Return text for a cell of a Markdown table, in which it gives no markup, no link, no HTML and no new cell.

    >>> markdown("a|b <i>*c*</i>")
    'a\\|b \\<i\\>\\*c\\*\\</i\\>'
    """
    # A backslash escapes markup; a character reference breaks up "www.", which makes a link without markup.
    escaped = _MARKDOWN.sub(r"\\\1", terminal(text))
    return escaped.replace("www.", "www&#46;")


def csv_cell(text: str) -> str:
    """Return text for a cell of a CSV file: a spreadsheet shows it and does not compute it as a formula.

    >>> csv_cell("=1+1"), csv_cell("ann")
    ("'=1+1", 'ann')
    """
    safe = terminal(text)
    return f"'{safe}" if safe.lstrip().startswith(_FORMULA) else safe


def quoted(value: object, limit: int = 80) -> str:
    r"""Return a value from outside as a message quotes it: one short line that is safe to print, for any type and size.

    >>> quoted("a" * 9, 4), quoted("x\\n"), quoted([1, 2])
    ("'aaaa'… (9 characters)", "'x\\\\n'", 'a list of 2')
    """
    if isinstance(value, str):
        cut = f"{CUT} ({len(value):,} characters)" if len(value) > limit else ""
        return terminal(repr(value[:limit])) + cut
    if isinstance(value, (list, dict)):
        return f"a {'list' if isinstance(value, list) else 'table'} of {len(value):,}"
    if isinstance(value, int) and value.bit_length() > 64:  # Python refuses to print very large integers
        return f"an integer of {value.bit_length():,} bits"
    return terminal(str(value) if isinstance(value, (int, float)) else repr(value), limit)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    return character.encode("unicode_escape").decode()


def cell_width(text: str) -> int:
    r"""Return the number of terminal columns of a text: East Asian wide characters take two, combining marks none.

    >>> cell_width("bot"), cell_width("機械"), cell_width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
