"""Pure rules of board games: no clock, no global randomness, no input or output except package data.

The package imports nothing but the standard library.
"""
