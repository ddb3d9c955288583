"""A tournament runner for submitted bots: fair matches in parallel, replays, ratings, leaderboards."""

__version__ = "0.1.0"
