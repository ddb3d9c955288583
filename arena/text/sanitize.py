"""Text from outside (names, authors, notes, what bots print) made harmless for the place where it is shown."""

from __future__ import annotations

import re
import unicodedata

CUT = "…"
"""Stands for what was left out."""

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, invisible format characters (direction overrides among them), lone surrogates, line separators."""

_LONG = re.compile(r"\S{301,}")
"""Words that no message needs whole. Paths are longer than other words, and their reader may want to copy them."""
_LINE = 1000
"""The most characters of one line of a message."""
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~&$:@])")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def terminal(text: str, limit: int | None = None) -> str:
    r"""One line that a terminal shows as it is: what could move the cursor, colour, or hide is written as an escape.

    Cut after `limit` characters of the result, if given.

    >>> terminal("red \x1b[31m alert\n")
    'red \\x1b[31m alert\\n'
    >>> terminal("a long story", 6)
    'a lon…'
    """
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_visible, text))
    return text if limit is None or len(text) <= limit else text[: max(limit - 1, 0)] + CUT


def terminal_lines(text: str) -> str:
    """The same for a text that has line breaks of its own."""
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
    r"""The text itself when it stands in a cell of a Markdown table: no markup, no link, no HTML, no further cell.

    >>> markdown("a|b <i>*c*</i>")
    'a\\|b \\<i\\>\\*c\\*\\</i\\>'
    """
    # A backslash disarms all that is markup, a character reference what starts a link without any.
    escaped = _MARKDOWN.sub(r"\\\1", terminal(text))
    return escaped.replace("www.", "www&#46;")


def csv_cell(text: str) -> str:
    """The text for a cell of a CSV file: a spreadsheet shows it instead of computing it.

    >>> csv_cell("=1+1"), csv_cell("ann")
    ("'=1+1", 'ann')
    """
    safe = terminal(text)
    return f"'{safe}" if safe.lstrip().startswith(_FORMULA) else safe


def quoted(value: object, limit: int = 80) -> str:
    r"""Return what somebody wrote, as a message quotes it: one harmless line, cut, whatever its size and kind.

    >>> quoted("a" * 9, 4), quoted("x\\n"), quoted([1, 2])
    ("'aaaa'… (9 characters)", "'x\\\\n'", 'a list of 2')
    """
    if isinstance(value, str):
        cut = f"{CUT} ({len(value):,} characters)" if len(value) > limit else ""
        return terminal(repr(value[:limit])) + cut
    if isinstance(value, (list, dict)):
        return f"a {'list' if isinstance(value, list) else 'table'} of {len(value):,}"
    if isinstance(value, int) and value.bit_length() > 64:  # Python refuses to write out very large ones
        return f"an integer of {value.bit_length():,} bits"
    return terminal(str(value) if isinstance(value, (int, float)) else repr(value), limit)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    return character.encode("unicode_escape").decode()


def cell_width(text: str) -> int:
    r"""How many columns of a terminal a text takes: East Asian wide characters take two, combining marks none.

    >>> cell_width("bot"), cell_width("機械"), cell_width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
