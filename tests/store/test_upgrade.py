"""A database of an earlier schema is carried over with everything that people did in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from judgelab.annotation import service
from judgelab.store.db.schema import open_store
from judgelab.store.judging import judges
from judgelab.store.models import Assignment, Preference, RatingEvent, Unit
from judgelab.store.people import memberships, people
from judgelab.store.prepared import panels

ROOT = Path(__file__).resolve().parents[2]
AT = "2026-10-01 09:00:00"
ROWS = (
    "INSERT INTO project (id, slug, name, task, study, settings, blind, guidelines, guidelines_version,"
    f" created_at) VALUES (1, 'p', 'P', 'qa', 'custom', '{{}}', TRUE, '', 1, '{AT}')",
    "INSERT INTO criterion (id, project_id, key, label, question, scale, higher_is_better, position) VALUES"
    " (1, 1, 'c', 'C', '', '{\"kind\": \"numeric\", \"low\": 0, \"high\": 9}', TRUE, 0)",
    f"INSERT INTO person (id, name, role, created_at) VALUES (1, 'Ann', 'annotator', '{AT}')",
    'INSERT INTO item (id, project_id, external_id, question, context, "group", meta)'
    " VALUES (7, 1, 'q', '', '', '', '{}')",
    "INSERT INTO response (id, project_id, item_id, external_id, system, text, meta) VALUES"
    " (21, 1, 7, 'a', 's', 'yes', '{}'), (22, 1, 7, 'b', 't', 'no', '{}')",
    'INSERT INTO assignment (id, project_id, response_id, person_id, state, "order", draft, flag) VALUES'
    " (1, 1, 21, 1, 'done', 1, '{}', 'odd'), (2, 1, 22, 1, 'skipped', 2, '{}', NULL)",
    "INSERT INTO rating (project_id, response_id, criterion_id, person_id, occasion, score, comment,"
    " aggregate, surplus, blind, origin, rated_at)"
    f" VALUES (1, 21, 1, 1, 0, 4, '', FALSE, FALSE, TRUE, 'browser', '{AT}')",
    "INSERT INTO rating_event (uid, response_id, person_id, kind, shown, before, after, at) VALUES"
    f" ('u-000001', 21, 1, 'rate', '{{}}', '{{}}', '{{}}', '{AT}')",
)


def first_schema(url: str) -> None:
    """Make a database as the first schema had it, with somebody half way through."""
    made_at(url, "0001", ROWS)


def made_at(url: str, revision: str, rows: Sequence[str]) -> None:
    """Make a database as the schema was at a revision, with these rows."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    engine = create_engine(url)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        for row in rows:
            connection.execute(text(row.replace(":", r"\:")))
    engine.dispose()


def carried_over(url: str) -> dict[str, Any]:
    """Return who has what after the upgrade, and what Ann is given next."""
    store = open_store(url)
    with store.reading() as session:
        assignments = [
            (unit.response_id, assignment.state, assignment.flag, assignment.occasion)
            for assignment, unit in session.query(Assignment, Unit)
            .join(Unit, Unit.id == Assignment.unit_id)
            .order_by(Assignment.id)
        ]
        events = [(e.uid, u.response_id) for e, u in session.query(RatingEvent, Unit).join(Unit)]
        preferences = session.query(Preference).count()
        members = [
            (member.name, member.role, member.state, member.training)
            for member in memberships.memberships(session, 1)
        ]
        general_roles = [person.role for person in people.list_people(session)]
    next_answers = [item.answer for item in service.next_items(store, 1, 1)]
    rated_count = service.progress(store, 1, 1).done
    store.close()
    return {
        "given": assignments,
        "events": events,
        "left": next_answers,
        "done": rated_count,
        "preferences": preferences,
        "places": members,
        "everywhere": general_roles,
    }


WANTED = {
    "given": [(21, "done", "odd", 0), (22, "skipped", None, 0)],
    "events": [("u-000001", 21)],
    "left": ["no"],
    "done": 1,
    "preferences": 0,
    "places": [("Ann", "annotator", "active", {})],
    "everywhere": [""],
}


def test_work_goes_on_after_an_upgrade_on_sqlite(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    first_schema(url)
    assert carried_over(url) == WANTED


@pytest.mark.postgres
def test_work_goes_on_after_an_upgrade_on_postgresql(postgres_url: str) -> None:
    url = postgres_url.replace("postgresql://", "postgresql+psycopg://")
    first_schema(url)
    assert carried_over(url) == WANTED


SEATED = (
    ROWS[0],
    "INSERT INTO judge (id, project_id, name, origin, protocol, options, backend, model, parameters, samples,"
    " aggregation, template_version, own_scale, created_at) VALUES (1, 1, 'j', 'llm', 'role_panel',"
    f" '{{\"k\": 4}}', '', 'm', '{{}}', 1, 'mean', '1', TRUE, '{AT}'),"
    " (2, 1, 'd', 'llm', 'direct', '{}', '',"
    f" 'm', '{{}}', 1, 'mean', '1', FALSE, '{AT}')",
    "INSERT INTO panel_role (project_id, position, kind, type, description, origin, kept, by, created_at)"
    f" VALUES (1, 0, 'static', 'Teacher', '', 'person', '[]', '', '{AT}')",
)


def named_panels(url: str) -> None:
    made_at(url, "0008", SEATED)
    store = open_store(url)
    with store.reading() as session:
        assert [static_role.type for static_role in panels.static_roles(session, 1)] == ["Teacher"]
        options = {judge.name: judge.options for judge in judges.list_judges(session, 1)}
        assert options == {"j": {"k": 4, "roles": "roles"}, "d": {}}
    store.close()


def test_roles_of_an_earlier_schema_are_the_usual_panel_on_sqlite(tmp_path: Path) -> None:
    named_panels(f"sqlite:///{tmp_path / 'old.db'}")


@pytest.mark.postgres
def test_roles_of_an_earlier_schema_are_the_usual_panel_on_postgresql(postgres_url: str) -> None:
    named_panels(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
