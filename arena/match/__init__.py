"""One match: the sessions of its bots, the referee and the replay. It gets a `Confinement`, and knows no sandbox."""
