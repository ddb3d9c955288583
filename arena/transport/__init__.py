"""The only place that starts bots: pipes, deadlines, freezing, the end of a whole tree of processes."""

from arena.transport.interface import (
    OUTPUT_CAP,
    Confinement,
    Enclosure,
    Ending,
    EndOfOutput,
    Evidence,
    HeadAndTail,
    Launch,
    Limits,
    LineTooLong,
    Transport,
    Wrapped,
)
from arena.transport.process import ProcessTransport
from arena.transport.scripted import FakeClock, Said, ScriptedTransport

__all__ = [
    "OUTPUT_CAP",
    "Confinement",
    "Enclosure",
    "EndOfOutput",
    "Ending",
    "Evidence",
    "FakeClock",
    "HeadAndTail",
    "Launch",
    "Limits",
    "LineTooLong",
    "ProcessTransport",
    "Said",
    "ScriptedTransport",
    "Transport",
    "Wrapped",
]
