"""Coverage-guided fuzzing of one target: `python -m tests.fuzz TARGET [options of libFuzzer]`.

Inputs that reach new code are stored in `tests/fuzz/corpus/TARGET`, or in the folder that is given first. An input that
makes a target fail is written to a file `crash-...` in the working folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

CORPUS = Path(__file__).parent / "corpus"


def main(arguments: list[str]) -> None:
    """Fuzz until an option ends it; a failure ends it with a traceback and a status that is not 0."""
    with atheris.instrument_imports(include=["arena", "engine", "tests.fuzz", "json", "tomllib", "shlex"]):
        from tests.fuzz.targets import TARGETS
    name, *options = arguments or [""]
    if name not in TARGETS:
        raise SystemExit(f"expected one of {', '.join(TARGETS)}, got {name!r}")
    folders = [] if any(not option.startswith("-") for option in options) else [str(CORPUS / name)]
    atheris.Setup([sys.argv[0], *options, *folders], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
