"""`judgelab score`, as a script calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.store.db.schema import open_store
from judgelab.store.models import ItemRow, ReferenceRow, ResponseRow
from judgelab.store.projects.projects import create_project
from tests.command import judgelab
from tests.databases import new_sqlite


@pytest.fixture
def address(tmp_path: Path) -> str:
    url = new_sqlite(tmp_path / "score.db")
    store = open_store(url)
    with store.writing() as session:
        info = create_project(session, name="Lamps")
        item = ItemRow(project_id=info.id, external_id="i", question="Which?")
        session.add(item)
        session.flush()
        for system, text in (("a", "the red lamps"), ("b", "Это лампа")):
            row = ResponseRow(
                project_id=info.id, item_id=item.id, external_id=system, system=system, text=text
            )
            session.add(row)
        session.add(ReferenceRow(item_id=item.id, position=0, text="a red lamp"))
    store.close()
    return url


def test_json_tells_what_was_scored_and_what_was_not(address: str) -> None:
    result = judgelab(address, "score", "lamps", "rouge1", "length", "--option", "stemmer=true", "--json")
    assert result.returncode == 2, result.stderr
    assert json.loads(result.stdout) == {
        "metrics": [
            {
                "metric": "rouge1",
                "scored": 1,
                "missing": 1,
                "reasons": {"the response has letters that ascii leaves out; choose tokenizer=unicode": 1},
            },
            {"metric": "length", "scored": 2, "missing": 0, "reasons": {}},
        ]
    }


def test_a_sentence_for_people(address: str) -> None:
    result = judgelab(address, "score", "lamps", "exact_match")
    assert (result.returncode, result.stdout) == (0, "exact_match: 2 responses scored\n")


def test_an_empty_project_has_nothing_to_score(address: str) -> None:
    judgelab(address, "project", "create", "Empty")
    result = judgelab(address, "score", "empty", "length", "--json")
    assert (result.returncode, json.loads(result.stdout)) == (1, {"error": result.stderr.rstrip("\n")})
    assert result.stderr == "project 'empty' has no responses to score; import responses first.\n"


def test_mistakes_are_one_sentence(address: str) -> None:
    result = judgelab(address, "score", "lamps", "rouge", "--json")
    assert (result.returncode, json.loads(result.stdout)) == (1, {"error": result.stderr.rstrip("\n")})
    assert result.stderr.startswith("no metric named 'rouge'; known: ") and result.stderr.count("\n") == 1
    assert judgelab(address, "score", "lamps", "rouge1", "--option", "stemmer").returncode == 1
