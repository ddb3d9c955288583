"""A league night: dispatch rounds to workers, store results, and answer the requests of other commands."""
