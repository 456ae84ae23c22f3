"""The formats of a project's texts: guessed once from what is imported, and said."""

from __future__ import annotations

import json

import pytest

from judgelab.errors import ImportProblems
from judgelab.imports.service import import_files, preview
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project, find_project, update_project

ROWS = [
    {"item_id": "q1", "question": "Why?", "system": s, "response": "- **warm** air\n- rain"}
    for s in ("a", "b")
]


def _files(rows: list[dict[str, str]]) -> list[tuple[str, bytes]]:
    return [("rows.jsonl", "\n".join(map(json.dumps, rows)).encode())]


def _formats(store: Store, slug: str) -> object:
    with store.reading() as session:
        return find_project(session, slug).settings.get("text_formats")


def _project(store: Store) -> str:
    with store.writing() as session:
        return create_project(session, name="Rain").slug


def test_the_format_is_guessed_and_said(store: Store) -> None:
    slug = _project(store)
    said = "responses look like Markdown and are shown as such; change this in the project's settings"
    assert said in preview(store, slug, _files(ROWS)).notices
    assert _formats(store, slug) is None  # a preview stores nothing
    assert said in import_files(store, slug, _files(ROWS)).notices
    assert _formats(store, slug) == {"question": "plain", "response": "markdown"}


def test_a_format_that_a_person_chose_or_an_earlier_file_had_stays(store: Store) -> None:
    slug = _project(store)
    with store.writing() as session:
        project = find_project(session, slug)
        update_project(session, project.id, settings={"text_formats": {"response": "plain"}})
    report = import_files(store, slug, _files(ROWS))
    assert not [notice for notice in report.notices if "look like" in notice]
    more = [{**row, "item_id": "q2", "question": "# Why?"} for row in ROWS]
    import_files(store, slug, _files(more))
    assert _formats(store, slug) == {"question": "plain", "response": "plain"}


def test_a_file_that_is_refused_changes_no_format(store: Store) -> None:
    slug = _project(store)
    bad = [*ROWS, {"item_id": "q1", "question": "How?", "system": "a", "response": "other"}]
    with pytest.raises(ImportProblems):
        import_files(store, slug, _files(bad))
    assert _formats(store, slug) is None
