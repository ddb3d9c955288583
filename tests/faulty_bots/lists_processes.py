"""Looks for the processes of others."""

from playing import targets, tries


def look():
    with open(f"/proc/{targets()['arena']}/cmdline", "rb") as file:
        return bool(file.read())


tries(look)
