"""Imports a library that is not installed."""

import no_such_library
from playing import always

always(no_such_library.best_action())
