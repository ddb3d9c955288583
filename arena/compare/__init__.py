"""Compare two versions of a bot: play blocks of matches until a sequential test has a verdict."""
