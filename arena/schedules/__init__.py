"""Schedules: they decide which bots play each other in a night. All modules here only compute."""
