"""The values that the packages exchange, and the arithmetic of time and chance. No module here does any I/O."""
