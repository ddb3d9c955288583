"""Run one benchmark by name, or all of them."""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.measure import describe_machine

NAMES = (
    "turn",
    "latency",
    "off_turn",
    "hung",
    "lifecycle",
    "night",
    "ahead",
    "connect_four",
    "league",
    "dimensions",
    "queries",
    "memory",
    "random_play",
    "messages",
    "settled",
    "cli",
    "schedules",
)


def main(arguments: list[str]) -> int:
    """Run the named benchmarks (default: all) and return the exit status: 2 for an unknown name."""
    unknown = [name for name in arguments if name not in NAMES]
    if unknown:
        print(f"unknown benchmark {unknown[0]!r}: expected one of {', '.join(NAMES)}", file=sys.stderr)
        return 2
    print(describe_machine())
    for name in arguments or NAMES:
        import_module(f"benchmarks.{name}").run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
