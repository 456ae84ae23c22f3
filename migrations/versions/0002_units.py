"""Give out units (a response, a pair, a list) instead of responses; places, links and checks for raters."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the tables of annotation and carry assignments and history over to units."""
    _people()
    _columns()
    _units()
    _carry_over()
    _scores()


def _people() -> None:
    op.create_table(
        "study_link",
        sa.Column("id", sa.Integer(), nullable=False),
        _reference("study_link", "project_id", "project"),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("closed_at", sa.DateTime(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_link")),
        sa.UniqueConstraint("token", name=op.f("uq_study_link_token")),
    )
    op.create_index("ix_study_link_project_id", "study_link", ["project_id"])
    op.add_column("person", sa.Column("password_hash", sa.String(), nullable=True))
    op.add_column("person", sa.Column("erased_at", sa.DateTime(), nullable=True))
    with op.batch_alter_table("membership") as table:
        table.add_column(sa.Column("state", sa.String(), nullable=False, server_default="active"))
        table.add_column(sa.Column("cohort", sa.String(), nullable=False, server_default=""))
        table.add_column(sa.Column("most_responses", sa.Integer(), nullable=True))
        table.add_column(sa.Column("study_link_id", sa.Integer(), nullable=True))
        table.add_column(sa.Column("external_id", sa.String(), nullable=True))
        table.add_column(sa.Column("parameters", sa.JSON(), nullable=False, server_default="{}"))
        table.add_column(sa.Column("background", sa.JSON(), nullable=False, server_default="{}"))
        table.add_column(sa.Column("training", sa.JSON(), nullable=False, server_default="{}"))
        table.add_column(sa.Column("consented_at", sa.DateTime(), nullable=True))
        table.add_column(sa.Column("joined_at", sa.DateTime(), nullable=False, server_default=NOW))
        table.create_foreign_key(
            op.f("fk_membership_study_link_id_study_link"),
            "study_link",
            ["study_link_id"],
            ["id"],
            ondelete="SET NULL",
        )
    op.create_index("ix_membership_study_link_id", "membership", ["study_link_id"])
    with op.batch_alter_table("invite") as table:
        table.add_column(sa.Column("once", sa.Boolean(), nullable=False, server_default=sa.true()))
        table.add_column(sa.Column("created_by", sa.Integer(), nullable=True))
        table.add_column(sa.Column("created_at", sa.DateTime(), nullable=False, server_default=NOW))
        table.create_foreign_key(
            op.f("fk_invite_created_by_person"), "person", ["created_by"], ["id"], ondelete="SET NULL"
        )
    with op.batch_alter_table("session") as table:
        table.add_column(sa.Column("invite_id", sa.Integer(), nullable=True))
        table.add_column(sa.Column("seen_at", sa.DateTime(), nullable=True))
        table.create_foreign_key(
            op.f("fk_session_invite_id_invite"), "invite", ["invite_id"], ["id"], ondelete="CASCADE"
        )
    op.create_index("ix_session_person_id", "session", ["person_id"])
    _places()


def _places() -> None:
    """Give raters a place in the projects they rated in, instead of the right to rate in every one."""
    op.execute(
        """
        INSERT INTO membership (project_id, person_id, role)
        SELECT work.project_id, work.person_id, 'annotator'
        FROM (
            SELECT project_id, person_id FROM rating UNION SELECT project_id, person_id FROM assignment
        ) work
        JOIN person ON person.id = work.person_id
        WHERE person.role = 'annotator' AND NOT EXISTS (
            SELECT 1 FROM membership there
            WHERE there.project_id = work.project_id AND there.person_id = work.person_id
        )
        """
    )
    op.execute("UPDATE person SET role = '' WHERE role = 'annotator'")


def _columns() -> None:
    op.add_column("item", sa.Column("purpose", sa.String(), nullable=False, server_default="data"))
    op.add_column("item", sa.Column("cohort", sa.String(), nullable=False, server_default=""))
    op.create_index(
        "ix_item_project_id_purpose_cohort_group", "item", ["project_id", "purpose", "cohort", "group"]
    )
    op.add_column("filter_policy", sa.Column("sha256", sa.String(), nullable=False, server_default=""))
    op.add_column("filter_policy", sa.Column("lock", sa.JSON(), nullable=False, server_default="{}"))
    with op.batch_alter_table("rating") as table:
        table.alter_column("score", existing_type=sa.Double(), nullable=True)
        table.add_column(sa.Column("evidence", sa.JSON(), nullable=False, server_default="[]"))


def _units() -> None:
    op.create_table(
        "unit",
        sa.Column("id", sa.Integer(), nullable=False),
        _reference("unit", "project_id", "project"),
        _reference("unit", "item_id", "item"),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        _reference("unit", "response_id", "response", nullable=True),
        _reference("unit", "other_id", "response", nullable=True),
        sa.Column("offered", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit")),
        sa.UniqueConstraint("project_id", "key", name=op.f("uq_unit_project_id_key")),
    )
    op.create_index("ix_unit_response_id", "unit", ["response_id"])
    op.create_index("ix_unit_item_id", "unit", ["item_id"])
    op.execute(
        "INSERT INTO unit (project_id, item_id, kind, key, response_id, offered) "
        "SELECT project_id, item_id, 'response', 'r' || CAST(id AS VARCHAR), id, TRUE FROM response"
    )


def _carry_over() -> None:
    unit = "(SELECT unit.id FROM unit WHERE unit.response_id = {0}.response_id AND unit.kind = 'response')"
    for table in ("assignment", "rating_event"):
        op.add_column(table, sa.Column("unit_id", sa.Integer(), nullable=True))
        op.execute(f"UPDATE {table} SET unit_id = {unit.format(table)}")
    op.drop_index("ix_assignment_project_id_response_id", "assignment")
    with op.batch_alter_table("assignment") as table:
        table.drop_constraint("uq_assignment_response_id_person_id", type_="unique")
        table.drop_constraint("fk_assignment_response_id_response", type_="foreignkey")
        table.drop_column("response_id")
        table.alter_column("unit_id", existing_type=sa.Integer(), nullable=False)
        table.add_column(sa.Column("occasion", sa.Integer(), nullable=False, server_default="0"))
        table.add_column(sa.Column("purpose", sa.String(), nullable=False, server_default="work"))
        table.add_column(sa.Column("shown", sa.JSON(), nullable=False, server_default="[]"))
        table.create_foreign_key(
            op.f("fk_assignment_unit_id_unit"), "unit", ["unit_id"], ["id"], ondelete="CASCADE"
        )
        table.create_unique_constraint(
            op.f("uq_assignment_unit_id_person_id_occasion"), ["unit_id", "person_id", "occasion"]
        )
    op.create_index(
        "ix_assignment_project_id_unit_id",
        "assignment",
        ["project_id", "unit_id", "person_id", "state", "lease_until", "occasion"],
    )
    op.drop_index("ix_rating_event_person_id_response_id", "rating_event")
    with op.batch_alter_table("rating_event") as table:
        table.drop_constraint("uq_rating_event_uid_response_id", type_="unique")
        table.drop_constraint("fk_rating_event_response_id_response", type_="foreignkey")
        table.drop_column("response_id")
        table.alter_column("unit_id", existing_type=sa.Integer(), nullable=False)
        table.create_foreign_key(
            op.f("fk_rating_event_unit_id_unit"), "unit", ["unit_id"], ["id"], ondelete="CASCADE"
        )
        table.create_unique_constraint(op.f("uq_rating_event_uid_unit_id"), ["uid", "unit_id"])
    op.create_index("ix_rating_event_person_id_unit_id", "rating_event", ["person_id", "unit_id"])


def _scores() -> None:
    op.create_table(
        "preference",
        sa.Column("id", sa.Integer(), nullable=False),
        _reference("preference", "project_id", "project"),
        _reference("preference", "item_id", "item"),
        _reference("preference", "response_a", "response"),
        _reference("preference", "response_b", "response"),
        *_who_and_when("preference"),
        sa.Column("choice", sa.String(), nullable=False),
        sa.Column("strength", sa.Integer(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preference")),
        sa.UniqueConstraint(
            "response_a",
            "response_b",
            "criterion_id",
            "person_id",
            "occasion",
            name=op.f("uq_preference_response_a_response_b_criterion_id_person_id_occasion"),
        ),
    )
    op.create_index("ix_preference_project_id_criterion_id", "preference", ["project_id", "criterion_id"])
    op.create_index("ix_preference_person_id", "preference", ["person_id"])
    op.create_table(
        "ranking",
        sa.Column("id", sa.Integer(), nullable=False),
        _reference("ranking", "project_id", "project"),
        _reference("ranking", "item_id", "item"),
        *_who_and_when("ranking"),
        sa.Column("form", sa.String(), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ranking")),
        sa.UniqueConstraint(
            "item_id",
            "criterion_id",
            "person_id",
            "occasion",
            name=op.f("uq_ranking_item_id_criterion_id_person_id_occasion"),
        ),
    )
    op.create_index("ix_ranking_project_id_criterion_id", "ranking", ["project_id", "criterion_id"])
    op.create_index("ix_ranking_person_id", "ranking", ["person_id"])
    op.create_table(
        "gold_score",
        sa.Column("id", sa.Integer(), nullable=False),
        _reference("gold_score", "unit_id", "unit"),
        _reference("gold_score", "criterion_id", "criterion"),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("tolerance", sa.Double(), nullable=False),
        sa.Column("loud", sa.Boolean(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_score")),
        sa.UniqueConstraint("unit_id", "criterion_id", name=op.f("uq_gold_score_unit_id_criterion_id")),
    )
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        _reference("decision", "project_id", "project"),
        _reference("decision", "response_id", "response"),
        _reference("decision", "criterion_id", "criterion"),
        _reference("decision", "person_id", "person", nullable=True, ondelete="SET NULL"),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("names_hidden", sa.Boolean(), nullable=False),
        sa.Column("decided_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
        sa.UniqueConstraint("response_id", "criterion_id", name=op.f("uq_decision_response_id_criterion_id")),
    )
    op.create_index("ix_decision_project_id", "decision", ["project_id"])


NOW = "2026-01-01 00:00:00"  # for rows of before; when they joined is not known


def _reference(
    table: str, column: str, target: str, *, nullable: bool = False, ondelete: str = "CASCADE"
) -> sa.Column[int]:
    key = sa.ForeignKey(f"{target}.id", name=op.f(f"fk_{table}_{column}_{target}"), ondelete=ondelete)
    return sa.Column(column, sa.Integer(), key, nullable=nullable)


def _who_and_when(table: str) -> list[sa.Column[object]]:
    columns: list[sa.Column[object]] = [
        _reference(table, "criterion_id", "criterion"),  # type: ignore[list-item]
        _reference(table, "person_id", "person"),  # type: ignore[list-item]
        sa.Column("occasion", sa.Integer(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("surplus", sa.Boolean(), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("rated_at", sa.DateTime(), nullable=False),
    ]
    return columns
