"""The agenda of a match: the stack of steps that are still to happen, the next one last.

A step is a tuple: its name, the seat that it concerns (if any), then plain numbers or words. A step is automatic, a
chance, or a decision (see `flow`). The agenda holds everything that is pending, and all of it is public. An observation
shows the whole agenda, so it is complete.
"""

from __future__ import annotations

from typing import Any, Final

from engine.hell_village.ruleset import Ruleset

Step = tuple[Any, ...]

DEAL, FIRST_PILE = 0, 1
"""The argument of a `deck` step: the deal of R2.4 or the first pile of R2.7. A later pile has its own number."""

CARD_STEPS: Final = frozenset({"cost", "played", "build"})
"""Steps whose third entry is the number of the card that is being played."""


def opening(rules: Ruleset) -> list[Step]:
    """Return the agenda of a new match: the setup in the order of R2, then round 1."""
    steps: list[Step] = [("payments",)]
    if rules.super_workplaces:
        steps.append(("supers",))
    steps += [("deck", DEAL), ("knowledge",)]
    steps += [("keep", seat) for seat in range(rules.seats)]
    steps += [("deck", FIRST_PILE), ("round", 1)]
    return steps[::-1]
