"""The only place that starts bots: pipes, deadlines, freezing, the end of a whole tree of processes."""
