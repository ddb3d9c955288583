"""Lanterns: The Harvest Festival, complete; the rules as played are in RULES.md beside this file."""

from engine.lanterns.game import GAME, Lanterns

__all__ = ["GAME", "Lanterns"]
