"""Which of a project's own texts of a prompt its judges use unless they are told otherwise."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the mark; of the versions kept before this, none is used by itself."""
    op.add_column("template", sa.Column("in_force", sa.Boolean(), nullable=False, server_default=sa.false()))
