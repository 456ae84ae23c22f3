"""What the columns of an imported file meant, for the next file with the same columns."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the meanings; of files imported before this, none are known."""
    op.add_column("import", sa.Column("columns", sa.JSON(), nullable=False, server_default="{}"))
