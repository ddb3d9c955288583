"""The command line: parse, call one function, print. `main` runs it."""
