"""TrueSkill's model fitted to all matches at once: `settle` does it, the others compute."""
