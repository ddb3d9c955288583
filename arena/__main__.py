"""`python -m arena`: the same as the program `arena`."""

from arena.search_path import leave_working_folder_out

leave_working_folder_out()  # before anything else is imported

from arena.cli.main import run  # noqa: E402

if __name__ == "__main__":
    run()
