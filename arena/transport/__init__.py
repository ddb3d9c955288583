"""The only package that starts bots: their pipes, deadlines, freezing, and the kill of a whole process tree."""
