"""Matches in parallel: one forked process a core, each with its player and its end of the log."""
