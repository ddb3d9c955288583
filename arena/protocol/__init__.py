"""Lines of JSON to typed messages and back, by strict rules. Pure."""
