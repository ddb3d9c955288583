"""Linux: processes, cores, locks and who reaps whom. Nothing here knows bots or matches."""
