"""A bot from a stranger's file: read, copy, build, check and register it; all of it or nothing."""
