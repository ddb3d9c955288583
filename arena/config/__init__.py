"""The home folder and the settings of an arena, from `arena.toml`, the environment and options."""
