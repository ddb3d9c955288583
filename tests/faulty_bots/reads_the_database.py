"""Reads the arena's database."""

from playing import targets, tries

tries(lambda: open(targets()["database"], "rb").read())
