"""What is said instead of a table that has no line, so that an empty answer is not taken for another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.values import View


def check_part(store: Store, league: str, view: View) -> None:
    """Raise `UsageError` when the part is a night that the league has not had."""
    if view.night is not None and store.has_league(league):
        store.night(league, view.night)


def why_empty(store: Store, league: str, view: View, *, has_entries: bool) -> str:
    """Why a board of that part of a league has no line, or (with entries, all of them of withdrawn bots) shows none."""
    from arena.store.values import MatchFilter, MatchState

    if has_entries:
        return "every bot that has played there is withdrawn: --all-versions shows them"
    finished = MatchFilter(league=league, state=MatchState.FINISHED)
    played = store.count_matches(finished) if store.has_league(league) else 0
    if not played:
        return "no match has been played yet"
    matches = "the one finished match" if played == 1 else f"the {played} finished matches"
    return f"none of {matches} of {league} lies in that part (--night, --seats, --since)"
