"""TrueSkill's model, fitted to all matches at once. Callers use `settle`; the other modules do its computations."""
