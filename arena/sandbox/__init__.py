"""How a command is confined, and what this host can do: bubblewrap with everything, or limits alone."""
