"""Matches in parallel: one forked process for each core, with a match player and a connection to the log."""
