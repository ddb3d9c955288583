"""What one viewer sees of Harbour Auction, as an SVG picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.svg import MARGIN, WIDTH, Picture


def draw(observation: Mapping[str, Any]) -> str:
    crate = observation["crate"]
    over = observation["to_act"] is None
    words = "the auction is over" if over else "no crate yet" if crate is None else f"a crate worth {crate}"
    tables = observation["tables"]
    scores = ", ".join(f"seat {seat} has {table['points']}" for seat, table in enumerate(tables))
    picture = Picture(f"Harbour Auction: {words}", f"Points: {scores}.")
    picture.header(words, f"turn {observation['turn']}")
    for seat, table in enumerate(tables):
        _seat(picture, observation, seat, table)
    return picture.svg(40 + 62 * len(tables))


def _seat(picture: Picture, observation: Mapping[str, Any], seat: int, table: Mapping[str, Any]) -> None:
    y = 34 + 62 * seat
    picture.rect(MARGIN, y, WIDTH - 2 * MARGIN, 58, "panel", radius=6)
    picture.seat(28, y + 16, seat, acts=seat == observation["to_act"])
    picture.text(46, y + 20, f"{table['points']} points, {table['cards']} cards", bold=True)
    # A card keeps its id wherever it lies, so a page can move it from the hand to the shown cards.
    for place, card in enumerate(table["shown"]):
        picture.card(200 + 30 * place, y + 5, str(card), "white", id=f"card-{card}")
    if table["laid"]:
        picture.card(340, y + 5, "?", "blue")  # it lies face down; its own seat sees it below
    if seat == observation["viewer"]:
        for place, card in enumerate(observation["me"]["hand"]):
            picture.card(46 + 30 * place, y + 31, str(card), "green", id=f"card-{card}")
        if observation["me"]["laid"] is not None:
            picture.card(340, y + 31, str(observation["me"]["laid"]), "orange", id=f"card-{observation['me']['laid']}")
