"""Generate results without play, to measure the cost of planning, storing and rating alone."""

from __future__ import annotations

from arena.model.records import MatchOrder, MatchRecord, Outcome, SeatResult
from arena.model.seeds import derive

TURNS = 40
LINE = b'{"kind":"turn","turn":%d,"seat":%d,"action":{"type":"take","number":%d},"by":"bot","digest":"%b"}\n'


def make_up(order: MatchOrder) -> MatchRecord:
    """Return a result that depends only on the order, with a replay of typical size."""
    luck = derive(order.seed, order.match_id)
    strengths = [
        derive(program.name.encode(), "strength")[0] + luck[seat] for seat, program in enumerate(order.programs)
    ]
    ranks = [sum(other > strength for other in strengths) for strength in strengths]
    seats = tuple(
        SeatResult(rank, float(strength), turns=TURNS // 2, time_total_s=luck[0] / 100, time_max_s=luck[1] / 1000)
        for rank, strength in zip(ranks, strengths, strict=True)
    )
    lines = [
        LINE % (turn, turn % 2, luck[turn % 32] % 24, derive(luck, f"{turn}").hex()[:16].encode())
        for turn in range(TURNS)
    ]
    return MatchRecord(order.position, Outcome.FINISHED, "game_over", TURNS, seats, b"".join(lines))
