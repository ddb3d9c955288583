"""The arena's own messages for pydantic's errors. The type and the context of an error select them, never its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

EXPECTED: Final[Mapping[str, str]] = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a table of keys and values",
    "enum": "{expected}",
    "extra_forbidden": "no such key",
    "finite_number": "a finite number",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "int_from_float": "an integer",
    "int_parsing": "an integer",
    "int_parsing_size": "an integer with fewer digits",
    "int_type": "an integer",
    "json_invalid": "valid JSON",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "at most {le:g}",
    "list_type": "a list",
    "literal_error": "{expected}",
    "missing": "this key, but it is missing",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "none_required": "no value",
    "string_type": "a text",
    "string_unicode": "a text in valid Unicode",
    "tuple_type": "a list",
    "union_tag_invalid": "{discriminator} to be one of {expected_tags}",
    "union_tag_not_found": "the key {discriminator}",
}
"""What was expected, by the type of the error. The placeholders are filled from the context of the error."""


def expectation(error: ErrorDetails) -> str:
    """Return what was expected in place of the refused value, to be written after the word "expected"."""
    context: dict[str, Any] = error.get("ctx", {})
    if error["type"] == "value_error":
        return str(context["error"])  # a validator of the arena raised it, with its own sentence
    return EXPECTED.get(error["type"], "another value").format(**context)
