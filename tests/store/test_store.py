"""Tests of the store: everything is stored once and atomically, with the same result in any order, after any kill."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.errors import NightError, SettingsError, StoreError, SubmissionRefused, UsageError
from arena.model.causes import Cause
from arena.model.records import Outcome, PlannedMatch, Program, Unkillable, VoidRecord
from arena.ratings.live import RatingSettings, fold
from arena.ratings.standings import BoardEntry
from arena.store.store import Store
from arena.store.values import EntrantState, MatchFilter, MatchState, NewNight, NightState, Verification, View
from tests.support.databases import place
from tests.support.helpers import submission
from tests.support.store_cases import RATING, RULES, begin, entrants, plan, rated_matches, result, submit

pytestmark = pytest.mark.usefixtures("database")

LEAGUE = RULES.name


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(place(tmp_path), now=lambda: datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)) as opened:
        opened.keep_league(RULES, RATING)
        yield opened


def test_a_night_runs_from_hand_in_to_board(store: Store) -> None:
    """Plan, record, rate, close: the board shows each entrant with its counts and rating."""
    night = begin(store)
    assert store.open_night(LEAGUE) == night
    store.plan_round(night, plan(entrants(store, night), 4))
    assert [match.position for match in store.unplayed(night)] == [0, 1, 2, 3]
    assert store.rounds(night) == 1
    assert store.record(night, [result(night, position) for position in range(4)]) == (0, 1, 2, 3)
    assert store.unplayed(night) == []
    assert store.update_ratings(LEAGUE) == 4
    closed = store.close_night(night)
    assert (closed.state, closed.ended_at) == (NightState.CLOSED, "2030-01-02T03:04:05Z")
    assert store.open_night(LEAGUE) is None
    counts = store.night_counts(night)
    assert (counts.played, counts.planned, counts.rounds) == (4, 0, 1)
    board = {entry.contender.bot: entry for entry in store.board(LEAGUE)}
    assert [entry.tally.matches for entry in board.values()] == [3, 3, 2]
    assert board["bot0"].tally.time_us == 100_000 + 300_000 + 400_000
    assert store.ratings(LEAGUE) == {entry.contender.version_id: entry.rating for entry in board.values()}
    assert store.replay(night.match_id(3)) == b'{"replay":3}\n'


def test_the_plan_comes_back_as_it_was_written(store: Store) -> None:
    """Resuming plays exactly the planned rows: position, encounter, rotation and seating."""
    night = begin(store, 4)
    first = plan(entrants(store, night), 5)
    store.plan_round(night, list(reversed(first)))
    second = plan(entrants(store, night), 3, start=5, round_number=1)
    store.plan_round(night, second)
    assert store.unplayed(night) == first + second
    assert store.rounds(night) == 2


def test_a_round_is_planned_once_and_whole(store: Store) -> None:
    """A round that overlaps another leaves no trace of itself."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 4))
    with pytest.raises(NightError, match="friday-night-1-3 is already planned"):
        store.plan_round(night, plan(entrants(store, night), 3, start=3))
    assert len(store.unplayed(night)) == 4
    store.plan_round(night, [])
    assert store.rounds(night) == 1


def test_one_version_never_sits_in_two_seats(store: Store) -> None:
    """The database itself refuses such a match."""
    night = begin(store)
    version = entrants(store, night)[0]
    with pytest.raises(StoreError):
        store.plan_round(night, [PlannedMatch(0, 0, 0, 0, (version, version))])


def test_a_result_counts_once(store: Store) -> None:
    """The same result again, in the same batch or later, changes neither counts nor replay nor ratings."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 4))
    other = result(night, 0, (1, 0))
    assert store.record(night, [result(night, 0), other, result(night, 1)]) == (0, 1)
    before = store.board(LEAGUE)
    assert store.record(night, [other, result(night, 1)]) == ()
    assert store.record(night, []) == ()
    assert store.board(LEAGUE) == before
    assert [seat.rank for seat in store.match(night.match_id(0)).seats] == [0, 1]


def test_a_batch_is_stored_whole_or_not_at_all(store: Store) -> None:
    """One result that cannot be stored keeps its whole batch out."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 4))
    for wrong, message in [
        (result(night, 9), "is not planned"),
        (result(night, 1, (0, 1, 2)), "has 3 seats: expected 2"),
    ]:
        with pytest.raises(StoreError, match=message):
            store.record(night, [result(night, 0), wrong])
    assert len(store.unplayed(night)) == 4
    assert store.board(LEAGUE) == []


def _whole_night(folder: Path, order: list[int], batch: int, rate_every: int) -> tuple[list[BoardEntry], list[int]]:
    with Store.open(place(folder)) as store:
        night = begin(store, 4)
        store.plan_round(night, plan(entrants(store, night), len(order)))
    folded = []
    for start in range(0, len(order), batch):
        with Store.open(place(folder)) as store:  # a new process each time, as after a kill
            store.record(
                night,
                [
                    result(night, position, cause=Cause.CRASHED if position % 4 == 1 else None)
                    if position % 6
                    else result(night, position, cause=Cause.TURN_LATE, outcome=Outcome.NO_CONTEST)
                    for position in order[start : start + batch]
                ],
            )
            if start % rate_every == 0:
                folded.append(store.update_ratings(LEAGUE))
    with Store.open(place(folder)) as store:
        store.update_ratings(LEAGUE)
        return store.board(LEAGUE), folded


@pytest.mark.parametrize("seed", range(4))
def test_neither_order_nor_batches_nor_kills_change_a_digit(tmp_path: Path, seed: int) -> None:
    """The same results in any order, in any batches, rated at any moments, give an equal board."""
    luck = random.Random(seed)
    order = list(range(40))
    expected, _ = _whole_night(tmp_path / "straight", order, 40, 1)
    luck.shuffle(order)
    found, _ = _whole_night(tmp_path / "shuffled", order, luck.choice([1, 3, 7]), luck.choice([1, 2]))
    assert found == expected


def test_the_fold_stops_at_the_first_match_that_is_not_played(store: Store) -> None:
    """Ratings follow schedule order: a later result waits for the earlier one."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 4))
    store.record(night, [result(night, position) for position in (0, 2, 3)])
    assert store.update_ratings(LEAGUE) == 1
    assert [match.place for match in rated_matches(store)] == [0]
    store.record(night, [result(night, 1)])
    assert store.update_ratings(LEAGUE) == 3
    assert store.update_ratings(LEAGUE) == 0
    assert store.ratings(LEAGUE) == fold({}, rated_matches(store), RATING)
    assert [len(match.versions) for match in rated_matches(store, seats=2)] == [2, 2, 2, 2]


def test_a_match_without_a_finisher_is_counted_and_not_rated(store: Store) -> None:
    """No contest: forfeits are counted, ratings and ranks are not touched, the fold goes on."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 2))
    nobody = result(night, 0, (0, 0), cause=Cause.STARTUP_LATE, outcome=Outcome.NO_CONTEST)
    store.record(night, [nobody, result(night, 1)])
    assert store.update_ratings(LEAGUE) == 1
    entry = store.board(LEAGUE)[0]
    assert (entry.tally.matches, entry.tally.no_contests, entry.tally.mean_rank) == (0, 1, None)
    assert entry.tally.forfeits == {Cause.STARTUP_LATE: 1}
    assert entry.rating == RATING.prior
    assert store.match(night.match_id(0)).state is MatchState.NO_CONTEST


def test_a_fold_of_a_few_at_a_time_comes_to_the_same(store: Store) -> None:
    """Also past a stretch that rates nobody, which is longer than one fold: none folded means that none is ready."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 12))
    nobody = [result(night, position, cause=Cause.STARTUP_LATE, outcome=Outcome.NO_CONTEST) for position in range(2, 9)]
    store.record(night, [*nobody, *(result(night, position) for position in (0, 1, 9, 10))])
    assert [store.update_ratings(LEAGUE, at_most=3) for _ in range(3)] == [2, 2, 0]
    assert store.ratings(LEAGUE) == fold({}, rated_matches(store), RATING)
    assert store.verify(LEAGUE).holds


def test_a_parked_match_waits_and_is_folded_last(store: Store) -> None:
    """Two void attempts, parked: the fold and the close go on without it; later it counts at the end of the fold."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 3))
    void = VoidRecord(0, "worker_killed", "Traceback \0 \ud800")
    assert [store.record_void(night, void), store.record_void(night, void)] == [1, 2]
    store.park(night, 0)
    with pytest.raises(NightError, match="only a planned match can be parked"):
        store.park(night, 0)
    with pytest.raises(StoreError, match="is parked"):
        store.record(night, [result(night, 0)])
    store.record(night, [result(night, 1), result(night, 2)])
    assert store.update_ratings(LEAGUE) == 2
    store.close_night(night)
    assert [match.position for match in store.matches(MatchFilter(state=MatchState.PARKED))] == [0]
    assert store.unpark(night) == 1
    assert store.open_night(LEAGUE) is not None
    assert [match.position for match in store.unplayed(night)] == [0]
    store.record(night, [result(night, 0)])
    assert store.update_ratings(LEAGUE) == 1
    assert [match.place for match in rated_matches(store)] == [1, 2, 3]
    assert store.ratings(LEAGUE) == fold({}, rated_matches(store), RATING)
    attempts = store.attempts(LEAGUE, match_id=night.match_id(0))
    assert [(attempt.number, attempt.cause) for attempt in attempts] == [(1, "worker_killed"), (2, "worker_killed")]
    assert attempts[0].traceback == "Traceback \\0 \\ud800"
    assert store.unpark(night) == 0


def test_parked_matches_wait_for_an_open_night(store: Store) -> None:
    """While a newer night is open, an older night's parked matches stay parked."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 1))
    store.park(night, 0)
    store.close_night(night)
    begin(store)
    with pytest.raises(NightError, match="night 2 of friday-night is open"):
        store.unpark(night)


def test_one_open_night_a_league(store: Store) -> None:
    """A second night is refused with the two ways on; abandoning one keeps what was played and rates it."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 4))
    with pytest.raises(NightError, match=r"`arena night resume friday-night`.*`arena night abandon friday-night`"):
        begin(store)
    with pytest.raises(NightError, match="4 matches are still unplayed"):
        store.close_night(night)
    store.record(night, [result(night, 1)])
    assert store.abandon_night(night).state is NightState.ABANDONED
    assert store.update_ratings(LEAGUE) == 1
    assert store.night_counts(night).abandoned == 3
    with pytest.raises(NightError, match="is abandoned, not open"):
        store.close_night(night)
    following = begin(store)
    assert (following.number, [found.number for found in store.nights(LEAGUE)]) == (2, [2, 1])
    assert store.night(LEAGUE, 1).id == night.id
    with pytest.raises(UsageError, match="no night 7: expected one of 1 to 2"):
        store.night(LEAGUE, 7)


def test_a_night_keeps_what_it_is_played_by(store: Store) -> None:
    """Rules, seed, plan and layers come back equal, whatever the settings say later."""
    night = begin(store)
    assert (night.rules, night.seed, night.sandbox) == (RULES, b"s" * 16, ("rlimits",))
    assert night.plan == {"schedule": "round_robin"}
    assert "s" * 16 not in repr(night)


def test_a_league_that_was_played_keeps_its_rules(store: Store) -> None:
    """Game, options and rating settings are fixed from the first night on; the refusal names the difference."""
    changed = RULES.model_copy(update={"options": {"variant": "long"}})
    assert store.keep_league(changed, RATING).options == {"variant": "long"}
    store.keep_league(RULES, RATING)
    night = begin(store)
    store.close_night(night)
    with pytest.raises(SettingsError, match=r'options.variant not set, now "long"'):
        store.create_night(NewNight(changed, RATING, b"", ()))
    with pytest.raises(SettingsError, match=r"rating.tau 0.0833.*, now 1.0"):
        store.keep_league(RULES, RatingSettings(draw_probability=0.01, tau=1.0))
    with pytest.raises(SettingsError, match="game 'lanterns', now 'hell_village'"):
        store.keep_league(RULES.model_copy(update={"game": "hell_village"}), RATING)
    slower = RULES.model_copy(update={"time_control": "60+1/5", "seats": (4,)})
    assert store.keep_league(slower, RATING).nights == 1
    assert [(found.name, found.bots) for found in store.leagues()] == [(LEAGUE, 3)]
    assert store.has_league(LEAGUE) and not store.has_league("another")


def test_the_same_content_again_changes_nothing(store: Store) -> None:
    """Submitting equal content again gives the same version; other content is the next version."""
    first = submit(store, "greedy", "aa")
    assert (first.is_new, first.version.label, first.entered) == (True, "greedy:1", (LEAGUE,))
    again = submit(store, "greedy", "aa")
    assert (again.is_new, again.version, again.entered) == (False, first.version, ())
    second = submit(store, "greedy", "bb")
    assert (second.version.number, second.entered) == (2, (LEAGUE,))
    old = submit(store, "greedy", "aa")
    assert (old.is_new, old.version.number, old.entered) == (False, 1, ())
    assert [version.label for version in store.entries(LEAGUE)] == ["greedy:2"]
    assert store.version("greedy").number == 2
    assert store.version("greedy:1").digest == "aa"
    assert [version.leagues for version in store.versions("greedy")] == [(), (LEAGUE,)]


def test_a_name_belongs_to_its_first_author(store: Store) -> None:
    """Another author is told to choose another name; nothing is stored."""
    submit(store, "greedy", "aa")
    with pytest.raises(SubmissionRefused, match=r"belongs to a bot of 'ann', not of 'bob'.*--name"):
        submit(store, "greedy", "bb", author="bob")
    for name in ("Greedy", "", "-x", "a" * 33, "a b", "greedy\n"):
        with pytest.raises(SubmissionRefused, match="is no name for a bot"):
            submit(store, name, "cc")
    copied = submit(store, "copycat", "aa", author="bob")
    assert copied.same_content == ("greedy:1",)
    assert [bot.name for bot in store.bots()] == ["copycat", "greedy"]


def test_a_hand_in_for_an_unknown_league_stores_nothing(store: Store) -> None:
    """All or nothing: no bot without its entries; the message names the nearest league."""
    with pytest.raises(UsageError, match="did you mean 'friday-night'"):
        store.submit(submission("greedy", "ann", "aa"), (LEAGUE, "friday-nigth"))
    assert store.bots() == []


def test_withdrawn_bots_do_not_enter_nights(store: Store) -> None:
    """Withdraw and restore act on one league or on all, say where they did, and a new version enters again."""
    store.keep_league(RULES.model_copy(update={"name": "other"}), RATING)
    store.submit(submission("greedy", "ann", "aa"), (LEAGUE, "other"))
    assert store.withdraw("greedy", "other") == ("other",)
    assert store.entries("other") == []
    assert store.withdraw("GREEDY") == (LEAGUE,)
    assert store.bots(LEAGUE)[0].withdrawn == (LEAGUE, "other")
    assert store.restore("greedy") == (LEAGUE, "other")
    assert store.withdraw("greedy", "other") == ("other",)
    store.submit(submission("greedy", "ann", "bb", ("x",)), (LEAGUE, "other"))
    assert [version.number for version in store.entries("other")] == [2]
    with pytest.raises(UsageError, match="no bot 'greddy': did you mean 'greedy'"):
        store.withdraw("greddy")


def test_entrants_come_and_go_between_rounds(store: Store) -> None:
    """Add, drop, suspend and add again keep the order that the plan depends on."""
    night = begin(store)
    ids = entrants(store, night)
    late = submit(store, "late").version.id
    store.add_entrant(night, late, since_round=2)
    store.end_entrant(night, ids[0], EntrantState.SUSPENDED, until_round=3, reason="10 forfeits in a row")
    store.end_entrant(night, ids[1], EntrantState.DROPPED, until_round=3)
    store.add_entrant(night, ids[1], since_round=5)
    states = [(e.version.bot, e.state.value, e.since_round, e.until_round, e.reason) for e in store.entrants(night)]
    assert states == [
        ("bot0", "suspended", 0, 3, "10 forfeits in a row"),
        ("bot1", "active", 5, None, ""),
        ("bot2", "active", 0, None, ""),
        ("late", "active", 2, None, ""),
    ]
    with pytest.raises(NightError, match="not an entrant"):
        store.end_entrant(night, 999, EntrantState.DROPPED, until_round=1)


def test_forfeits_in_a_row_are_counted_in_schedule_order(store: Store) -> None:
    """What decides about a suspension does not depend on which result came first."""
    night = begin(store, 2)
    ids = entrants(store, night)
    store.plan_round(night, [PlannedMatch(position, 0, 0, 0, ids) for position in range(5)])
    crash = {1: Cause.CRASHED, 3: Cause.CRASHED, 4: Cause.MALFORMED}
    order = [4, 1, 3, 0, 2]
    store.record(night, [result(night, position, (0, 1), cause=crash.get(position)) for position in order])
    assert [(streak.version_id, streak.length) for streak in store.forfeit_streaks(night, 2)] == [(ids[1], 2)]
    assert store.forfeit_streaks(night, 3) == []


def test_who_could_not_be_ended_is_stored_with_the_result(store: Store) -> None:
    """Each bot once for each match, together with the result or after it; nothing of a match that was stored before."""
    night = begin(store, 2)
    ids = entrants(store, night)
    store.plan_round(night, [PlannedMatch(position, 0, 0, 0, ids) for position in range(3)])
    first = store.entrants(night)[0].version
    program = Program(first.bot, first.number, first.author, first.digest, "", first.command)
    here = Unkillable(program, 0, works=True)
    store.record(night, [replace(result(night, 0), unkillable=(here, here))])
    store.record(night, [replace(result(night, 0), unkillable=(replace(here, works=False),))])
    later = Unkillable(program, 1, works=False)
    store.record_unkillable(night, [later, later])
    found = [(bot.position, bot.version_id, bot.bot, bot.author, bot.works) for bot in store.unkillable(night)]
    assert found == [
        (0, first.id, first.label, first.author, True),
        (1, first.id, first.label, first.author, False),
    ]
    with pytest.raises(StoreError, match="nobody:1 is not stored"):
        store.record(
            night, [replace(result(night, 2), unkillable=(replace(here, program=replace(program, name="nobody")),))]
        )
    assert store.night_counts(night).played == 1


def test_matches_are_listed_by_league_night_bot_state_and_forfeit(store: Store) -> None:
    """Lists are newest first, in pages, and count what they list."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 6))
    store.record(
        night, [result(night, position, cause=Cause.CRASHED if position < 2 else None) for position in range(5)]
    )

    def found(**chosen: object) -> list[int]:
        filtered = MatchFilter(**chosen)  # type: ignore[arg-type]
        listed = [match.position for match in store.matches(filtered)]
        assert store.count_matches(filtered) == len(listed)
        return listed

    assert found() == [5, 4, 3, 2, 1, 0]
    assert found(league=LEAGUE, night=1) == [5, 4, 3, 2, 1, 0]
    assert found(league=LEAGUE, night=2) == []
    assert found(bot="bot0") == [5, 4, 3, 2, 0]
    assert found(bot="bot0:1", state=MatchState.PLANNED) == [5]
    assert found(forfeits=True) == [1, 0]
    assert found(bot="bot1", forfeits=True) == [1, 0]
    assert [match.position for match in store.matches(limit=2, offset=3)] == [2, 1]
    with pytest.raises(UsageError, match="no version 4"):
        found(bot="bot0:4")
    with pytest.raises(UsageError, match="of which league"):
        found(night=1)


def test_one_match_shows_all_that_is_known(store: Store) -> None:
    """Seats with labels, ranks, causes and times; the bot's output apart."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 2))
    store.record(night, [result(night, 0, (0, 1), cause=Cause.CRASHED)])
    view = store.match("friday-night-1-0")
    assert (view.reason, view.turns, view.finished_at) == ("game_over", 6, "2030-01-02T03:04:05Z")
    winner, loser = view.seats
    assert (winner.label, winner.rank, winner.cause) == ("bot0:1", 0, None)
    assert (loser.rank, loser.cause, loser.detail, loser.time_max_s) == (1, Cause.CRASHED, "late", 0.05)
    assert store.bot_output(view.match_id, 1) == b"oh"
    assert store.bot_output(view.match_id, 0) == b""
    with pytest.raises(UsageError, match="has no replay: it is planned"):
        store.replay("friday-night-1-1")
    for wrong, message in [("friday-night-1-9", "there is no match"), ("friday", "expected LEAGUE-NIGHT-POSITION")]:
        with pytest.raises(UsageError, match=message):
            store.match(wrong)


def test_views_show_a_part_of_a_league(tmp_path: Path) -> None:
    """By night, by seat count and since a day; their ratings are the fold of those matches alone."""
    moments = iter(datetime(2030, 1, day, tzinfo=UTC) for day in range(1, 29))
    now = [next(moments)]
    with Store.open(place(tmp_path), now=lambda: now[0]) as store:
        for _ in range(2):
            night = begin(store)
            store.plan_round(night, plan(entrants(store, night), 10))
            store.record(night, [result(night, position) for position in range(10)])
            store.close_night(night)
            now[0] = next(moments)
        store.update_ratings(LEAGUE)
        whole = store.board(LEAGUE)
        assert store.board(LEAGUE, View()) == whole
        assert sum(entry.tally.matches for entry in whole) == 2 * (8 * 2 + 2 * 3)
        second = store.board(LEAGUE, View(night=2))
        assert sum(entry.tally.matches for entry in second) == 8 * 2 + 2 * 3
        assert second == store.board(LEAGUE, View(since="2030-01-02"))
        three = store.board(LEAGUE, View(seats=3))
        assert sum(entry.tally.matches for entry in three) == 2 * 2 * 3
        assert {entry.contender.version_id: entry.rating for entry in three} == fold(
            {}, rated_matches(store, seats=3), RATING
        )
        assert store.board(LEAGUE, View(night=9)) == []


def test_a_bot_has_a_history_of_ratings_over_versions_and_nights(tmp_path: Path) -> None:
    """After each night one point for each version that played in it, however late and in what pages it was folded."""
    with Store.open(place(tmp_path)) as store:
        expected = []
        for number in (1, 2):
            night = begin(store)
            store.plan_round(night, plan(entrants(store, night), 6))
            store.record(night, [result(night, position) for position in range(6)])
            store.close_night(night)
            ratings = fold({}, rated_matches(store), RATING)
            expected.append((number, 1, ratings[entrants(store, night)[0]]))
            if number == 1:
                submit(store, "bot1", "newer")
        assert store.update_ratings(LEAGUE) == 12
        points = store.rating_history("bot0", LEAGUE)
        assert [(point.night, point.version, point.rating) for point in points] == expected
        assert [point.tally.matches for point in points] == [5, 5]
        assert [(point.night, point.version) for point in store.rating_history("bot1")] == [(1, 1), (2, 1)]
        with pytest.raises(UsageError, match="no bot"):
            store.rating_history("nobody")


def test_ratings_and_counts_come_out_of_the_matches_again(store: Store) -> None:
    """Verifying proves the board of a running night, and finds one digit or one count that was tampered with."""
    night = begin(store, 4)
    store.plan_round(night, plan(entrants(store, night), 40))
    store.record(
        night,
        [
            result(night, position, cause=Cause.CRASHED if position % 3 else None)
            if position % 4
            else result(night, position, cause=Cause.TURN_LATE, outcome=Outcome.NO_CONTEST)
            for position in range(38)
            if position != 30
        ],
    )
    assert store.verify(LEAGUE) == Verification(0, 0, (), ())
    store.update_ratings(LEAGUE)
    assert store.verify(LEAGUE) == Verification(4, 22, (), ())
    store.record(night, [result(night, 30)])
    assert store.verify(LEAGUE).holds
    with store._database.writing() as connection:
        connection.exec_driver_sql("UPDATE rating SET mu = mu + 1e-9 WHERE version_id = 2")
        connection.exec_driver_sql("UPDATE forfeit_tally SET forfeits = forfeits + 1 WHERE version_id = 3")
    found = store.verify(LEAGUE)
    assert not found.holds
    assert [difference.version for difference in found.different_ratings] == [2]
    assert found.different_counts == (3,)
