"""An index of ratings by origin and rater, so that pages learn who rated without reading the ratings."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the index."""
    op.create_index(
        "ix_rating_project_id_origin_person_id", "rating", ["project_id", "origin", "person_id"]
    )
