"""Lanterns for human readers: the board as text, and each event as one line, exactly as printed."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from engine.lanterns import GAME
from engine.lanterns.text import WIDTH
from tests.engine.lanterns.table import counted, play, position, start

E7 = "p 25@-1,0/1; p 2@0,1/0; p 27@-1,1/3; p 3@-1,-1/2"


def drawn(text: str) -> str:
    """The expected text, written in the test with the indentation of the code."""
    return dedent(text).strip("\n")


def test_a_lake_is_drawn_with_coordinates_and_sides() -> None:
    """The lake with north at the top: each tile's four sides, `*` a platform, `[ ]` the last tile, `.` an empty cell
    where a tile may go; then supplies, stacks, seats and the viewer's own tiles.
    """
    state = start(2, 0, "25 27 10 2 9 3")
    play(state, E7)
    assert GAME.draw(state.observation(0)) == drawn("""
        Lanterns, turn 4: seat 0 (N) to exchange; 18 placements left

             -2  -1   0   1
          2       .   .
                +---+---+
                | W | B |
          1   . |B*O|O G| .
                | O | B |
                +---+---+
                | O | R |
          0   . |B*B|B W| .
                | O | K |
                +---+---+
                | O |
         -1   . [K G] .
                | B |
                +---+
         -2       .

        supply B1 G5 K4 O0 P5 R4 W4   favor 16   generic no limit   stack 12   out 13
        four 8 7 6 5 5 4   pairs 9 8 7 6 5 5   seven 10 9 8 7 6 5

          seat side   B  G  K  O  P  R  W  cards favor tiles score  tokens
        >s  0    N   2  .  .  3  .  1  1      7     3     3     0
            1    S   2  .  1  2  .  .  .      5     1     3     0
        hand of seat 0 (sides N, E, S, W): 1 BBKP, 5 BPKO, 10 BWGP
        """)


def test_the_table_before_and_after_the_match() -> None:
    """Without a lake there is none drawn; a finished match says so, an empty stack says `none`."""
    first = GAME.draw(GAME.new(4).observation(None)).split("\n")
    assert first[0] == "Lanterns: setting up"
    assert first[2].startswith("supply B8 G8 K8 O8 P8 R8 W8   favor 20")
    assert not any("hand of" in line for line in first)
    seats = [counted("G3"), counted("B3 W2")]
    over = position(seats, taken=[[8, 4, 9], [4]], empty="four", final=True, generic_limit="3")
    lines = GAME.draw(over.observation(None)).split("\n")
    assert lines[0] == "Lanterns after 0 turns: the match is over"
    assert "generic 3" in lines[-6]
    assert lines[-5] == "four none   pairs 9 8 7 6 5 5   seven 10 9 8 7 6 5"
    assert lines[-2:] == [
        " s  0    N   .  3  .  .  .  .  .      3     0     0    21  8 4 9",
        "    1    S   3  .  .  .  .  .  2      5     0     0     4  4",
    ]
    final = position([counted("G4"), ""], final=True)
    assert GAME.draw(final.observation(None)).split("\n")[0] == "Lanterns, turn 0: seat 0 (N) to dedicate; final goes"


def test_a_wide_lake_is_drawn_in_parts() -> None:
    """A lake wider than the terminal comes in several pictures, west to east, each with its coordinates."""
    state = start(2, 0, "1 2 3 4 5 6")
    for x in range(1, 21):
        state.apply(next(action for action in state.legal_actions() if (action.x, action.y) == (x, 0)))  # type: ignore[attr-defined]
        while state.step != "place":
            state.apply(state.legal_actions()[0])
    lines = GAME.draw(state.observation(0)).split("\n")
    headers = [
        line.split() for line in lines if line.strip() and all(part.lstrip("-").isdigit() for part in line.split())
    ]
    assert headers == [[str(x) for x in range(-1, 17)], [str(x) for x in range(17, 22)]]
    assert all(len(line) <= WIDTH for line in lines)
    assert sum(line.startswith("  0 ") for line in lines) == 2


def test_many_tokens_are_wrapped() -> None:
    """Tokens that do not fit beside the seat go on below, in their column."""
    state = position(["", ""], taken=[[10] * 9 + [4] * 8, []])
    lines = GAME.draw(state.observation(None)).split("\n")
    row = next(index for index, line in enumerate(lines) if line.startswith(">s  0"))
    column = lines[row].index("10")
    assert lines[row][column:] == "10 10 10 10 10 10 10"
    assert lines[row + 1] == " " * column + "10 10 4 4 4 4 4 4 4 4"
    assert all(len(line) <= WIDTH for line in lines)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            {"type": "orient", "seat": 2, "rotation": 1},
            "the red side of the start tile faces seat 2, which begins (turned by 1)",
        ),
        (
            {"type": "shuffle", "cards": ["R", "K"], "hand": [10, 25, 27]},
            "the tiles are dealt; seat 0 takes red (R), seat 1 takes black (K); own tiles 10, 25, 27",
        ),
        (
            {"type": "shuffle", "cards": ["K", "R"]},
            "the tiles are dealt; seat 0 takes black (K), seat 1 takes red (R)",
        ),
        ({"type": "skip", "seat": 1, "step": "exchange"}, "seat 1 does not exchange"),
        ({"type": "skip", "seat": 1, "step": "dedicate"}, "seat 1 does not dedicate"),
        (
            {"type": "exchange", "seat": 0, "give": "B", "take": "W"},
            "seat 0 pays 2 favor and blue (B) for white (W)",
        ),
        ({"type": "dedicate", "seat": 3, "cards": "BBGGKK", "value": 9}, "seat 3 dedicates BBGGKK for 9"),
        ({"type": "discard", "seat": 0, "card": "P"}, "seat 0 discards purple (P)"),
        ({"type": "draw", "seat": 0, "tile": 1}, "seat 0 draws tile 1"),
        ({"type": "draw", "seat": 0}, "seat 0 draws a tile"),
    ],
)
def test_events_as_one_line(event: dict[str, Any], line: str) -> None:
    """What each event reads like, for the seat that sees more and for the others."""
    assert GAME.describe(event) == line


def test_placements_as_one_line() -> None:
    """A placement tells where, what it earned, and who took which card; a shortage shows."""
    state = start(2, 0, "25 27 10 2 9 3")
    lines = [GAME.describe(event.seen_by(0)) for event in play(state, E7) if event.type == "place"]
    assert lines == [
        "seat 0 places tile 25 at -1,0 turned by 1; bonus B; earns 1 favor; O to seat 0, O to seat 1",
        "seat 1 places tile 2 at 0,1 turned by 0; B to seat 0, B to seat 1",
        "seat 0 places tile 27 at -1,1 turned by 3; bonus O O; earns 2 favor; W to seat 0, O to seat 1",
        "seat 1 places tile 3 at -1,-1 turned by 2; earns 1 favor; B to seat 1",
    ]
    nothing = {
        "type": "place",
        "seat": 0,
        "tile": 9,
        "x": 2,
        "y": 0,
        "rotation": 0,
        "bonus": "",
        "favor": 0,
        "gains": [None, None],
    }
    assert GAME.describe(nothing) == "seat 0 places tile 9 at 2,0 turned by 0; nobody takes a card"
