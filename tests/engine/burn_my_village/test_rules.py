"""RULES.md of Please Don't Burn My Village! and these tests name the same rules."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path


def test_every_rule_number_has_its_test() -> None:
    """Each number of `RULES.md` stands in a docstring of the tests of this game."""
    rules = files("engine.burn_my_village").joinpath("RULES.md").read_text("utf-8")
    numbers = set(re.findall(r"^- (R\d+\.\d+) ", rules, flags=re.MULTILINE))
    assert len(numbers) == 49
    cited: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        text = path.read_text("utf-8")
        cited |= set(re.findall(r"R\d+\.\d+", text))
        for chapter, first, last in re.findall(r"R(\d+)\.(\d+) to R\1\.(\d+)", text):
            cited |= {f"R{chapter}.{number}" for number in range(int(first), int(last) + 1)}
    assert sorted(numbers - cited) == []
