"""The audit log, when what it is about is stored already."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from sqlalchemy import text

from judgelab.store.db import audit, writer_lock
from judgelab.store.db.schema import open_store
from judgelab.store.models import Audit
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project
from tests.databases import new_sqlite


def test_an_act_that_is_done_is_recorded_or_the_log_says_that_it_could_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url = new_sqlite(tmp_path / "x.db")
    store, blocking_store = open_store(url), open_store(url)
    with store.writing() as session:
        project = create_project(session, name="soup").id
        person = people.find_or_create(session, "Ada")
    audit.record_done(store, "soup", "imported", person_id=person, detail={"files": ["a.csv"]})
    monkeypatch.setattr(writer_lock, "LONGEST_WAIT", 0.1)
    with blocking_store.writing() as blocking_session, caplog.at_level(logging.WARNING):
        blocking_session.execute(text("SELECT 1"))
        audit.record_done(store, "soup", "imported", person_id=person)
    with store.reading() as session:
        assert find_project(session, "soup").id == project
        entries = session.query(Audit.action, Audit.project_id, Audit.person_id, Audit.detail).all()
    assert [tuple(entry) for entry in entries] == [("imported", project, person, {"files": ["a.csv"]})]
    assert "isn't in the audit log" in caplog.text
    store.close()
    blocking_store.close()
