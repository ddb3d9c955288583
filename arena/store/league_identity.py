"""The settings of a league that are fixed from its first night on: their stored form, and how new settings differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.model.rules import LeagueRules
from arena.ratings.live import RatingSettings
from arena.store.base import to_json


def fixed_part(rules: LeagueRules, rating: RatingSettings) -> dict[str, str]:
    """Return game, options and rating settings by the names of their columns."""
    return {"game": rules.game, "options": to_json(rules.options), "rating": to_json(rating.as_json())}


def changed_sentence(name: str, stored: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    """Return the message that the league cannot be played with the requested settings, and what to do."""
    return (
        f"league {name!r} has been played with other settings, which stay fixed: {_difference(stored, wanted)};"
        " give the changed league a new name"
    )


def _difference(stored: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    """Describe the stored and the requested values that differ, by key inside options and rating settings."""
    parts: list[str] = []
    for name, was in stored.items():
        if was == wanted[name]:
            continue
        if name == "game":
            parts.append(f"game {was!r}, now {wanted[name]!r}")
            continue
        before, after = json.loads(was), json.loads(wanted[name])
        parts += [
            f"{name}.{key} {_shown(before, key)}, now {_shown(after, key)}"
            for key in sorted(before.keys() | after.keys())
            if _shown(before, key) != _shown(after, key)
        ]
    return "; ".join(parts)


def _shown(values: dict[str, Any], key: str) -> str:
    return to_json(values[key]) if key in values else "not set"
