"""Promises of a league night, with made-up matches in real worker processes."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.control import Haste, Stop, call
from arena.errors import NightError
from arena.night import NightSummary, Venue, abandon_night, resume_night, run_night, stored_program
from arena.night_events import (
    BotSuspended,
    MatchDone,
    MatchVoided,
    NightClosed,
    NightEvent,
    NightOpened,
    Progress,
    RoundPlanned,
    SeatsLeftOut,
)
from arena.night_plan import SCHEDULES, NightPlan, ScheduleName
from arena.records import MatchOrder, MatchRecord
from arena.store import EntrantState, MatchFilter, MatchState, NightState, Store
from tests.arena.made_up_night import (
    PLAN,
    RATING,
    RULES,
    SEED,
    hand_in_all,
    make_up,
    names,
    open_store,
    outcome,
    program,
    venue,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        hand_in_all(opened, names(6))
        yield opened


def run(place: Venue, plan: NightPlan = PLAN) -> NightSummary:
    return run_night(place, RULES, RATING, plan, SEED)


def of_kind(events: list[NightEvent], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_a_night_plays_its_whole_plan_and_closes(store: Store, tmp_path: Path) -> None:
    """Every planned match has one result, the ratings are there, the events tell the story in order."""
    events: list[NightEvent] = []
    summary = run(venue(store, tmp_path, events=events))
    assert summary.finished
    assert summary.counts.planned == summary.counts.parked == 0
    done = of_kind(events, MatchDone)
    assert len(done) == summary.counts.played == len({event.match_id for event in done})
    assert isinstance(events[0], NightOpened)
    assert isinstance(events[1], RoundPlanned)
    assert isinstance(events[-1], NightClosed)
    assert sum(event.matches for event in of_kind(events, RoundPlanned)) == len(done)
    assert len(store.ratings(RULES.name)) == 6
    assert of_kind(events, Progress)[-1].done == len(done)


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    """One, two and three workers give the same leaderboard and replays, byte for byte."""
    outcomes = []
    for workers in (1, 2, 3):
        folder = tmp_path / str(workers)
        with open_store(folder) as store:
            hand_in_all(store, names(7))
            assert run(venue(store, folder, workers=workers)).finished
            outcomes.append(outcome(store))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert len(outcomes[0][1]) > 100


def test_seat_counts_that_the_field_cannot_fill_are_left_out(tmp_path: Path) -> None:
    """Two bots play at two seats; the three-seat tables are left out with a notice. One bot is told what is missing."""
    events: list[NightEvent] = []
    with open_store(tmp_path) as store:
        hand_in_all(store, ["alone"])
        with pytest.raises(NightError, match="at least 2 bots, got 1: hand in more"):
            run(venue(store, tmp_path))
        assert store.open_night(RULES.name) is None
        hand_in_all(store, ["other"])
        summary = run(venue(store, tmp_path, events=events))
    assert of_kind(events, SeatsLeftOut) == [SeatsLeftOut(3, 2)]
    assert summary.counts.played == 2


def test_who_forfeits_again_and_again_is_suspended(store: Store, tmp_path: Path) -> None:
    """After a round with enough forfeits in a row a bot plays no more; others play on, and are told nothing else."""
    events: list[NightEvent] = []
    summary = run(venue(store, tmp_path, events=events))
    (suspension,) = of_kind(events, BotSuspended)
    assert (suspension.label, suspension.from_round) == ("crasher:1", 1)
    assert summary.suspended == ("crasher:1",)
    total = store.count_matches(MatchFilter(league=RULES.name))
    rounds = Counter(
        match.round
        for match in store.matches(MatchFilter(league=RULES.name), limit=total)
        if any(seat.bot == "crasher" for seat in match.seats)
    )
    assert set(rounds) == {0}
    (entrant,) = [each for each in store.entrants(summary.night) if each.version.bot == "crasher"]
    assert entrant.state is EntrantState.SUSPENDED
    assert "forfeits in a row" in entrant.reason


def test_a_void_match_is_played_again(store: Store, tmp_path: Path) -> None:
    """One failure of the arena costs an attempt, not a result: the outcome is that of a night without it."""
    tried = tmp_path / "tried"

    def clumsy(order: MatchOrder) -> MatchRecord:
        if order.match_id == "friday-1-5" and not tried.exists():
            tried.touch()
            raise OSError("the host failed")
        return make_up(order)

    events: list[NightEvent] = []
    assert run(venue(store, tmp_path, clumsy, events=events)).finished
    assert of_kind(events, MatchVoided) == [MatchVoided("friday-1-5", "OSError", 1, parked=False)]
    (attempt,) = store.attempts(RULES.name)
    assert "the host failed" in attempt.traceback
    undisturbed = tmp_path / "undisturbed"
    with open_store(undisturbed) as other:
        hand_in_all(other, names(6))
        run(venue(other, undisturbed))
        assert outcome(store) == outcome(other)


def test_a_match_that_is_void_twice_is_parked_and_played_later(store: Store, tmp_path: Path) -> None:
    """The night closes without it; `parked` opens it again, plays the match, and rates it last."""

    def cursed(order: MatchOrder) -> MatchRecord:
        if order.match_id == "friday-1-5":
            os.kill(os.getpid(), signal.SIGKILL)
        return make_up(order)

    events: list[NightEvent] = []
    summary = run(venue(store, tmp_path, cursed, events=events))
    assert summary.finished
    assert summary.counts.parked == 1
    assert [event.parked for event in of_kind(events, MatchVoided)] == [False, True]
    before = len(list(store.matches_in_schedule_order(RULES.name)))
    again = resume_night(venue(store, tmp_path), RULES.name, parked=True)
    assert again.finished
    assert again.counts.parked == 0
    rated = list(store.matches_in_schedule_order(RULES.name))
    assert len(rated) == before + 1
    assert store.match("friday-1-5").state is MatchState.FINISHED
    assert set(rated[-1].versions) == {seat.version_id for seat in store.match("friday-1-5").seats}
    with pytest.raises(NightError, match="no parked matches"):
        resume_night(venue(store, tmp_path), RULES.name, parked=True)


def stopping(place: Venue, after: int, haste: Haste | None) -> Venue:
    """The same place, where somebody asks for a stop when so many matches are done."""
    done = itertools.count(1)

    def report(event: NightEvent) -> None:
        if isinstance(event, MatchDone) and next(done) == after:
            place.stop.ask(haste)

    return replace(place, report=report)


@pytest.mark.parametrize("haste", [Haste.AFTER_RUNNING, Haste.NOW, Haste.AFTER_ROUND])
def test_a_stopped_night_goes_on_exactly(store: Store, tmp_path: Path, haste: Haste) -> None:
    """However it is stopped, as often as you like: in the end the outcome is that of a night that was not."""
    summary = run(stopping(venue(store, tmp_path, workers=2), 9, haste))
    assert not summary.finished
    assert summary.counts.played >= 9
    for after in (1, 30):
        if store.open_night(RULES.name) is not None:
            resume_night(stopping(venue(store, tmp_path, workers=1), after, haste), RULES.name)
    if store.open_night(RULES.name) is not None:
        assert resume_night(venue(store, tmp_path), RULES.name).finished
    undisturbed = tmp_path / "undisturbed"
    with open_store(undisturbed) as other:
        hand_in_all(other, names(6))
        run(venue(other, undisturbed))
        assert outcome(store) == outcome(other)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_goes_on_exactly(schedule: ScheduleName, tmp_path: Path) -> None:
    """Stopped twice in the middle of rounds and gone on with another number of workers, the outcome is the same."""
    outcomes = []
    for stops in ((), (3, 8)):
        folder = tmp_path / str(len(stops))
        with open_store(folder) as store:
            hand_in_all(store, names(7))
            challenger = store.version("bot3").id if schedule == "gauntlet" else None
            plan = NightPlan((2, 3), 3, schedule=schedule, challenger=challenger)
            place = venue(store, folder)
            summary = run(stopping(place, stops[0], Haste.NOW) if stops else place, plan)
            for after in stops[1:]:
                assert not summary.finished
                summary = resume_night(stopping(venue(store, folder), after, Haste.AFTER_RUNNING), RULES.name)
            if stops:
                assert not summary.finished
                summary = resume_night(venue(store, folder, workers=2), RULES.name)
            assert summary.finished
            outcomes.append(outcome(store))
    assert outcomes[0] == outcomes[1]


def test_a_stop_finishes_running_matches_and_begins_none(store: Store, tmp_path: Path) -> None:
    """After the first Ctrl-C every match that had begun is stored; no attempt is counted."""
    stop = Stop()
    assert [stop.ask(), stop.ask()] == [Haste.AFTER_RUNNING, Haste.NOW]
    stop.close()
    summary = run(stopping(venue(store, tmp_path, workers=2), 5, None))
    # Five were done, and at most one more was with each worker.
    assert 5 <= summary.counts.played <= 7
    assert summary.counts.attempts == 0


def test_another_command_can_stop_the_night(store: Store, tmp_path: Path) -> None:
    """A call through the socket from another process ends it as Ctrl-C does; the socket is the user's alone."""
    run_folder = tmp_path / "run"

    def calling(order: MatchOrder) -> MatchRecord:
        if order.match_id == "friday-1-4":
            (tmp_path / "mode").write_text(oct((run_folder / "night.sock").stat().st_mode))
            assert call(run_folder, {"command": "stop", "haste": "now"}) == {"haste": "now"}
        return make_up(order)

    summary = run(venue(store, tmp_path, calling))
    assert not summary.finished
    assert (tmp_path / "mode").read_text().endswith("600")
    with pytest.raises(NightError, match="no night is being played"):
        call(run_folder, {"command": "stop"})


def test_a_call_that_makes_no_sense_disturbs_nothing(store: Store, tmp_path: Path) -> None:
    """Unknown commands, unknown haste and what is no object are refused in a sentence; the night plays on."""
    run_folder = tmp_path / "run"

    def calling(order: MatchOrder) -> MatchRecord:
        if order.match_id == "friday-1-4":
            for request in ({"command": "dance"}, {"command": "stop", "haste": "fast"}, [1]):
                with pytest.raises(NightError, match="refuses"):
                    call(run_folder, request)  # type: ignore[arg-type]
        return make_up(order)

    summary = run(venue(store, tmp_path, calling))
    assert summary.finished
    assert summary.counts.attempts == 0


def test_two_nights_in_one_home_exclude_each_other(store: Store, tmp_path: Path) -> None:
    """While one plays, another `run`, `resume` or `abandon` is refused and named the process; afterwards it is not."""

    def report(event: NightEvent) -> None:
        if isinstance(event, RoundPlanned):
            for second in (
                lambda: run(venue(store, tmp_path)),
                lambda: resume_night(venue(store, tmp_path), RULES.name),
                lambda: abandon_night(store, place.home, RULES.name),
            ):
                with pytest.raises(NightError, match=f"by process {os.getpid()}"):
                    second()

    place = replace(venue(store, tmp_path), report=report)
    assert run(place).finished


def test_an_open_night_must_be_resumed_or_abandoned(store: Store, tmp_path: Path) -> None:
    """`run` refuses and names both; an abandoned night keeps what was played and is not resumed."""
    run(stopping(venue(store, tmp_path), 5, Haste.AFTER_RUNNING))
    with pytest.raises(NightError, match=r"night resume friday.*night abandon friday"):
        run(venue(store, tmp_path))
    night = abandon_night(store, venue(store, tmp_path).home, RULES.name)
    assert night.state is NightState.ABANDONED
    with pytest.raises(NightError, match="no open night"):
        resume_night(venue(store, tmp_path), RULES.name)
    assert store.ratings(RULES.name)
    assert run(venue(store, tmp_path)).finished


def test_workers_do_not_hold_the_lock(store: Store, tmp_path: Path) -> None:
    """In a worker no descriptor of the parent's lock is open: it would hold it after the parent's death."""

    def look(order: MatchOrder) -> MatchRecord:
        links = []
        for descriptor in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                links.append(str(descriptor.readlink()))
        (tmp_path / "held").write_text("\n".join(links))
        return make_up(order)

    run(venue(store, tmp_path, look))
    held = (tmp_path / "held").read_text()
    assert "night.lock" not in held


def test_a_bot_whose_files_are_gone_is_named_before_anything_is_played(store: Store, tmp_path: Path) -> None:
    """One sentence, no void matches; when it is handed in again the night goes on."""
    place = replace(venue(store, tmp_path), program=stored_program)
    with pytest.raises(NightError, match="files of crasher:1 are gone"):
        run(place)
    assert resume_night(replace(place, program=program), RULES.name).finished


def test_a_stored_plan_is_read_strictly() -> None:
    """What another version planned is refused in one sentence."""
    assert NightPlan.from_json(PLAN.as_json()) == PLAN
    with pytest.raises(NightError, match="another version"):
        NightPlan.from_json({"seats": [2]})


def test_adaptive_schedules_see_results_in_schedule_order(store: Store, tmp_path: Path) -> None:
    """What a schedule is shown of a round are its matches as planned, with their ranks."""
    summary = run(venue(store, tmp_path))
    planned = store.round_matches(summary.night, 0)
    results = store.round_results(summary.night, 0)
    assert [(result.encounter, result.seating) for result in results] == [(p.encounter, p.seating) for p in planned]
    assert all(result.ranks is not None and len(result.ranks) == len(result.seating) for result in results)
