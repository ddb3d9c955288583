"""RULES.md of Hell Village and these tests name the same rules and examples."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

from engine.hell_village import GAME


def test_every_rule_has_its_test() -> None:
    """Each rule number of RULES.md, and each worked example, is named in the docstring of some test of this game."""
    rules = files("engine.hell_village").joinpath("RULES.md").read_text("utf-8")
    wanted = set(re.findall(r"^- (R\d+\.\d+|E\d+) ", rules, re.MULTILINE))
    assert len(wanted) > 80
    tests = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    said = set(re.findall(r"\b(R\d+\.\d+|E\d+)\b", " ".join(re.findall(r'"""(.*?)"""', tests, re.DOTALL))))
    assert sorted(wanted - said) == []


def test_the_rules_list_every_option() -> None:
    """The table of options in RULES.md has each option with its default and its choices."""
    rules = files("engine.hell_village").joinpath("RULES.md").read_text("utf-8").split("## Options")[1].split("## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|", rules, re.MULTILINE)
    written = {name: (json.loads(default), json.loads(f"[{choices}]")) for name, default, choices in rows}
    assert written == {name: (option.default, list(option.choices)) for name, option in GAME.options.items()}
