"""Run by alembic: carries the schema forward on the connection that the store hands over."""

from alembic import context

from arena.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
# The store's transaction is open already and is the one that commits or undoes it all.
context.run_migrations()
