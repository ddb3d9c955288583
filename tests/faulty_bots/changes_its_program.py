"""Changes its own program, for the matches to come."""

from playing import tries


def change():
    with open(__file__, "a") as file:
        file.write("# changed\n")


tries(change)
