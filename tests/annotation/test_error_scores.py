"""Marked errors from the rating screen: the server computes the score, and drafts come back as they were."""

from __future__ import annotations

import uuid
from typing import Any

from sqlalchemy import select

from judgelab.annotation import service
from judgelab.domain import Criterion
from judgelab.scales import parse_scale
from judgelab.store.db.engine import Store
from judgelab.store.models import Rating
from tests.annotation.conftest import make_person, make_project

CRITERIA = (
    Criterion("errors", "Errors", parse_scale("error_spans:Fact,Style:Minor=1,Major=5:8:cannot_judge")),
    Criterion("fluency", "Fluency", {"kind": "ordinal", "low": 1, "high": 5}),
)


def error(start: int, end: int, severity: str = "Major", kind: str = "Fact") -> dict[str, Any]:
    return {"part": "response", "start": start, "end": end, "type": kind, "severity": severity}


def test_the_server_computes_the_score_from_the_errors(any_store: Store) -> None:
    project, ann = make_project(any_store, answers=3, criteria=CRITERIA), make_person(any_store, "Ann")

    def send(kind: str, item: int, errors: float | None, marked: list[dict[str, Any]]) -> Any:
        evidence = {"errors": marked, "fluency": [error(0, 1)]}
        scores = {"errors": errors, "fluency": 3}
        operation = {"uid": str(uuid.uuid4()), "kind": kind, "item": item}
        return service.apply(any_store, ann, project, operation | {"scores": scores, "evidence": evidence})

    first, second, third = [item.id for item in service.next_items(any_store, ann, project, 3)]
    assert send("draft", first, -5, [error(0, 2), error(0, 1, "Minor")]).state == "stored"
    drafted = service.next_items(any_store, ann, project, 3)[0]
    assert drafted.scores["errors"] == -6 and len((drafted.evidence or {})["errors"]) == 2
    refused = send("rate", first, -5, [error(0, 2, "Huge")])
    assert (
        refused.state != "stored"
        and "a marked error needs a severity: one of Minor, Major" in refused.message
    )
    assert send("rate", first, -1, [error(0, 2), error(1, 2)]).state == "stored"  # what it sent is no matter
    assert send("rate", second, None, [error(0, 2)]).state == "stored"
    assert send("rate", third, 0, []).state == "stored"
    with any_store.reading() as session:
        rows = session.scalars(select(Rating).order_by(Rating.id)).all()
        by_criterion = [(row.score, row.evidence) for row in rows if row.score != 3]
        assert [score for score, _evidence in by_criterion] == [-8, None, 0]
        number = by_criterion[0][1][1]["text"]  # answers are a0, a1, a2, in a random order
        assert by_criterion[0][1][1] == {**error(1, 2), "text": number} and number in "012"
        assert by_criterion[1][1] == by_criterion[2][1] == []
        plain = {"part": "response", "start": 0, "end": 1, "text": "a"}
        assert all(row.evidence == [plain] for row in rows if row.score == 3)


def test_an_error_taken_back_in_a_draft_stays_away(any_store: Store) -> None:
    project, ann = make_project(any_store, answers=1, criteria=CRITERIA), make_person(any_store, "Ann")
    (first,) = service.next_items(any_store, ann, project)

    def send(kind: str, **values: Any) -> None:
        operation = {"uid": str(uuid.uuid4()), "kind": kind, "item": first.id, **values}
        assert service.apply(any_store, ann, project, operation).state == "stored"

    send(
        "rate",
        scores={"errors": -5, "fluency": 3},
        evidence={"errors": [error(0, 2)]},
        comments={"errors": "no"},
    )
    send("undo")
    send("draft", scores={"fluency": 3})
    (again,) = service.next_items(any_store, ann, project)
    assert (again.scores, again.evidence, again.comments) == ({"fluency": 3}, {}, {})


def test_a_raters_own_work_says_what_they_marked(any_store: Store) -> None:
    project, ann = make_project(any_store, answers=1, criteria=CRITERIA), make_person(any_store, "Ann")
    (first,) = service.next_items(any_store, ann, project)
    plain = {"part": "response", "start": 0, "end": 1}
    values = {
        "scores": {"errors": 0, "fluency": 3},
        "evidence": {"errors": [error(0, 2)], "fluency": [plain]},
    }
    operation = {"uid": str(uuid.uuid4()), "kind": "rate", "item": first.id, **values}
    assert service.apply(any_store, ann, project, operation).state == "stored"
    (work,) = service.my_ratings(any_store, ann, project)
    assert work.marked == {"errors": "“a0” (Fact, Major)", "fluency": "“a”"}
