"""One match: live bots at a table, the referee, and the replay. It knows no sandbox: it gets a `Confinement`."""
