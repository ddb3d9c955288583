"""Remove the working folder from the search paths of Python and the shell: it may be a stranger's submission."""

import os
import sys


def leave_working_folder_out() -> None:
    """Keep only absolute paths in the search paths of modules and programs, so not the working folder.

    `python -m` puts the working folder first, and so do an empty part of PYTHONPATH or "." on PATH: a submission could
    bring an `engine`, a `json.py` or a compiler of its own. It stays if PYTHONPATH names it by its absolute path, or if
    this package lies there, in a checkout that is not installed.
    """
    try:
        here = os.path.realpath(os.curdir)
    except OSError:  # it was removed: nothing can be found there, by whatever way of writing it
        here = ""
        sys.path[:] = [place for place in sys.path if place.startswith("/")]
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120 (nothing is imported yet)
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if here and here not in (package, *(os.path.realpath(place) for place in given if place.startswith("/"))):
        sys.path[:] = [place for place in sys.path if os.path.realpath(place) != here]
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(place for place in places if place.startswith("/"))
