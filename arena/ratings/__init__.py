"""Who is better: TrueSkill, standings, head to head, a sequential test, and ratings from all matches at once. Pure."""
