"""The check of a bot before it is entered: whole matches against random play, and a report for its author."""
