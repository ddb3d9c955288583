"""Alembic runs this file. It migrates the schema on the connection that the store passes."""

from alembic import context

from arena.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
# The store's transaction is already open. It commits or rolls back all changes.
context.run_migrations()
