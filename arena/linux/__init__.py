"""Linux: processes, cores, locks, signals, sub-reapers, path ownership. Nothing here knows how bots or matches work."""
