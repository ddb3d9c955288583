"""A league night: rounds dispatched to workers, results stored, orders of other commands heard."""
