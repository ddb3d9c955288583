"""Names of authors: names that a reader can see and distinguish from other names."""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST_AUTHOR: Final = 64
"""Maximum number of characters of an author's name, after normalisation."""
MOST_ACCENTS: Final = 2
"""Maximum number of general accents on one letter, after normalisation (Vietnamese needs none, Yoruba one)."""
MOST_MARKS: Final = 4
"""Maximum number of marks of any kind on one letter (Thai: two, pointed Hebrew and Arabic: three, Burmese: four)."""

_INVISIBLE: Final = (
    # Default_Ignorable_Code_Point of the Unicode Character Database (DerivedCoreProperties.txt).
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    # Characters that are drawn as nothing, or as the sign for a missing character: braille blank, fillers, a notehead
    # without a head.
    (0x2800, 0x2800), (0x303F, 0x303F), (0xFFFC, 0xFFFD), (0x1107F, 0x1107F), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159),
    (0x13441, 0x13446),
)  # fmt: skip
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Me"})
"""Controls, formats, surrogates, private and unassigned characters, separators, and enclosing marks."""
_JOINERS: Final = "\u200c\u200d"
"""Characters that change how a letter after a virama is drawn. Sinhala and Malayalam names need them (RFC 5892)."""
_VIRAMA: Final = 9
"""The combining class of a virama."""

_LOOK_ALIKES: Final = str.maketrans(
    # Cyrillic, Greek and other letters, and the Latin letters that they look like.
    "АВЕЅІЈКМНОРСТХУасеѕіјорхуһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχıɑɡ",
    "ABESIJKMHOPCTXYacesijopxyhdqwlABEZHIKMNOPTYXaikvopuxiag",
)


def author_name(text: str) -> str:
    """Return the name as it is stored: normalised (NFKC), with single spaces, and without spaces at its ends.

    Raises `ValueError` that states what was expected, for a name that a reader cannot see or read.

    >>> author_name("  Ａｄａ   Lovelace ")
    'Ada Lovelace'
    >>> author_name("\\u200b")
    Traceback (most recent call last):
    ValueError: expected 1 to 64 printable characters, got U+200B, which a reader cannot see
    """
    bounds = f"expected 1 to {LONGEST_AUTHOR} printable characters"
    if len(text) > 4 * LONGEST_AUTHOR:
        raise ValueError(bounds)
    name = " ".join(part for part in unicodedata.normalize("NFKC", text).split(" ") if part)
    if not 1 <= len(name) <= LONGEST_AUTHOR:
        raise ValueError(bounds)
    before = " "
    marks = accents = 0
    for character in name:
        if _is_unseen(character) and not (character in _JOINERS and unicodedata.combining(before) == _VIRAMA):
            raise ValueError(f"{bounds}, got U+{ord(character):04X}, which a reader cannot see")
        if unicodedata.category(character)[0] == "M":
            if not marks and unicodedata.category(before)[0] not in "LN":
                raise ValueError(f"expected each mark on a letter, got U+{ord(character):04X} alone")
            marks += 1
            accents += unicodedata.name(character, "").startswith("COMBINING ")
            if marks > MOST_MARKS or accents > MOST_ACCENTS:
                most = f"{MOST_ACCENTS} accents" if accents > MOST_ACCENTS else f"{MOST_MARKS} marks"
                raise ValueError(f"expected at most {most} on one letter")
        elif character not in _JOINERS:
            marks = accents = 0
        before = character
    if not any(unicodedata.category(character)[0] in "LN" for character in name):
        raise ValueError("expected a letter or a digit among its characters")
    return name


def same_author(one: str, other: str) -> bool:
    """Return whether both are names of one author: they differ only in case, width and invisible characters.

    >>> same_author("Ada", "ＡＤＡ"), same_author("Ada", "Adä")
    (True, False)
    """
    return _folded(one) == _folded(other)


def look_alike(one: str, other: str) -> bool:
    """Return whether a reader may confuse the names, because letters of different alphabets look the same.

    >>> look_alike("Ada", "Аdа"), same_author("Ada", "Аdа")
    (True, False)
    """
    return _folded(_drawn(one)) == _folded(_drawn(other))


def _drawn(name: str) -> str:
    return unicodedata.normalize("NFKC", name).translate(_LOOK_ALIKES)


def _folded(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name)
    for _ in range(2):  # a case fold may need a second normalisation, which may need a second fold
        folded = unicodedata.normalize("NFKC", folded.casefold())
    return " ".join("".join(letter for letter in folded if letter == " " or not _is_unseen(letter)).split())


def _is_unseen(character: str) -> bool:
    if character == " ":
        return False
    code = ord(character)
    return unicodedata.category(character) in _UNSEEN_CATEGORIES or any(
        first <= code <= last for first, last in _INVISIBLE
    )
