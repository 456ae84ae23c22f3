"""A running JudgeLab whose database a newer one migrated says so in a sentence."""

import pytest
from sqlalchemy import text

from judgelab.errors import StoreUnavailable
from judgelab.store.db import schema_watch
from judgelab.store.people import people


def migrate(store, *statements):
    with store.engine.begin() as connection:
        for statement in ("UPDATE alembic_version SET version_num = '9999'", *statements):
            connection.execute(text(statement))


@pytest.mark.parametrize("access", ["reading", "writing"])
def test_another_schema_is_noticed_at_the_next_look(any_store, monkeypatch, access):
    monkeypatch.setattr(schema_watch, "CHECK_EVERY", 0.0)
    with any_store.reading() as session:
        people.list_people(session)
    migrate(any_store)
    with pytest.raises(StoreUnavailable, match="schema 9999 while this one was running; restart JudgeLab"):
        with getattr(any_store, access)() as session:
            people.list_people(session)


def test_between_two_looks_a_statement_that_fails_makes_it_look(any_store):
    with any_store.reading() as session:
        people.list_people(session)
    migrate(any_store, "ALTER TABLE person RENAME COLUMN name TO full_name")
    with pytest.raises(StoreUnavailable, match="schema 9999"), any_store.reading() as session:
        people.list_people(session)


def test_a_statement_that_fails_for_another_reason_is_told_as_it_is(any_store):
    with pytest.raises(Exception, match="no_such_function"), any_store.reading() as session:
        session.execute(text("SELECT no_such_function(1)"))
