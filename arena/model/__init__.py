"""The values that travel between the rooms, and the arithmetic of time and chance. Pure."""
