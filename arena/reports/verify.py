"""Verify printed leaderboards: compare each number with the value that the stored matches give now."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError
from arena.linux.regular_files import read_regular
from arena.model.records import FinishedMatch
from arena.ratings.live import RatingSettings
from arena.ratings.standings import BoardEntry
from arena.reports.boards import read_anchors, settle_league
from arena.reports.settled_leaderboard import settle_board

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.values import View

LAST_DIGITS = 1e-9
"""Allowed relative difference of settled numbers: processors differ in the order in which they add."""


@dataclass(frozen=True, slots=True)
class PrintedBoard:
    """A leaderboard that was printed or published as JSON."""

    rows: tuple[Mapping[str, Any], ...]
    page: Mapping[str, Any] | None = None
    """The complete published page; None for the output of `arena leaderboard --json`."""

    @property
    def settled(self) -> bool:
        """Whether the leaderboard shows settled ratings."""
        return any("better_than_next" in row for row in self.rows)


def read_board(file: Path) -> PrintedBoard:
    """Return the leaderboard in a file. Raises `UsageError` if the file contains none."""
    try:
        data = json.loads(read_regular(file))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not valid JSON: {error or 'nested too deeply'}") from error
    page = data if isinstance(data, dict) else None
    rows = data.get("rows") if isinstance(data, dict) else data
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "bot" in row for row in rows):
        raise UsageError(f"{file}: expected what `arena leaderboard --json` prints, or a page of `arena publish`")
    return PrintedBoard(tuple(rows), page)


def differences(printed: Sequence[Mapping[str, Any]], computed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line for each printed value that differs from the computed one; other values are not compared."""
    found = []
    if len(printed) != len(computed):
        found.append(f"{len(printed)} lines were printed, the matches give {len(computed)}")
    for old, new in zip(printed, computed, strict=False):
        name = f"{old.get('bot')}:{old.get('version')}"
        for key, value in old.items():
            if key not in new:
                found.append(f"{name}: {key} is {value!r}, which is not computed")
            elif not _equal(value, new[key]):
                found.append(f"{name}: {key} is {value!r}, the matches give {new[key]!r}")
    return found


def settles_in_any_order(
    results: Sequence[FinishedMatch], entries: Sequence[BoardEntry], settings: RatingSettings
) -> bool:
    """Return whether the settled ratings are exactly the same for another order of matches, seats and encounters."""
    luck = random.Random(len(results))
    shuffled = list(results)
    luck.shuffle(shuffled)
    other = []
    for result in shuffled:
        order = luck.sample(range(len(result.versions)), len(result.versions))
        versions, ranks = tuple(result.versions[at] for at in order), tuple(result.ranks[at] for at in order)
        encounter = None if result.encounter is None else (-result.encounter[0], -result.encounter[1])
        other.append(FinishedMatch(versions, ranks, encounter))
    one, two = settle_board(results, entries, settings), settle_board(other, entries, settings)
    return one == two and one.covariance.tobytes() == two.covariance.tobytes()


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_equal(value, new[key]) for key, value in old.items())
    if isinstance(old, float) and isinstance(new, (int, float)):
        return math.isclose(old, new, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)
    return bool(old == new)


def board_differences(store: Store, league: str, printed: PrintedBoard, file: Path | None, view: View,
                 anchored: tuple[str, ...]) -> list[str]:  # fmt: skip
    """Return one line for each difference between a printed leaderboard and the stored matches."""
    from arena.reports.leaderboard import rows

    if printed.settled:
        from arena.reports.settled_leaderboard import settled_as_json, settled_rows

        entries, settled = settle_league(store, league, view, read_anchors(store, anchored))
        for every_version in (False, True):
            lines = [settled_as_json(row) for row in settled_rows(entries, settled, every_version=every_version)]
            if len(lines) == len(printed.rows):
                break
        return differences(printed.rows, lines)
    entries = store.board(league, view)
    found = rows(entries)
    if len(found) != len(printed.rows):
        found = rows(entries, every_version=True)
    wrong = differences(printed.rows, [row.as_json() for row in found])
    if printed.page is None or file is None or wrong:
        return wrong
    return _page_differences(store, league, printed.page, file)


def _page_differences(store: Store, league: str, said: Any, file: Path) -> list[str]:
    """Return one line for each file of a published page that is not byte-identical to the file written now."""
    from arena.reports.boards import page_of
    from arena.reports.publish import SUFFIXES, page_text

    page = page_of(store, store.league(league), tuple(said.get("commands", ())))
    beside = {suffix: file.with_suffix(f".{suffix}") for suffix in SUFFIXES}
    return [
        f"{other} is not what `arena publish` would write now"
        for suffix, other in beside.items()
        if other.is_file() and read_regular(other) != page_text(page, suffix).encode()
    ]
