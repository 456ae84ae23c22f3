"""What a study prepares before judging: lists of references, panels, demonstrations, templates."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the tables of the preparation room."""
    _prepared_replies()
    _reference_lists()
    _panel_roles()
    _worked_examples()
    _evaluation_steps()
    _documents()


def _prepared_replies() -> None:
    op.create_table(
        "prepared_reply",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("endpoint_id", sa.Integer(), nullable=True),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("purpose", "key", "fingerprint", "prompt_hash", "backend", "asked_model")
        ),
        sa.Column("messages", sa.JSON(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("finish_reason", sa.String(), nullable=False),
        sa.Column("sent", sa.JSON(), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("cost", sa.Double(), nullable=True),
        sa.Column("latency", sa.Double(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("faults", sa.JSON(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("code_version", sa.String(), nullable=False),
        sa.Column("answered_at", sa.DateTime(), nullable=False),
        _belongs("prepared_reply", "project_id", "project"),
        _belongs("prepared_reply", "item_id", "item"),
        _belongs("prepared_reply", "endpoint_id", "endpoint", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prepared_reply")),
        sa.UniqueConstraint(
            "project_id", "fingerprint", name=op.f("uq_prepared_reply_project_id_fingerprint")
        ),
    )
    op.create_index("ix_prepared_reply_project_id_purpose", "prepared_reply", ["project_id", "purpose"])


def _reference_lists() -> None:
    op.create_table(
        "reference_list",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("draw", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("pattern", sa.String(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("entries", sa.JSON(), nullable=False),
        sa.Column("missing", sa.JSON(), nullable=False),
        sa.Column("recipe", sa.JSON(), nullable=False),
        sa.Column("edited_at", sa.DateTime(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        _belongs("reference_list", "project_id", "project"),
        _belongs("reference_list", "item_id", "item"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reference_list")),
        sa.UniqueConstraint(
            "project_id",
            "name",
            "draw",
            "item_id",
            name=op.f("uq_reference_list_project_id_name_draw_item_id"),
        ),
    )
    op.create_index("ix_reference_list_item_id", "reference_list", ["item_id"])


def _panel_roles() -> None:
    op.create_table(
        "panel_role",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("kept", sa.JSON(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("edited_at", sa.DateTime(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        _belongs("panel_role", "project_id", "project"),
        _belongs("panel_role", "item_id", "item"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_panel_role")),
    )
    op.create_index("ix_panel_role_project_id_item_id", "panel_role", ["project_id", "item_id"])
    op.create_index("ix_panel_role_item_id", "panel_role", ["item_id"])


def _worked_examples() -> None:
    op.create_table(
        "worked_example",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("response_id", sa.Integer(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("question", "context", "response")),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        _belongs("worked_example", "project_id", "project"),
        _belongs("worked_example", "response_id", "response", ondelete="SET NULL"),
        _belongs("worked_example", "person_id", "person", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worked_example")),
        sa.UniqueConstraint(
            "project_id", "name", "version", name=op.f("uq_worked_example_project_id_name_version")
        ),
    )
    op.create_index("ix_worked_example_response_id", "worked_example", ["response_id"])
    op.create_index("ix_worked_example_person_id", "worked_example", ["person_id"])


def _evaluation_steps() -> None:
    op.create_table(
        "evaluation_steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        _belongs("evaluation_steps", "project_id", "project"),
        _belongs("evaluation_steps", "person_id", "person", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation_steps")),
        sa.UniqueConstraint("project_id", "version", name=op.f("uq_evaluation_steps_project_id_version")),
    )
    op.create_index("ix_evaluation_steps_person_id", "evaluation_steps", ["person_id"])


def _documents() -> None:
    op.create_table(
        "document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        _belongs("document", "item_id", "item"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
        sa.UniqueConstraint("item_id", "position", name=op.f("uq_document_item_id_position")),
    )


def _belongs(table: str, column: str, to: str, *, ondelete: str = "CASCADE") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}_{to}"), ondelete=ondelete
    )
