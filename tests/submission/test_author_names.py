"""Tests of author names: real names of any language pass, invisible and confusable characters do not."""

from __future__ import annotations

import pytest

from arena.submission.author_names import author_name, look_alike, same_author

REAL = (
    "Ada Lovelace", "Team 1", "O'Brien", "Jean-Luc Picard", "J. R. R. Tolkien", "X Æ A-12", "Łukasz Żółć", "Þóra Ðægur",
    "Nguyễn Thị Mỹ Hạnh", "Nguyễn Thị Mỹ Hạnh", "Ọlọ́runfẹ́mi Adébáyọ̀", "Александр Ёлкин",
    "Ἀριστοτέλης", "Γιώργος Ηλιάδης", "דָּוִד בֶּן־גּוּרְיוֹן", "שָׁלוֹם", "مُحَمَّد",
    "عبد الله", "علی رضا", "สมชาย ที่รัก", "น้ำผึ้ง", "ज्ञानेश्वर माँ", "लक्ष्मी ढ़ींगरा",
    "জ্যোতি", "தமிழ்ச்செல்வன்", "శ్రీనివాస్", "ಕೃಷ್ಣ", "മോഹൻലാൽ", "ශ්‍රී ලංකා",
    "မြွှေမင်း", "ស្រីស្ត្រី", "བསྒྲུབས་", "ლაშა", "Հայկ", "አበበ ቢቂላ",
    "山田太郎", "ﾔﾏﾀﾞ", "김철수", "김철수", "王小明", "ᏣᎳᎩ", "ᠮᠣᠩᠭᠣᠯ", "ꦗꦮ", "🦊 Fox",
)  # fmt: skip

UNSEEN = {
    "nothing": "", "spaces": "   ", "zero width space": "a\u200bb",
    "joiners alone": "\u200d\u200c", "a joiner": "a\u200db",
    "word joiner": "a\u2060", "soft hyphen": "a\u00adb", "grapheme joiner": "a\u034f", "Hangul filler": "\u3164",
    "half-width filler": "a\uffa0", "Khmer vowels": "\u17b4\u17b5",
    "variation selector": "a\ufe0f", "tag": "a\U000e0061",
    "braille blank": "\u2800", "no-break marks": "\ufeffa", "override": "abc\u202edef", "isolate": "a\u2066b\u2069",
    "Arabic mark": "a\u061c", "new line": "a\nb", "escape": "a\x1b[2J", "null": "a\0", "surrogate": "a\udc80",
    "private": "a\ue000", "unassigned": "a\U0003ffff", "line separator": "a\u2028b", "Ogham space": "a\u1680b",
    "200 accents": "a" + "\u0301" * 200, "three accents": "x\u0301\u0302\u0303", "many marks": "ก" + "\u0e34" * 5,
    "an accent alone": "\u0301a", "an accent on a space": "a \u0301", "an enclosure": "a\u20dd", "signs": "...",
    "too long": "a" * 65, "grows too long": "\ufdfa" * 4, "notehead": "a\U0001d159", "replacement": "a\ufffd",
    "picture of nothing": "\u2800\u2800a\u2800",
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_a_real_name_is_taken(name: str) -> None:
    """In any language; and the stored form is as good as the first."""
    stored = author_name(name)
    assert author_name(stored) == stored
    assert same_author(name, stored)


@pytest.mark.parametrize("what", UNSEEN)
def test_what_a_reader_cannot_see_is_no_name(what: str) -> None:
    """In one sentence that says what was expected."""
    with pytest.raises(ValueError, match=r"^expected [^\n\x1b]+$"):
        author_name(UNSEEN[what])


@pytest.mark.parametrize("name", ["ada", "ADA", "Ａｄａ", " Ada ", "A\u200bda", "\ufeffAda"])
def test_one_author_in_several_spellings(name: str) -> None:
    """Case, width, spaces around, and what is invisible make no other author."""
    assert same_author("Ada", name)


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("ﬁn", "FIN"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("é", "é")])
def test_spellings_are_folded_as_a_whole(one: str, other: str) -> None:
    """By the rules of Unicode, not of ASCII."""
    assert same_author(one, other)


@pytest.mark.parametrize(("one", "other"), [("Ada", "Аdа"), ("ADA", "ΑDΑ"), ("paypal", "раураl"), ("Nina", "Νina")])
def test_letters_of_other_alphabets_look_the_same(one: str, other: str) -> None:
    """Cyrillic and Greek ones do: another author, who cannot be told from the first."""
    assert look_alike(one, other) and not same_author(one, other)


@pytest.mark.parametrize(("one", "other"), [("Ada", "Adä"), ("Ada", "Ida"), ("山田", "山口"), ("Иван", "Иван1")])
def test_what_can_be_told_apart_is_apart(one: str, other: str) -> None:
    """An accent is seen."""
    assert not look_alike(one, other) and not same_author(one, other)
