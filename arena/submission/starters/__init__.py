"""Starter bots that `arena new` writes, one for each language."""
