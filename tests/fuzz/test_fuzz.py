"""Tests of the readers of untrusted bytes: for every input, they raise only the declared errors.

`make fuzz` runs the same targets for a long time, and stores what it finds in `corpus/`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS
from tests.support.hosts import not_tried

CORPUS = Path(__file__).parent / "corpus"
RUNS = {"protocol": 4_000, "replay": 3_000, "manifest": 4_000}

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([0, 1, "draw", "none"])
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
fields = st.sampled_from(["type", "action", "turn", "note", "reuse", "legal", "x"])


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_passes(name: str) -> None:
    """What was once found interesting is tried again at every run."""
    inputs = sorted((CORPUS / name).iterdir())
    assert len(inputs) > 3
    for file in inputs:
        TARGETS[name](file.read_bytes())


@given(st.binary(max_size=300) | st.dictionaries(fields, values).map(lambda made: json.dumps(made).encode()))
def test_lines_of_bots(line: bytes) -> None:
    """Any bytes, and any JSON with the protocol's own keys."""
    TARGETS["protocol"](line)


keys = st.sampled_from(["name", "author", "run", "build", "games", "x"])
tables = st.dictionaries(keys, st.text() | st.integers() | st.lists(st.text())).map(
    lambda table: "\n".join(f"{key} = {json.dumps(value)}" for key, value in table.items()).encode()
)


@given(st.binary(max_size=300) | tables)
def test_manifests(data: bytes) -> None:
    """Any bytes, and any table with the manifest's own keys."""
    TARGETS["manifest"](data)


@given(st.sampled_from(sorted(path.name for path in (CORPUS / "replay").iterdir())), st.randoms(use_true_random=False))
def test_spoiled_replays(name: str, random: Random) -> None:
    """Whole replays in which bytes are changed, lines are lost, doubled or change places."""
    data = bytearray((CORPUS / "replay" / name).read_bytes())
    for _ in range(random.randint(0, 4)):
        if data:
            data[random.randrange(len(data))] = random.choice(b'{}[]",:0129-abnulltrue\n\\')
    lines = bytes(data).splitlines(keepends=True)
    for _ in range(random.randint(0, 2)):
        if lines:
            lines.insert(random.randrange(len(lines)), lines.pop(random.randrange(len(lines))))
            lines = random.choice([lines, lines[:-1], lines + lines[-1:]])
    TARGETS["replay"](b"".join(lines))


@pytest.mark.parametrize("name", TARGETS)
def test_guided_by_coverage(name: str, tmp_path: Path) -> None:
    """A short run of the fuzzer, from the corpus, finds nothing; what it keeps goes to a folder of its own."""
    if importlib.util.find_spec("atheris") is None:
        not_tried("there is no atheris for this Python: fuzzing guided by coverage is left out")
    found = subprocess.run(
        [
            sys.executable, "-m", "tests.fuzz", name, str(tmp_path), str(CORPUS / name),
            f"-runs={RUNS[name]}", "-max_total_time=20", "-rss_limit_mb=2048", f"-artifact_prefix={tmp_path}/",
        ],
        cwd=Path(__file__).parents[2], env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    assert "Done " in found.stderr
