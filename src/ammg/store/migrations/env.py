"""Alembic environment: runs the migrations of a store on a given connection."""

from alembic import context

from ammg.store.models import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
