"""The base classes: events, options, ranks, seats."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.burn_my_village import GAME
from engine.core import Event, Game, Option, OptionError, ranks_from_scores, shown, shown_names

OPTIONS = {
    "speed": Option("slow", ("slow", "fast"), "how fast"),
    "count": Option(1, (0, 1, 2), "how many"),
    "open": Option(True, (True, False), "whether all is open"),
    "limit": Option(None, (None, 1), "most of it"),
}


class Bare(Game):
    """A game that only has options."""

    key, title, version, seats, draw_probability, max_turns = "bare", "Bare", 1, range(2, 4), 0.1, 10
    options = OPTIONS

    def new(self, seats: int, options: Any = None) -> Any:
        raise NotImplementedError

    def encode(self, action: Any) -> Any:
        raise NotImplementedError

    def decode(self, data: Any) -> Any:
        raise NotImplementedError

    def belief(self, observation: Any) -> Any:
        raise NotImplementedError


BARE = Bare()


def test_an_event_shows_private_fields_to_their_seat_alone() -> None:
    """Public fields go to all, private ones to one seat, and `type` to everyone."""
    event = Event("deal", {"seat": 2, "count": 1}, {2: {"cards": ["axe"]}})
    assert event.seen_by(2) == {"type": "deal", "seat": 2, "count": 1, "cards": ["axe"]}
    for viewer in (None, 0, 1, 3):
        assert event.seen_by(viewer) == {"type": "deal", "seat": 2, "count": 1}


def test_what_a_viewer_does_to_its_view_stays_there() -> None:
    """`seen_by` gives a fresh dictionary each time."""
    event = Event("draw", {"seat": 1})
    event.seen_by(None)["seat"] = 5
    assert event.seen_by(None) == {"type": "draw", "seat": 1}


def test_options_are_settled_to_every_name() -> None:
    """What is not given takes its default."""
    assert BARE.complete_options() == {"speed": "slow", "count": 1, "open": True, "limit": None}
    assert BARE.complete_options({"count": 2, "open": False})["count"] == 2


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"sped": "fast"}, "did you mean 'speed'?"),
        ({"zzz": 1}, "expected one of speed, count, open, limit"),
        ({"speed": "medium"}, 'expected one of "slow", "fast", got "medium"'),
        ({"count": True}, "expected one of 0, 1, 2, got true"),
        ({"count": 1.0}, "got 1.0"),
        ({"open": 1}, "expected one of true, false, got 1"),
        ({"limit": False}, "expected one of null, 1, got false"),
    ],
)
def test_a_wrong_option_is_explained(given_options: dict[str, Any], message: str) -> None:
    """Unknown names and values that are no choice are refused, with what was expected; 1, 1.0 and true differ."""
    with pytest.raises(OptionError) as refusal:
        BARE.complete_options(given_options)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("speed", "fast", "fast"),
        ("speed", '"fast"', "fast"),
        ("count", "2", 2),
        ("open", "false", False),
        ("limit", "null", None),
    ],
)
def test_an_option_is_read_from_a_command_line(name: str, text: str, value: Any) -> None:
    """The JSON text of a choice, or the bare string, names it."""
    read = BARE.option_from_text(name, text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(("name", "text"), [("count", "3"), ("count", "two"), ("open", "True"), ("spee", "fast")])
def test_a_wrong_option_text_is_refused(name: str, text: str) -> None:
    """Everything else is an `OptionError`."""
    with pytest.raises(OptionError):
        BARE.option_from_text(name, text)


@pytest.mark.parametrize("seats", [0, 1, 4, -2, True, False, 2.5])
def test_a_wrong_number_of_seats_is_refused(seats: Any) -> None:
    """Only the numbers in `Game.seats` pass."""
    with pytest.raises(ValueError, match="bare is played by 2 to 3 seats"):
        BARE.check_seats(seats)
    assert BARE.check_seats(3) == 3


def test_a_game_without_pictures_shows_json() -> None:
    """`draw` and `describe` have defaults that show everything."""
    assert BARE.draw({"turn": 1}) == '{\n "turn": 1\n}'
    assert BARE.describe({"type": "draw"}) == '{"type": "draw"}'


def test_a_game_has_no_component_table_of_its_own() -> None:
    """`None` says so: no table could take the place of another."""
    assert BARE.check_tables({}) is None


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=6))
def test_ranks_count_those_ahead(keys: list[tuple[int, int]]) -> None:
    """A rank is the number of better entries: the best has 0, equals share, and order is kept."""
    ranks = ranks_from_scores(keys)
    assert min(ranks) == 0
    for one, rank in zip(keys, ranks, strict=True):
        for other, other_rank in zip(keys, ranks, strict=True):
            assert (one == other) == (rank == other_rank)
            assert (one > other) == (rank < other_rank)


def test_resample_is_a_sample_of_the_belief() -> None:
    """`State.resample` uses the observation alone: the same generator gives the same state."""
    state = GAME.new(2)
    rng = Random(5)
    state.apply(state.sample_chance(rng))
    state.apply(state.sample_chance(rng))
    assert state.resample(1, Random(6)) == GAME.belief(state.observation(1)).sample(Random(6))


def test_what_cannot_be_written_is_still_named() -> None:
    """A value without a text of its own is named by its type, and neither long values nor many names flood a line."""
    assert shown(10**5000) == "a value of type int that cannot be written"
    deep: list[Any] = []
    for _ in range(10**5):
        deep = [deep]
    assert shown(deep) == "a value of type list that cannot be written"
    assert shown("é" * 99) == "'" + "\\xe9" * 19 + "..."
    assert len(shown_names([f"name{number}" for number in range(99)])) == 200
