"""The list of what all raters have earned: those added by name, and whoever else rated."""

from __future__ import annotations

import uuid

from judgelab.accounts import global_roles, members
from judgelab.annotation import service
from judgelab.crowd import participants
from judgelab.store.db.engine import Store
from tests.annotation.conftest import CRITERIA, make_project


def test_everybody_who_rated_or_was_added_is_listed_once(any_store: Store) -> None:
    project = make_project(any_store, answers=4, raters_per_response=2, pay_per_hour=12, currency="GBP")
    ada = members.add(any_store, None, project, "Ada").id
    members.add(any_store, None, project, "Bo, who has not begun")
    glo = global_roles.add(any_store, "Glo, a rater of all projects", "annotator", None).id
    global_roles.add(any_store, "Hal, who rates elsewhere", "annotator", None)
    for person, number in ((ada, 2), (glo, 1)):
        for _ in range(number):
            item = service.next_items(any_store, person, project)[0]
            scores = {criterion.key: 2 for criterion in CRITERIA}
            operation = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, "scores": scores}
            assert service.apply(any_store, person, project, operation).state == "stored"
    rows = participants.participant_rows(any_store, None, project, by_name=True)
    assert [(row["rater"].split(",")[0], row["ratings"]) for row in rows] == [
        ("Ada", 2),
        ("Bo", 0),
        ("Glo", 1),
    ]
    assert rows[2]["started"] is rows[2]["finished"] is rows[2]["minutes"] is None
    assert participants.participant_rows(any_store, None, project) == []
    assert "Glo" in participants.as_csv(rows)
