"""All tables and all queries. No other package knows SQL. `store.Store.open(url)` opens the store."""
