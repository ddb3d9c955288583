"""Tests of a league night, with generated results in real worker processes."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import signal
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from arena.config.home import Home
from arena.errors import NightError
from arena.linux import affinity
from arena.model.records import FinishedMatch, MatchOrder, MatchRecord, Program, Unkillable
from arena.night.control import SOCKET_FILE, Answer, ControlSocket, Haste, Stop, call
from arena.night.entrants import stored_program
from arena.night.events import (
    BotSuspended,
    EntrantAdded,
    EntrantDropped,
    MatchDone,
    MatchVoided,
    NightClosed,
    NightEvent,
    NightOpened,
    OutOfTime,
    Progress,
    RoundPlanned,
    SeatsLeftOut,
    WorkersChanged,
)
from arena.night.runner import NightSummary, Venue, abandon_night, resume_night, run_night
from arena.schedules.plan import SCHEDULES, NightPlan, ScheduleName
from arena.store.store import Store
from arena.store.values import EntrantState, MatchFilter, MatchState, NightState, Version, View
from tests.support.helpers import submission
from tests.support.made_up_night import (
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
from tests.support.players import FunctionPlayer
from tests.support.store_cases import rated_matches

pytestmark = pytest.mark.usefixtures("database")


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


def test_who_waits_for_a_rounds_end_makes_ready_for_the_next(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker without a match is told what the next round will give it, once a round; the night stays the same."""
    monkeypatch.setattr(affinity, "for_workers", lambda count, pin: [min(os.sched_getaffinity(0))] * count)
    told, tell = os.pipe()

    def play(order: MatchOrder) -> MatchRecord:
        # The last match of the first round waits until the other worker was told.
        if order.match_id == last and select.select([told], [], [], 60)[0]:
            os.read(told, 100)
        return make_up(order)

    def prepare(order: MatchOrder, _until: int) -> None:
        os.write(tell, f"{order.match_id}\n".encode())
        os.write(seen, f"{order.match_id}\n".encode())

    with open_store(tmp_path / "quiet") as quiet:
        hand_in_all(quiet, names(6))
        run(venue(quiet, tmp_path / "quiet"))
        expected = outcome(quiet)
        rounds = quiet.rounds(quiet.night(RULES.name))
        matches = quiet.matches(MatchFilter(league=RULES.name), limit=1000)
        last_of_first = max(match.position for match in matches if match.round == 0)
    last = f"{RULES.name}-1-{last_of_first}"
    seen = os.open(tmp_path / "seen", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    here = venue(store, tmp_path, workers=2)
    run(replace(here, pin=True, player=FunctionPlayer(play, prepare)))
    assert outcome(store) == expected
    prepared = (tmp_path / "seen").read_text().split()
    assert int(prepared[0].rpartition("-")[2]) > last_of_first
    assert 1 <= len(prepared) <= 2 * (rounds - 1)
    for descriptor in (told, tell, seen):
        os.close(descriptor)


def test_seat_counts_that_the_field_cannot_fill_are_left_out(tmp_path: Path) -> None:
    """Two bots play at two seats; the three-seat tables are left out with a notice. One bot is told what is missing."""
    events: list[NightEvent] = []
    with open_store(tmp_path) as store:
        hand_in_all(store, ["alone"])
        with pytest.raises(NightError, match="at least 2 bots, got 1: submit more"):
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


def clinging(*bots: str, works: bool) -> Callable[[MatchOrder], MatchRecord]:
    """Matches after each of which these bots cannot be ended, if they sat there."""

    def play(order: MatchOrder) -> MatchRecord:
        found = [program for program in order.programs if program.name in bots]
        unkillable = tuple(Unkillable(program, order.position, works=works) for program in found)
        return replace(make_up(order), unkillable=unkillable)

    return play


def test_who_could_not_be_ended_is_suspended_and_its_results_stand(store: Store, tmp_path: Path) -> None:
    """No match is void; the bot plays the round to its end, and none after it."""
    events: list[NightEvent] = []
    summary = run(venue(store, tmp_path, clinging("bot1", works=True), events=events))
    suspended = {event.label: event.reason for event in of_kind(events, BotSuspended)}
    assert suspended["bot1:1"] == "one of its processes survived SIGKILL"
    assert "bot1:1" in summary.suspended and of_kind(events, MatchVoided) == []
    assert {event.unkillable for event in of_kind(events, MatchDone)} == {(), ("bot1:1",)}
    matches = store.matches(MatchFilter(league=RULES.name, bot="bot1"), limit=1000)
    assert {match.round for match in matches} == {0}
    assert {match.state for match in matches} == {MatchState.FINISHED}
    assert {bot.position for bot in store.unkillable(summary.night)} == {match.position for match in matches}


@pytest.mark.parametrize(("authors", "suspended"), [(1, True), (2, False)])
def test_where_bots_of_several_authors_wait_in_the_kernel_the_host_is_to_blame(
    store: Store, tmp_path: Path, authors: int, suspended: bool
) -> None:
    """A dead disk holds up everybody alike, and suspends nobody."""
    digest = "ab" * 16
    author = "a tester" if authors == 1 else "somebody else"
    store.submit(submission("other", author, digest, ("true",)), (RULES.name,))
    summary = run(venue(store, tmp_path, clinging("bot1", "other", works=False)))
    assert ({"bot1:1", "other:1"} <= set(summary.suspended)) is suspended
    assert {"bot1:1", "other:1"}.isdisjoint(summary.suspended) is not suspended


def test_a_suspension_of_who_could_not_be_ended_resumes_exactly(store: Store, tmp_path: Path) -> None:
    """A night that was stopped after the round's last result suspends when it goes on, as the other one did."""
    play = clinging("bot1", works=True)
    stop = Stop()

    def report(event: NightEvent) -> None:
        if isinstance(event, RoundPlanned):
            stop.ask(Haste.AFTER_ROUND)

    summary = run(replace(venue(store, tmp_path, play), report=report, stop=stop))
    assert not summary.finished
    while not summary.finished:
        summary = resume_night(venue(store, tmp_path, play), RULES.name)
    assert "bot1:1" in summary.suspended
    with open_store(tmp_path / "undisturbed") as other:
        hand_in_all(other, names(6))
        run(venue(other, tmp_path / "undisturbed", play))
        assert outcome(other)[1] == outcome(store)[1]


def test_who_cannot_be_ended_when_a_worker_leaves_is_stored(store: Store, tmp_path: Path) -> None:
    """Kept bots end with their worker: what is found then is a fact of the night too."""
    found = (Unkillable(Program("bot1", 1, "a tester", "", "", ()), 0, works=True),)
    summary = run(replace(venue(store, tmp_path), player=FunctionPlayer(make_up, close=lambda: found)))
    assert [(bot.position, bot.bot) for bot in store.unkillable(summary.night)] == [(0, "bot1:1")]


def test_no_night_begins_on_a_host_that_cannot_run_a_bot(store: Store, tmp_path: Path) -> None:
    """All such bots are named with what is missing, nothing is planned, and an open night is not resumed either."""

    def lacking(home: Home, version: Version) -> Program:
        lost = {"bot1": "no-such-interpreter", "bot3": "no-such-interpreter", "bot4": "/dev/null"}
        return replace(program(home, version), command=(lost.get(version.bot, "true"), "bot"))

    place = replace(venue(store, tmp_path), program=lacking)
    missing = "'/dev/null', which runs bot4:1; 'no-such-interpreter', which runs bot1:1, bot3:1: install"
    with pytest.raises(NightError, match=f"nothing is played: this host cannot execute {missing}"):
        run(place)
    assert store.nights() == []
    run(stopping(venue(store, tmp_path), 3, Haste.NOW))
    played = store.count_matches(MatchFilter(league=RULES.name))
    with pytest.raises(NightError, match=missing):
        resume_night(place, RULES.name)
    assert store.count_matches(MatchFilter(league=RULES.name)) == played
    assert resume_night(venue(store, tmp_path), RULES.name).finished


def test_a_void_match_is_played_again(store: Store, tmp_path: Path) -> None:
    """One failure of the arena costs an attempt, not a result: the outcome is that of a night without it."""
    tried = tmp_path / "tried"

    def clumsy(order: MatchOrder) -> MatchRecord:
        if order.position == 5 and not tried.exists():
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
        if order.position == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return make_up(order)

    events: list[NightEvent] = []
    summary = run(venue(store, tmp_path, cursed, events=events))
    assert summary.finished
    assert summary.counts.parked == 1
    assert [event.parked for event in of_kind(events, MatchVoided)] == [False, True]
    before = len(rated_matches(store, RULES.name))
    again = resume_night(venue(store, tmp_path), RULES.name, parked=True)
    assert again.finished
    assert again.counts.parked == 0
    rated = rated_matches(store, RULES.name)
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
        if order.position == 4:
            (tmp_path / "mode").write_text(oct((run_folder / "night.sock").stat().st_mode))
            assert call(run_folder, {"command": "stop", "haste": "now"}) == {"haste": "now"}
        return make_up(order)

    summary = run(venue(store, tmp_path, calling))
    assert not summary.finished
    assert (tmp_path / "mode").read_text().endswith("600")
    with pytest.raises(NightError, match="no night is being played"):
        call(run_folder, {"command": "stop"})


def asking(place: Venue, after: int, *requests: dict[str, Any]) -> Venue:
    """The same place, where other commands ask for something while the match of that position is played."""
    answers_file = place.home.folder / "answers"

    def play(order: MatchOrder) -> MatchRecord:
        if order.position == after and not answers_file.exists():
            found = []
            for request in requests:
                try:
                    found.append(call(place.home.run, request))
                except NightError as error:
                    found.append({"refused": str(error)})
            answers_file.write_text(json.dumps(found))
        return make_up(order)

    return replace(place, player=FunctionPlayer(play))


def test_a_command_is_carried_out_the_moment_the_socket_exists(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that is there before anything else happens gets the answer of the night, also when it goes on."""
    callers: list[socket.socket] = []
    real = ControlSocket.open

    def open_and_call(control: ControlSocket, answer: Answer) -> None:
        real(control, answer)
        callers.append(socket.socket(socket.AF_UNIX))
        callers[-1].connect(str(tmp_path / "run" / SOCKET_FILE))
        callers[-1].sendall(b'{"command": "drop", "bot": "bot%d"}\n' % len(callers))

    monkeypatch.setattr(ControlSocket, "open", open_and_call)
    assert not run(stopping(venue(store, tmp_path), 5, Haste.AFTER_RUNNING), LONG).finished
    assert resume_night(venue(store, tmp_path), RULES.name).finished
    answers = [json.loads(caller.recv(1000)) for caller in callers]
    for caller in callers:
        caller.close()
    assert answers == [{"bot": "bot1:1", "from_round": 1}, {"bot": "bot2:1", "from_round": 1}]


def answers_of(place: Venue) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((place.home.folder / "answers").read_text())
    return found


def bots_by_round(store: Store) -> list[set[str]]:
    """Who played in each round."""
    total = store.count_matches(MatchFilter(league=RULES.name))
    rounds: dict[int, set[str]] = {}
    for match in store.matches(MatchFilter(league=RULES.name), limit=total):
        rounds.setdefault(match.round, set()).update(seat.label for seat in match.seats)
    return [rounds[number] for number in sorted(rounds)]


LONG = NightPlan((2, 3), encounters=15, repeat=True)


def test_bots_join_and_leave_a_running_night(store: Store, tmp_path: Path) -> None:
    """`add` and `drop` act at the next round, also a new version in the place of the old one; what was played stays."""
    events: list[NightEvent] = []
    with open_store(tmp_path) as submitting:
        hand_in_all(submitting, ["late"])
    night = store.entries(RULES.name)
    late = next(version for version in night if version.bot == "late")
    store.withdraw("late")
    place = asking(
        venue(store, tmp_path, events=events), 4,
        {"command": "add", "bot": "late"},
        {"command": "drop", "bot": "bot2"},
        {"command": "drop", "bot": "bot2"},
        {"command": "add", "bot": "bot3"},
        {"command": "workers", "count": 2},
        {"command": "workers", "count": 0},
        {"command": "add", "bot": "nobody"},
    )  # fmt: skip

    def submit_meanwhile(event: NightEvent) -> None:
        events.append(event)
        if isinstance(event, RoundPlanned) and event.number == 0:
            # As `arena submit` of another process would: the night is not disturbed by it.
            store.restore("late")
            store.submit(submission("bot1", "a tester", "new", ("true",)), (RULES.name,))

    place = replace(place, report=submit_meanwhile)
    summary = run(place, LONG)
    assert summary.finished
    answers = answers_of(place)
    assert answers[0] == {"bot": late.label, "from_round": 1, "replaced": None}
    assert answers[1] == {"bot": "bot2:1", "from_round": 1}
    assert "does not play in this night" in answers[2]["refused"]
    assert "already plays in this night" in answers[3]["refused"]
    assert answers[4] == {"workers": 2}
    assert "1 to 1024" in answers[5]["refused"]
    assert "not entered" in answers[6]["refused"]
    rounds = bots_by_round(store)
    assert "late:1" not in rounds[0] and all("late:1" in bots for bots in rounds[1:])
    assert "bot2:1" in rounds[0] and all("bot2:1" not in bots for bots in rounds[1:])
    assert all("bot1:2" not in bots for bots in rounds)
    assert of_kind(events, EntrantAdded) == [EntrantAdded("late:1", 1, None)]
    assert of_kind(events, EntrantDropped) == [EntrantDropped("bot2:1", 1)]
    assert of_kind(events, WorkersChanged) == [WorkersChanged(2)]


def test_a_new_version_takes_the_place_of_the_old(store: Store, tmp_path: Path) -> None:
    """Two versions of one bot never play in one round; one that has left does not come back, unless it has not left."""
    place = asking(
        venue(store, tmp_path), 4,
        {"command": "add", "bot": "bot1"},
        {"command": "drop", "bot": "bot2"},
        {"command": "add", "bot": "bot2"},
    )  # fmt: skip

    def report(event: NightEvent) -> None:
        if isinstance(event, RoundPlanned) and event.number == 0:
            store.submit(submission("bot1", "a tester", "new", ("true",)), (RULES.name,))

    place = replace(place, report=report)
    assert run(place, LONG).finished
    assert answers_of(place)[0] == {"bot": "bot1:2", "from_round": 1, "replaced": "bot1:1"}
    rounds = bots_by_round(store)
    assert "bot1:1" in rounds[0] and "bot1:2" not in rounds[0]
    assert all("bot1:2" in bots and "bot1:1" not in bots for bots in rounds[1:])
    assert all("bot2:1" in bots for bots in rounds)


@pytest.mark.parametrize(("first", "then"), [(1, 3), (3, 1)])
def test_a_night_plays_with_as_many_workers_as_it_is_told(store: Store, tmp_path: Path, first: int, then: int) -> None:
    """The round that is being played keeps its workers; every later one has as many as were asked for."""
    place = asking(venue(store, tmp_path, workers=first), 4, {"command": "workers", "count": then})
    seen = os.open(tmp_path / "seen", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def play(order: MatchOrder) -> MatchRecord:
        os.write(seen, f"{order.round} {os.getpid()}\n".encode())
        return place.player.play(order)

    # A night that never came to another number would begin for ever: it ends after so many looks at the time.
    left_s = itertools.chain(itertools.repeat(1e9, 100), itertools.repeat(-1.0)).__next__
    assert run(replace(place, player=FunctionPlayer(play), left_s=left_s), LONG).finished
    os.close(seen)
    workers: dict[int, set[int]] = {}
    for line in (tmp_path / "seen").read_text().splitlines():
        number, process = map(int, line.split())
        workers.setdefault(number, set()).add(process)
    counts = [len(workers[number]) for number in sorted(workers)]
    # Of three workers each gets a match before any gets a second one.
    assert len(counts) > 2
    assert counts == [first] + [then] * (len(counts) - 1)


@pytest.mark.parametrize("seatings", ["rotations", "all"])
def test_all_seatings_of_an_encounter_are_dealt_alike(
    store: Store, tmp_path: Path, seatings: Literal["rotations", "all"]
) -> None:
    """In the night as it is played every match of an encounter has one seed, no two encounters have the same one, and
    another night has others."""
    seeds: dict[tuple[int, int], set[str]] = {}
    for number in (1, 2):
        run_night(venue(store, tmp_path), RULES, RATING, replace(PLAN, seatings=seatings), SEED + bytes([number]))
    played = store.matches(MatchFilter(league=RULES.name), limit=store.count_matches())
    for match in played:
        _, seed, _ = json.loads(store.replay(match.match_id))
        seeds.setdefault((match.night, match.encounter), set()).add(seed)
    assert len(played) >= 2 * len(seeds)
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) > 20


def never_more_than_all(events: list[NightEvent]) -> list[Progress]:
    """All progress that was told, when no line of it says that more is done than there is."""
    told: list[Progress] = of_kind(events, Progress)
    assert told and all(event.done <= event.total for event in told)
    assert told[-1].done == told[-1].total
    return told


def test_the_total_counts_the_extra_encounters_of_a_knockout(store: Store, tmp_path: Path) -> None:
    """Pairings that stand level are played on; at no moment are more matches done than there are."""

    def level(order: MatchOrder) -> MatchRecord:
        record = make_up(order)
        return replace(record, seats=tuple(replace(seat, rank=0, cause=None) for seat in record.seats))

    events: list[NightEvent] = []
    plan = NightPlan((2,), 1, schedule="knockout")
    assert run(venue(store, tmp_path, level, events=events), plan).finished
    usual = plan.fit(6).make_schedule().matches_ahead(6)
    assert never_more_than_all(events)[-1].total == 4 * usual
    assert of_kind(events, NightOpened)[0].matches == usual


@pytest.mark.parametrize("schedule", ["round_robin", "swiss", "ladder"])
def test_the_total_follows_who_leaves_and_a_resumed_night_counts_who_plays(
    store: Store, tmp_path: Path, schedule: ScheduleName
) -> None:
    """Bots that were dropped or suspended are in no number that is told afterwards."""
    events: list[NightEvent] = []
    here = venue(store, tmp_path, events=events)
    plan = NightPlan((2, 3), 20, repeat=True, schedule=schedule)

    def dropping(order: MatchOrder) -> MatchRecord:
        if order.position == 3:
            call(tmp_path / "run", {"command": "drop", "bot": "bot1"})
            call(tmp_path / "run", {"command": "stop", "haste": "after_round"})
        return make_up(order)

    assert not run(replace(here, player=FunctionPlayer(dropping)), plan).finished
    before = of_kind(events, NightOpened)[0]
    events.clear()
    assert resume_night(replace(venue(store, tmp_path), report=events.append), RULES.name).finished
    again = of_kind(events, NightOpened)[0]
    assert set(before.entrants) - set(again.entrants) == {"bot1:1", "crasher:1"}
    assert 0 < again.done < again.matches < before.matches
    assert again.matches == never_more_than_all(events)[-1].total == store.count_matches(MatchFilter(league=RULES.name))


def test_a_knockout_takes_nobody_after_the_draw(store: Store, tmp_path: Path) -> None:
    """The request is refused in a sentence; at the end the night has a podium."""
    place = asking(venue(store, tmp_path), 1, {"command": "add", "bot": "bot1"})
    summary = run(place, NightPlan((2, 3), 2, schedule="knockout"))
    assert "after the draw" in answers_of(place)[0]["refused"]
    assert len(set(summary.podium)) == 4


def test_added_bots_and_changed_workers_are_resumed_exactly(tmp_path: Path) -> None:
    """A night in which bots came and went, stopped and gone on, ends as the one that was not stopped."""
    outcomes = []
    for haste in (None, Haste.NOW):
        folder = tmp_path / str(haste)
        with open_store(folder) as store:
            hand_in_all(store, [*names(6), "late"])
            late = store.version("late").id
            first = [version.id for version in store.entries(RULES.name) if version.id != late]
            store.withdraw("late")
            place = asking(
                venue(store, folder), 4, {"command": "add", "bot": "late"}, {"command": "drop", "bot": "bot2"}
            )

            def restore(event: NightEvent, store: Store = store) -> None:
                if isinstance(event, RoundPlanned) and event.number == 0:
                    store.restore("late")

            assert len(first) == 6
            place = replace(place, report=restore)
            if haste is not None:
                stopped = stopping(place, 70, haste)

                def both(event: NightEvent, stop: Venue = stopped, act: Any = restore) -> None:
                    act(event)
                    stop.report(event)

                assert not run(replace(stopped, report=both), LONG).finished
                assert resume_night(venue(store, folder, workers=2), RULES.name).finished
            else:
                assert run(place, LONG).finished
            outcomes.append(outcome(store))
    assert outcomes[0] == outcomes[1]


def test_no_round_begins_that_would_end_too_late(store: Store, tmp_path: Path) -> None:
    """The night stops before the round that is expected to take longer than is left, and goes on later; without time
    it does not begin; where nothing was measured the first round does."""
    events: list[NightEvent] = []
    times = itertools.count(0, 1.0)
    place = replace(venue(store, tmp_path, events=events), clock=lambda: next(times), left_s=lambda: 1.0)
    summary = run(place)
    assert not summary.finished
    assert summary.counts.rounds == 1 and summary.counts.planned == 0
    (out,) = of_kind(events, OutOfTime)
    assert out.expected_s > 1.0 == out.left_s
    assert not resume_night(replace(venue(store, tmp_path), left_s=lambda: -1.0), RULES.name).finished
    assert store.night_counts(summary.night).rounds == 1
    assert resume_night(replace(venue(store, tmp_path), left_s=lambda: 1e9), RULES.name).finished
    undisturbed = tmp_path / "undisturbed"
    with open_store(undisturbed) as other:
        hand_in_all(other, names(6))
        run(venue(other, undisturbed))
        assert outcome(store) == outcome(other)


def test_two_homes_with_one_database_exclude_each_other(store: Store, tmp_path: Path) -> None:
    """The lock is the database's as well: from another home the night is refused, and named the process."""

    def report(event: NightEvent) -> None:
        if isinstance(event, RoundPlanned):
            elsewhere = replace(venue(store, tmp_path / "elsewhere"))
            with pytest.raises(NightError, match=rf"with the database .* by process {os.getpid()}"):
                resume_night(elsewhere, RULES.name)

    assert run(replace(venue(store, tmp_path), report=report)).finished


def test_a_season_is_nights_in_sequence(store: Store, tmp_path: Path) -> None:
    """A second night goes on from the ratings of the first; one leaderboard counts both."""
    first = run(venue(store, tmp_path))
    ratings = store.ratings(RULES.name)
    second = run_night(venue(store, tmp_path), RULES, RATING, PLAN, b"another night")
    assert (first.night.number, second.night.number) == (1, 2)
    assert store.ratings(RULES.name) != ratings
    (entry,) = [entry for entry in store.board(RULES.name, View()) if entry.contender.label == "bot1:1"]
    (once,) = [entry for entry in store.board(RULES.name, View(night=1)) if entry.contender.label == "bot1:1"]
    assert entry.tally.matches > once.tally.matches


def test_a_call_that_makes_no_sense_disturbs_nothing(store: Store, tmp_path: Path) -> None:
    """Unknown commands, unknown haste and what is no object are refused in a sentence; the night plays on."""
    run_folder = tmp_path / "run"

    def calling(order: MatchOrder) -> MatchRecord:
        if order.position == 4:
            for request in ({"command": "dance"}, {"command": "stop", "haste": "fast"}, [1]):
                with pytest.raises(NightError, match=r"unknown command|cannot be read"):
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
    """One sentence, no void match, no new night; after the bot is submitted again, the night resumes."""
    place = replace(venue(store, tmp_path), program=stored_program)
    with pytest.raises(NightError, match="files of crasher:1 are missing"):
        run(place)
    assert store.nights() == []
    run(replace(venue(store, tmp_path), left_s=lambda: 0.0))
    with pytest.raises(NightError, match="files of crasher:1 are missing"):
        resume_night(place, RULES.name)
    assert resume_night(replace(place, program=program), RULES.name).finished


def test_a_stored_plan_is_read_strictly() -> None:
    """What another version planned is refused in one sentence."""
    assert NightPlan.from_json(PLAN.as_json()) == PLAN
    with pytest.raises(NightError, match="another version"):
        NightPlan.from_json({"seats": [2]})


def test_adaptive_schedules_see_results_in_schedule_order(store: Store, tmp_path: Path) -> None:
    """What a schedule is shown of a round are its matches as planned, with their ranks."""
    summary = run(venue(store, tmp_path))
    stored = store.matches(MatchFilter(league=RULES.name), limit=store.count_matches())
    played = [match for match in stored if match.round == 0 and match.state is MatchState.FINISHED]
    assert store.round_results(summary.night, 0) == [
        FinishedMatch(
            tuple(seat.version_id for seat in match.seats),
            tuple(seat.rank for seat in match.seats if seat.rank is not None),
            (summary.night.id, match.encounter),
            place=match.position,
        )
        for match in sorted(played, key=lambda match: match.position)
    ]
