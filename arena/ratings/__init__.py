"""Measures of strength: TrueSkill, standings, head to head, SPRT, and ratings from all matches at once. Pure."""
