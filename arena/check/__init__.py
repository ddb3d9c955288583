"""The check of a bot before it is entered: test matches against random play, and a report for its author."""
