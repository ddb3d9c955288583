"""Answers with a long note, of which a part is kept."""

from playing import always

always('{"action":0,"note":"' + "no" * 20_000 + '"}')
