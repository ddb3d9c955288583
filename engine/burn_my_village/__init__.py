"""Please Don't Burn My Village! for 2 to 5 seats, with hidden hands and a hidden deck (rules: `RULES.md`)."""

from engine.burn_my_village.game import BurnMyVillage

GAME = BurnMyVillage()

__all__ = ["GAME", "BurnMyVillage"]
