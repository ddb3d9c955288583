"""`python -m arena`: the same as the program `arena`."""

from arena.cli import run

if __name__ == "__main__":
    run()
