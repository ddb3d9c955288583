"""Every table and every query; nothing else of the arena knows SQL. `store.Store.open(url)` opens it."""
