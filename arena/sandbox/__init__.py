"""How a command is confined, and what this host can do: bubblewrap with everything, or limits alone."""

from arena.sandbox.confine import BOT_PATH, NEEDED_FOR_STRANGERS, Sandbox, Tools, copy_engine
from arena.sandbox.probing import LAYERS, probe
from arena.transport.base import Limits

__all__ = ["BOT_PATH", "LAYERS", "NEEDED_FOR_STRANGERS", "Limits", "Sandbox", "Tools", "copy_engine", "probe"]
