"""One module for each command, or for each noun with its verbs."""
