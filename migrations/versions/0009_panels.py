"""Panels of roles have names, so that what a run was shown stays and is changed in a copy."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_JUDGE = sa.table(
    "judge",
    sa.column("id", sa.Integer()),
    sa.column("protocol", sa.String()),
    sa.column("options", sa.JSON()),
)


def upgrade() -> None:
    """Call the roles that are there `roles`, and say so in the judges that sit with them."""
    op.add_column("panel_role", sa.Column("name", sa.String(), nullable=False, server_default="roles"))
    connection = op.get_bind()
    seated = sa.select(_JUDGE.c.id, _JUDGE.c.options).where(_JUDGE.c.protocol == "role_panel")
    for judge, options in connection.execute(seated).all():
        named = {**options, "roles": "roles"}
        connection.execute(_JUDGE.update().where(_JUDGE.c.id == judge).values(options=named))
