"""Convert lines of JSON to typed messages and back, by strict rules. No module here does any I/O."""
