"""The contract of every registered game, tested by random matches at every seat count.

A game is tested if it is registered: `engine/<key>/` listed in `engine.catalog.BUILT_IN`, or an installed package
with an entry point of the group `arena.games`. There is nothing to add here for a new game. To look at one game only:
`pytest tests/engine/test_contract.py -k lanterns`, at one seat count: `-k lanterns-3`.
"""

from __future__ import annotations

import random
from random import Random
from typing import Any

import pytest

from engine.core import CHANCE, IllegalAction, MalformedAction, OptionError
from engine.walk import random_walk, replay_actions, settle_chance
from tests.engine.contract import (
    Table,
    as_json,
    chosen,
    ends,
    fingerprint,
    option_tables,
    positions,
    round_trip,
    seen,
    spoil,
    tables,
    views,
)

MESSAGE_BYTES = 1 << 20
every_table = pytest.mark.parametrize("table", tables(), ids=str)
every_choice = pytest.mark.parametrize("table", option_tables(), ids=str)


@every_table
def test_a_match_ends_within_max_turns(table: Table) -> None:
    """Every random match ends, in at most `max_turns` decisions, which `turn` counts; no chance key comes twice."""
    for seed in range(5):
        ends(table, seed)


@every_choice
def test_a_match_ends_under_every_option(table: Table) -> None:
    """The same under each choice of each option; beliefs fit what is seen; what is not listed is refused."""
    ends(table, 1)
    actions = [step.action for step in random_walk(table.new(), Random(1))]
    for state, rng in positions(table, seed=2, every=5):
        viewer = rng.choice(table.viewers)
        assert as_json(state.resample(viewer, rng).observation(viewer)) == as_json(state.observation(viewer))
        for action in rng.sample(actions, min(len(actions), 10)):
            if state.to_act != CHANCE and action not in set(state.legal_actions()):
                with pytest.raises(IllegalAction):
                    state.clone().apply(action)


@every_table
def test_a_match_is_deterministic(table: Table) -> None:
    """The same actions, chance's among them, give the same views, events and results; no global luck is used."""
    random.seed(1)
    luck = random.getstate()
    first, second = table.new(), table.new()
    steps = list(random_walk(first, Random(3)))
    again = list(replay_actions(second, [step.action for step in steps]))
    assert [step.actor for step in again] == [step.actor for step in steps]
    for viewer in table.viewers:
        assert [seen(step.events, viewer) for step in steps] == [seen(step.events, viewer) for step in again]
    assert views(first) == views(second)
    assert (first.scores(), first.ranks()) == (second.scores(), second.ranks())
    assert random.getstate() == luck


@every_table
def test_chance_depends_on_its_generator_alone(table: Table) -> None:
    """Two equal generators draw the same outcome, looking changes nothing, and the outcome travels as JSON."""
    for state, rng in positions(table, seed=4):
        if state.to_act != CHANCE:
            with pytest.raises(LookupError):
                _ = state.chance_key
            continue
        assert isinstance(state.chance_key, str)
        assert not list(state.legal_actions())
        seed = rng.random()
        before = fingerprint(state, 2)
        action = state.sample_chance(Random(seed))
        assert action == state.sample_chance(Random(seed))
        assert fingerprint(state, 2) == before
        assert table.game.decode(round_trip(table.game.encode(action))) == action


@every_table
def test_legal_actions_are_stable_unique_and_interned(table: Table) -> None:
    """The list comes out the same each time, has no doubles, and each entry is read back as the very same object."""
    game = table.game
    for state, _ in positions(table, seed=5):
        legal = list(state.legal_actions())
        assert bool(legal) == isinstance(state.to_act, int)
        assert list(state.legal_actions()) == legal == list(state.clone().legal_actions())
        assert len(set(legal)) == len(legal)
        written = [as_json(game.encode(action)) for action in legal]
        assert len(set(written)) == len(legal)
        for action in legal:
            assert isinstance(action, tuple)
            assert game.decode(round_trip(game.encode(action))) is action


@every_table
def test_every_legal_action_is_accepted(table: Table) -> None:
    """Each entry of the list can be played."""
    for state, rng in positions(table, seed=6, every=4):
        legal = list(state.legal_actions())
        for action in rng.sample(legal, min(len(legal), 25)):
            state.clone().apply(action)


@every_table
def test_a_refused_action_changes_nothing(table: Table) -> None:
    """An action that is not in the list, of another position, of chance or of no game, is refused without a trace."""
    actions = [step.action for step in random_walk(table.new(), Random(7))]
    refused = 0
    for state, rng in positions(table, seed=8, every=6):
        before = fingerprint(state)
        legal = set(state.legal_actions())
        chance = state.to_act == CHANCE
        wrong = [action for action in rng.sample(actions, min(len(actions), 12)) if action not in legal and not chance]
        for action in [("no", "action"), (), *wrong]:
            with pytest.raises(IllegalAction):
                state.apply(action)
            refused += 1
        assert fingerprint(state) == before
    assert refused > 10


@every_table
@pytest.mark.parametrize(
    "data", [{}, {"type": None}, {"type": "no such type"}, {"type": 1}, {"type": ["draw"]}, {"stall": 1}], ids=str
)
def test_what_is_no_action_is_malformed(table: Table, data: dict[str, Any]) -> None:
    """An object that names no action of the game is `MalformedAction`, never another exception."""
    with pytest.raises(MalformedAction):
        table.game.decode(data)


@every_table
def test_an_unknown_or_strange_field_is_malformed(table: Table) -> None:
    """A field too many, and a field with a value of a wrong kind, are malformed or at least no legal action."""
    game = table.game
    strange: list[Any] = [None, True, -1, 1.5, 10**12, "", "no such name", [], [[]], {}, {"no such name": 1}, [None]]
    for state, rng in positions(table, seed=9, every=9):
        for action in rng.sample(list(state.legal_actions()), min(len(state.legal_actions()), 5)):
            data = game.encode(action)
            with pytest.raises(MalformedAction):
                game.decode({**data, "no_such_field": 0})
            for name in data:
                for value in strange:
                    try:
                        read = game.decode({**data, name: value})
                    except MalformedAction:
                        continue
                    if read not in set(state.legal_actions()):
                        with pytest.raises(IllegalAction):
                            state.apply(read)


@every_table
def test_a_refusal_is_short_plain_text(table: Table) -> None:
    """Whatever a field or its name is, reading it never raises anything but `MalformedAction`, and why an action is
    refused is one short line of printable ASCII: it may end in a terminal or a database.
    """
    game = table.game
    strange: list[Any] = [
        10**5000,
        [-(10**5000)],
        "\x1b[31m\n\ud800\u00e9",
        "a" * 9999,
        [["a"] * 999],
        float("nan"),
        b"",
        {1},
    ]
    state = table.new()
    settle_chance(state, Random(1))
    actions = {str(action[0]): action for action in state.legal_actions()}
    actions |= {
        str(step.action): step.action for step, _ in zip(random_walk(table.new(), Random(2)), range(40), strict=False)
    }
    messages = 0
    for data in map(game.encode, actions.values()):
        for name in [*data, "\x1b[31m\ud800", "b" * 9999, 3]:
            for value in strange:
                spoiled: Any = {**data, name: value}
                with pytest.raises((MalformedAction, IllegalAction)) as refusal:
                    state.apply(game.decode(spoiled))
                message = str(refusal.value)
                assert message.isascii()
                assert message.isprintable()
                assert len(message) < 1000
                messages += 1
    assert messages > 100


@every_table
def test_a_clone_is_independent(table: Table) -> None:
    """Playing a clone to the end leaves the original as it was, and the other way round."""
    for state, rng in positions(table, seed=10, every=8):
        before = fingerprint(state)
        clone = state.clone()
        assert fingerprint(clone) == before
        for _ in random_walk(clone, Random(11)):
            pass
        assert fingerprint(state) == before
        kept, played = state.clone(), state.clone()
        if played.to_act is not None:
            played.apply(chosen(played, rng))
            assert fingerprint(kept) == before


@every_table
def test_observations_are_complete_fresh_json(table: Table) -> None:
    """Every viewer's observation survives JSON, has the common fields, and is no window into the state."""
    for state, _ in positions(table, seed=12, every=3):
        for viewer in table.viewers:
            observation = state.observation(viewer)
            assert round_trip(observation) == observation
            assert observation["viewer"] == viewer
            assert observation["seats"] == table.seats == state.seats
            assert observation["to_act"] == state.to_act
            assert isinstance(observation["turn"], int)
            assert len(observation["tables"]) == table.seats
            assert all(isinstance(entry, dict) for entry in observation["tables"])
            before = as_json(observation)
            spoil(observation)
            assert as_json(state.observation(viewer)) == before
    assert state.game is table.game


@every_table
def test_events_reach_every_viewer_alike(table: Table) -> None:
    """Every viewer gets the same number of events of the same types in the same order; what a spectator sees, all see;
    and each event is JSON and one printable ASCII line.
    """
    for step in random_walk(table.new(), Random(13)):
        public = seen(step.events, None)
        for viewer in table.viewers:
            mine = seen(step.events, viewer)
            assert [event["type"] for event in mine] == [event.type for event in step.events]
            assert round_trip(mine) == mine
            for told, all_see in zip(mine, public, strict=True):
                assert told.items() >= all_see.items()
                line = table.game.describe(told)
                assert line.isprintable()
                assert line.isascii()
        for event in step.events:
            assert set(event.private) <= set(range(table.seats))
            assert all(not set(fields) & {"type", *event.public} for fields in event.private.values())


@every_table
def test_a_sample_of_a_belief_fits_what_is_seen(table: Table) -> None:
    """From an observation as a bot gets it, each viewer can make full states that it cannot tell from the real one:
    equal observation, equal pending chance, and, where it is to act, the equal legal list.
    """
    for seed in range(2):
        for state, rng in positions(table, seed=14 + seed, every=2):
            for viewer in table.viewers:
                observation = round_trip(state.observation(viewer))
                before = as_json(observation)
                belief = table.game.belief(observation)
                for _ in range(2):
                    sample = belief.sample(rng)
                    assert as_json(sample.observation(viewer)) == before
                    assert sample.to_act == state.to_act
                    if state.to_act == viewer is not None:
                        assert list(sample.legal_actions()) == list(state.legal_actions())
                    if state.to_act == CHANCE:
                        assert sample.chance_key == state.chance_key
                    if state.to_act is None and viewer is not None:
                        assert sample.ranks() == state.ranks()
                assert as_json(observation) == before
                assert as_json(state.observation(viewer)) == before


@every_table
def test_a_sample_can_be_played_to_the_end(table: Table) -> None:
    """A sampled state is a whole state: it plays on by the rules, and leaves further samples alone."""
    for state, rng in positions(table, seed=16, every=8):
        viewer = rng.choice(table.viewers)
        belief = table.game.belief(state.observation(viewer))
        first, second = belief.sample(Random(1)), belief.sample(Random(1))
        assert fingerprint(first) == fingerprint(second)
        before = fingerprint(second)
        for _ in random_walk(first, Random(2)):
            pass
        assert first.to_act is None
        assert fingerprint(second) == before
        assert fingerprint(belief.sample(Random(1))) == before


@every_table
def test_nothing_that_a_seat_may_not_know_reaches_it(table: Table) -> None:
    """Two states that differ only in what a viewer may not know are played on by the same actions: as long as the
    viewer sees the same table, it got the same events and has the same legal list.
    """
    compared = 0
    for state, rng in positions(table, seed=17, every=3):
        for viewer in table.viewers:
            real, other = state.clone(), state.resample(viewer, rng)
            for _ in range(6):
                if real.to_act is None or real.to_act != other.to_act:
                    break
                action = chosen(real, rng)
                if real.to_act != CHANCE and action not in set(other.legal_actions()):
                    break  # another seat's action that needs cards which it does not hold in the other state
                try:
                    happened = real.apply(action), other.apply(action)
                except IllegalAction:
                    break  # a chance outcome of other hidden cards
                if as_json(real.observation(viewer)) != as_json(other.observation(viewer)):
                    break  # the rules have shown the viewer something that was hidden
                compared += 1
                assert seen(happened[0], viewer) == seen(happened[1], viewer)
                if real.to_act == viewer is not None:
                    assert list(real.legal_actions()) == list(other.legal_actions())
    assert compared > 20


@every_table
def test_the_largest_message_stays_under_the_limit(table: Table) -> None:
    """A turn message, with the observation, all events since the last turn and the legal list, is under 1 MiB."""
    largest = 0
    for seed in range(3):
        state = table.new()
        waiting: list[list[Any]] = [[] for _ in range(table.seats)]
        for step in random_walk(state, Random(18 + seed)):
            for seat in range(table.seats):
                waiting[seat] += seen(step.events, seat)
            actor = state.to_act
            if isinstance(actor, int):
                legal = [table.game.encode(action) for action in state.legal_actions()]
                message = as_json([state.observation(actor), waiting[actor], legal])
                largest = max(largest, len(message) + 200)  # the other fields of the message
                waiting[seat] = []
    assert largest < MESSAGE_BYTES


@every_table
def test_the_table_is_drawn_in_80_plain_columns(table: Table) -> None:
    """`draw` gives every viewer printable ASCII lines of at most 80 characters."""
    for state, _ in positions(table, seed=21, every=4):
        for viewer in table.viewers:
            text = table.game.draw(round_trip(state.observation(viewer)))
            assert text.isascii()
            for line in text.split("\n"):
                assert len(line) <= 80, line
                assert not line or line.isprintable(), line
                assert line == line.rstrip(), line


@every_table
def test_a_finished_match_is_ranked_and_closed(table: Table) -> None:
    """At the end nobody can act, ranks are well formed and never contradict the scores."""
    for seed in range(5):
        state = table.new()
        actions = [step.action for step in random_walk(state, Random(22 + seed))]
        assert state.to_act is None
        assert not list(state.legal_actions())
        for action in actions[-5:]:
            with pytest.raises(IllegalAction):
                state.apply(action)
        scores, ranks = state.scores(), state.ranks()
        assert len(scores) == len(ranks) == table.seats
        assert all(rank == sum(other < rank for other in ranks) for rank in ranks)
        for score, rank in zip(scores, ranks, strict=True):
            assert all(other_rank > rank for other, other_rank in zip(scores, ranks, strict=True) if other < score)


@every_table
def test_a_game_describes_itself(table: Table) -> None:
    """Key, title, version, seats, options and the setting for ties are there and make sense."""
    game = table.game
    assert game.key.isidentifier()
    assert game.key == game.key.lower()
    assert game.title
    assert game.version >= 1
    assert game.seats.start >= 2
    assert 0 <= game.draw_probability < 1
    assert game.complete_options({}) == {name: option.default for name, option in game.options.items()}
    for option in game.options.values():
        assert option.help
        assert len(option.choices) > 1
    for seats in (0, 1, game.seats.stop, True):
        with pytest.raises(ValueError, match=game.key):
            game.new(seats)
    with pytest.raises(OptionError):
        game.new(table.seats, {"no_such_option": 1})
