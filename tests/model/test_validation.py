"""Errors of pydantic are translated into the arena's own words, for every type of error that its models can raise."""

from __future__ import annotations

from string import Formatter
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticKnownError

from arena.match.replay_format import LINE, first_error
from arena.model.rules import LeagueRules
from arena.model.validation import EXPECTED, expectation

CONTEXT = {
    "class_name": "X", "discriminator": "'kind'", "error": "x", "expected": "'a' or 'b'", "expected_tags": "'a', 'b'",
    "ge": 1, "gt": 1, "le": 1, "lt": 1, "tag": "c",
}  # fmt: skip
"""All that an error can say besides its type."""


@pytest.mark.parametrize("kind", EXPECTED)
def test_every_type_is_one_of_pydantics_and_has_what_its_sentence_needs(kind: str) -> None:
    """Pydantic knows the type, and never makes such an error without each part that the sentence puts in."""
    known: Any = PydanticKnownError
    assert known(kind, CONTEXT).type == kind
    for _, part, _, _ in Formatter().parse(EXPECTED[kind]):
        if part is not None:
            with pytest.raises(TypeError, match=part):
                known(kind, {key: value for key, value in CONTEXT.items() if key != part})


def test_an_unforeseen_type_is_still_a_sentence() -> None:
    """A newer pydantic may know more types."""
    assert expectation({"type": "of_tomorrow", "loc": (), "msg": "said by pydantic", "input": 1}) == "another value"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"seats": ()}, "at least one seat count"),
        ({"seats": ("x",)}, "an integer"),
        ({"startup_s": 601}, "at most 600"),
        ({"startup_s": 0}, "a number above 0"),
        ({"startup_s": "x"}, "a number"),
        ({"strikes": -1}, "at least 0"),
        ({"strikes": 1.5}, "an integer"),
        ({"reuse": "x"}, "true or false"),
        ({"name": 3}, "a text"),
        ({"options": 3}, "a table of keys and values"),
        ({"rating": 3}, "an object"),
        ({"rating": {"draw_probability": 1}}, "a number below 1"),
        ({"sandbox": "on"}, "'required', 'auto' or 'off'"),
    ],
)
def test_what_a_setting_expects(values: dict[str, Any], expected: str) -> None:
    """Each constraint of a league's rules has its words."""
    with pytest.raises(ValidationError) as caught:
        LeagueRules.model_validate({"name": "x", "game": "y", **values})
    assert expectation(caught.value.errors()[0]) == expected


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{", "expected valid JSON"),
        (b"{}", "expected the key 'kind'"),
        (b'{"kind":"x"}', "expected 'kind' to be one of 'header', 'chance', 'turn', 'forfeit', 'result'"),
        (b'{"kind":"chance","chance":"x"}', "chance.action: expected this key, but it is missing"),
        (b'{"kind":"chance","chance":"x","action":{},"y":1}', "chance.y: expected no such key"),
        (b'{"kind":"chance","chance":1,"action":{}}', "chance.chance: expected a text"),
    ],
)
def test_what_a_replay_expects(line: bytes, told: str) -> None:
    """The place is named before what was expected."""
    with pytest.raises(ValidationError) as caught:
        LINE.validate_json(line)
    assert first_error(caught.value) == told
