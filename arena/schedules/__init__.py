"""The schedules that decide who plays whom in a night, and their parts. All of it is pure."""
