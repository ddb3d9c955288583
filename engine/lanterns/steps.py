"""The names of the steps, as observations and `skip` events show them (R4.2)."""

from typing import Final

SETUP: Final = "setup"
EXCHANGE: Final = "exchange"
DEDICATE: Final = "dedicate"
DISCARD: Final = "discard"
PLACE: Final = "place"
OVER: Final = "over"
