"""Is one version of a bot better than another: matches in blocks, until a sequential test is sure."""
