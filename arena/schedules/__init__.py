"""Who meets whom: the schedules of a night and what they are made of. Pure."""
