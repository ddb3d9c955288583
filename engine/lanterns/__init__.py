"""Lanterns: The Harvest Festival for 2 to 4 seats, complete (rules: `RULES.md`)."""

from engine.lanterns.game import GAME, Lanterns

__all__ = ["GAME", "Lanterns"]
