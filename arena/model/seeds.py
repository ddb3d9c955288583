"""Every random number of a night is derived here from the one secret of the night, by HMAC-SHA256.

No random generator is shared. So neither the order of the work nor the number of workers can change a draw.
"""

from __future__ import annotations

import hmac
import secrets
from random import Random


def new_night_seed() -> bytes:
    """Return 128 new secret random bits."""
    return secrets.token_bytes(16)


def derive(key: bytes, label: str) -> bytes:
    """Return 32 bytes that depend only on the key and the label.

    >>> derive(b"k", "a") == derive(b"k", "a") != derive(b"k", "b")
    True
    """
    return hmac.digest(key, label.encode(), "sha256")


def match_seed(night_seed: bytes, encounter: int) -> bytes:
    """Return the seed of one encounter. All its rotations share this seed, and no other match has it."""
    return derive(night_seed, f"encounter:{encounter}")


def bot_seed(seed: bytes, match_id: str, seat: int) -> int:
    """Return the seed of a bot's own random generator. It reveals nothing about the match seed.

    It has 53 bits, so that every language reads it exactly.
    """
    return int.from_bytes(derive(seed, f"bot:{match_id}:{seat}")[:7], "big") >> 3


def match_token(seed: bytes, match_id: str) -> str:
    """Return the opaque name of a match that bots receive: a real match id would reveal the opponents."""
    return derive(seed, f"token:{match_id}")[:8].hex()


def chance_rng(seed: bytes, chance_key: str) -> Random:
    """Return a new random generator for one chance.

    So the dice of the third round are the same in every rotation, no matter what was played before.
    """
    return Random(derive(seed, f"chance:{chance_key}"))


def planning_rng(night_seed: bytes, label: str) -> Random:
    """Return a random generator for the pairings of a night. It is independent of all match seeds."""
    return Random(derive(night_seed, f"plan:{label}"))
