"""Placing dice in Hell Village: rules R5."""

from __future__ import annotations

from tests.engine.hell_village.table import (
    decision,
    do,
    listed,
    position,
    stock,
    types,
)


def test_seats_place_one_die_in_turn() -> None:
    """R5.1: round and round in tile order; a seat without dice is passed over, and takes part again with a returned
    die; the phase ends when no seat holds one.
    """
    state = position("placement", 3, order=(1, 0, 2), dice={1: (3, 5), 0: (2,), 2: ()})
    actors = []
    for step in ("3@market", "2@marketx0", "3@laboratory"):
        actors.append(state.to_act)
        if step == "3@laboratory":
            step = "2@laboratory"  # the kicked 3 came back as a 2
        do(state, step)
    assert actors == [1, 0, 1]
    assert (state.to_act, state.dice[1]) == (1, (5,))
    do(state, "5@evil_worship", "gain 0/0/1")
    assert state.phase == "workplaces"
    state = position("placement", 3, dice={1: (2, 5), 2: (3, 4)})
    actors = []
    for step in ("2@market", "3@laboratory", "5@audience_room", "4@audience_room"):
        actors.append(state.to_act)
        do(state, step)
    assert actors == [1, 2, 1, 2]  # that seat 0 is passed over gives nobody a second die in a row


def test_a_full_workplace_can_only_be_entered_by_a_kick() -> None:
    """E5 (R5.2-R5.5): 15 place actions; a die of value 2 throws out a 4, which comes home as a 3."""
    state = position(
        "placement", 2, dice={0: (2, 2, 5), 1: (6,)}, places={"human_realm": [(1, 4)], "weapons_factory": [(1, 2)]}
    )
    free = ["slime_farm", "fairy_mine", "war_room", "laboratory", "market", "audience_room"]
    assert listed(state) == [
        "2@evil_worship", "2@human_realmx0", *[f"2@{at}" for at in free],
        "5@evil_worship", *[f"5@{at}" for at in free],
    ]  # fmt: skip
    do(state, "2@human_realmx0")
    assert state.observation(None)["workplaces"]["human_realm"]["dice"] == [[0, 2]]
    assert state.dice == [(2, 5), (3, 6)]


def test_a_free_space_is_taken_without_a_kick() -> None:
    """R5.2: several own dice may stand in one workplace, and with a space free nobody is kicked."""
    state = position("placement", 4, dice={0: (1, 1)}, places={"human_realm": [(1, 6)]})
    assert "1@human_realm" in listed(state)
    assert "1@human_realmx0" not in listed(state)
    do(state, "1@human_realm", "1@audience_room")
    assert state.workplaces[1] == ((1, 6), (0, 1))


def test_only_larger_dice_of_others_are_kicked() -> None:
    """R5.3: not equal ones, not one's own, and never a 1; equal dice side by side are offered once."""
    places = {"human_realm": [(1, 3), (0, 6)], "weapons_factory": [(1, 1), (2, 2)], "slime_farm": [(1, 4), (1, 4)]}
    state = position("placement", 4, dice={0: (3,)}, places=places)
    assert [action for action in listed(state) if "x" in action] == ["3@slime_farmx0"]
    own = position("placement", 4, dice={0: (3,)}, places=places, options={"kick_own": True})
    assert [action for action in listed(own) if "x" in action] == ["3@human_realmx1", "3@slime_farmx0"]


def test_a_kicked_die_comes_home_lowered() -> None:
    """R5.4: by 1."""
    state = position("placement", 2, dice={0: (1,)}, places={"market": [(1, 6)]})
    events = do(state, "1@marketx0")
    assert [event.seen_by(None) for event in events][1] == {"type": "return", "seat": 1, "die": 5}
    assert state.dice[1] == (5,)


def test_a_newcomer_is_last() -> None:
    """R5.5: dice stand in the order of placement, also after a kick of the first."""
    state = position("placement", 4, dice={0: (1,)}, places={"human_realm": [(1, 4), (2, 5)]})
    do(state, "1@human_realmx0")
    assert state.workplaces[1] == ((2, 5), (0, 1))


def test_demons_act_after_a_kick() -> None:
    """R5.6: Medusa first, then Imp asks; all of it before the next seat places."""
    state = position("placement", 2, dice={0: (1, 6)}, places={"market": [(1, 6)]}, demons={1: "imp medusa"})
    assert types(do(state, "1@marketx0")) == ["place", "return", "score"]
    assert (state.to_act, decision(state)) == (1, {"kind": "imp", "die": 5})
    do(state, "stand")
    assert (state.to_act, state.dice[1]) == (1, (5,))


def test_a_changed_value_lasts() -> None:
    """R5.7: the named value counts for kicking, for being kicked and in the workplace; it stays within 1 to 6."""
    state = position("placement", 2, dice={0: (4,), 1: (2,)}, places={"human_realm": [(1, 4)]}, demons={0: "fanatic"})
    assert [action for action in listed(state) if "human_realm" in action] == ["4@human_realm=3x0"]
    do(state, "4@human_realm=3x0")
    assert state.workplaces[1] == ((0, 3),)
    assert "2@human_realmx0" in listed(state)
    state = position("placement", 2, dice={0: (1, 6)}, demons={0: "fanatic"})
    assert [action for action in listed(state) if "human_realm" in action] == [
        "1@human_realm", "1@human_realm=2", "6@human_realm=5", "6@human_realm",
    ]  # fmt: skip


def test_kerberos_is_paid_before_the_kick() -> None:
    """R5.8: N resources for a distance of N from what is free; the kinds are chosen and paid first."""
    state = position(
        "placement", 2, dice={0: (6,)}, places={"human_realm": [(1, 4)]}, demons={0: "kerberos fanatic"},
        stock={0: (1, 1, 0)},
    )  # fmt: skip
    here = [action for action in listed(state) if "human_realm" in action]
    assert here == ["6@human_realm=3x0"]  # 5 is free, 3 costs the two resources in stock
    do(state, "6@human_realm=3x0")
    assert stock(state, 0) == (0, 0, 0)
    state = position("placement", 2, dice={0: (6,)}, places={"human_realm": [(1, 4)]}, demons={0: "kerberos"})
    do(state, "6@human_realm=2x0")
    assert decision(state) == {"kind": "kerberos", "count": 4}
    assert state.dice == [(6,), ()]  # nothing has moved yet
    do(state, "pay 4/0/0")
    assert state.dice == [(), (3,)]


def test_evil_worship_acts_at_once() -> None:
    """E6 (R5.9): one die of the hand may be set, then 1 EP and 1 any; the die values there play no part."""
    state = position("placement", 3, dice={0: (1, 3), 1: (6,)})
    do(state, "1@evil_worship")
    assert listed(state) == ["stand", "set 3>1", "set 3>2", "set 3>4", "set 3>5", "set 3>6"]
    do(state, "set 3>6")
    assert state.ep[0] == 1
    assert len(listed(state)) == 3
    do(state, "gain 0/0/1")
    assert stock(state, 0) == (4, 4, 5)
    assert state.dice[0] == (6,)
    empty = position("placement", 3, dice={0: (1,)})
    do(empty, "1@evil_worship")
    assert decision(empty)["kind"] == "gain"


def test_a_die_may_be_placed_on_warlock() -> None:
    """R5.10: 4 any at once, one die a round, not kicked; with the option as many as there are."""
    state = position("placement", 2, dice={0: (2, 3)}, demons={0: "warlock"})
    assert listed(state)[-1] == "3@warlock"
    do(state, "2@warlock")
    assert decision(state) == {"kind": "gain", "count": 4}
    do(state, "gain 4/0/0")
    assert state.observation(None)["tables"][0]["warlock_dice"] == [2]
    assert "3@warlock" not in listed(state)
    many = position("placement", 2, dice={0: (2, 3)}, demons={0: "warlock"}, options={"warlock_dice": "any"})
    do(many, "2@warlock", "gain 4/0/0")
    assert "3@warlock" in listed(many)
