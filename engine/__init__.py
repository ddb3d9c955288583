"""Pure rules of board games: no clock, no global randomness, no I/O but package data. Standard library only."""
