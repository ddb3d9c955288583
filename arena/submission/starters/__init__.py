"""Working bots to begin with, one for each language: what `arena new` writes."""
