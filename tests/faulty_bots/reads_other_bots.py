"""Reads the program of another bot."""

from playing import targets, tries

tries(lambda: open(targets()["other_bot"]).read())
