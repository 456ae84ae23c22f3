"""Alembic's entry: runs on the connection that `judgelab.store.db.schema` hands over."""

from alembic import context

from judgelab.store.models import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transactional_ddl=False,  # the caller owns the one transaction around everything
)
context.run_migrations()
