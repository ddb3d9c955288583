"""Where the arena is and how it is set: the home folder, `arena.toml`, the environment and options."""
