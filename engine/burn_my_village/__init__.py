"""Please Don't Burn My Village!: the rules for 2 to 5 seats, with hidden hands and a hidden deck."""

from engine.burn_my_village.game import BurnMyVillage

GAME = BurnMyVillage()

__all__ = ["GAME", "BurnMyVillage"]
