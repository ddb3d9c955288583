"""Answers with a long note, of which only a part is stored."""

from playing import always

always('{"action":0,"note":"' + "no" * 20_000 + '"}')
