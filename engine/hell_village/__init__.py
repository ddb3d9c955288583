"""Hell Village for 2 to 5 seats: dice as workers, demons, plans and a shared village (rules: `RULES.md`)."""

from engine.hell_village.game import HellVillage

__all__ = ["GAME", "HellVillage"]

GAME = HellVillage()
