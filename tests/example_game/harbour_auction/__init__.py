"""Harbour Auction, 2 or 3 seats: bid for crates with hidden cards (rules: `RULES.md`)."""

from harbour_auction.game import HarbourAuction

__all__ = ["GAME"]

GAME = HarbourAuction()
