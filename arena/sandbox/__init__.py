"""The sandbox of a command, and the probe of what this host supports: bubblewrap with all layers, or limits only."""
