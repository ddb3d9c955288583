"""RULES.md of Lanterns lists what the game has and what these tests name."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from engine.lanterns import GAME

RULES = files("engine.lanterns").joinpath("RULES.md").read_text("utf-8")


def test_every_rule_ruling_and_example_has_its_test() -> None:
    """Each rule, belief note and ruling of RULES.md, each worked example, each invariant is named in a docstring."""
    cited: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for docstring in re.findall(r'"""(.*?)"""', path.read_text("utf-8"), flags=re.DOTALL):
            cited |= set(re.findall(r"\b(?:R\d+\.\d+|[AEIK]\d+)\b", docstring))
            for letter, first, last in re.findall(r"\b(R\d+\.|[EIK])(\d+) to \1(\d+)", docstring):
                cited |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
    rules = re.findall(r"^- (R\d+\.\d+|K\d+) ", RULES, flags=re.MULTILINE)
    rulings = re.findall(r"^\| (A\d+) \|", RULES, flags=re.MULTILINE)
    assert (len(rules), len(rulings)) == (48, 21)
    examples = [f"E{number}" for number in range(1, 15)]
    invariants = [f"I{number}" for number in range(1, 15)]
    assert [name for name in [*rules, *rulings, *examples, *invariants] if name not in cited] == []


def test_the_rules_list_every_option() -> None:
    """The table of options in RULES.md has each option with its default and its other choices."""
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| ([^|]+) \|", RULES, flags=re.MULTILINE)
    written = {name: (default, tuple(re.findall(r"`(\w+)`", others))) for name, default, others in rows}
    assert written == {
        name: (option.default, tuple(choice for choice in option.choices if choice != option.default))
        for name, option in GAME.options.items()
    }
