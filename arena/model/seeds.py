"""Every random number of a night comes from here, by HMAC-SHA256 from the night's one secret.

Nothing is drawn from a shared generator, so no order of work and no number of workers can change a draw.
"""

from __future__ import annotations

import hmac
import secrets
from random import Random


def new_night_seed() -> bytes:
    """128 fresh secret bits."""
    return secrets.token_bytes(16)


def derive(key: bytes, label: str) -> bytes:
    """32 bytes that depend on the key and the label alone.

    >>> derive(b"k", "a") == derive(b"k", "a") != derive(b"k", "b")
    True
    """
    return hmac.digest(key, label.encode(), "sha256")


def match_seed(night_seed: bytes, encounter: int) -> bytes:
    """The seed that all rotations of one encounter share, and nothing else has."""
    return derive(night_seed, f"encounter:{encounter}")


def bot_seed(seed: bytes, match_id: str, seat: int) -> int:
    """A bot's own luck: 53 bits, so that every language reads it exactly; tells nothing of the match seed."""
    return int.from_bytes(derive(seed, f"bot:{match_id}:{seat}")[:7], "big") >> 3


def match_token(seed: bytes, match_id: str) -> str:
    """The opaque name of a match that bots are told: real ids would reveal the opponents."""
    return derive(seed, f"token:{match_id}")[:8].hex()


def chance_rng(seed: bytes, chance_key: str) -> Random:
    """A fresh generator for one chance: the third round's dice are the same in every rotation, whatever came before."""
    return Random(derive(seed, f"chance:{chance_key}"))


def planning_rng(night_seed: bytes, label: str) -> Random:
    """A generator for the pairings of a night (which bots meet), apart from all match seeds."""
    return Random(derive(night_seed, f"plan:{label}"))
