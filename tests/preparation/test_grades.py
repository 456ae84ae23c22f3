"""The grades that lists may ask for come from the criterion's scale; LINKAGE has its own."""

from __future__ import annotations

import pytest

from judgelab.domain import Criterion
from judgelab.preparation.lists.grades import Grades, project_grades
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, ReferenceRow
from judgelab.store.projects.projects import create_project

FIVE = Criterion("quality", "Quality", {"kind": "ordinal", "low": 1, "high": 5})


@pytest.mark.parametrize(("study", "scores"), [("custom", "5, 4, 3, 2, 1"), ("linkage", "3, 2, 1, 0")])
def test_the_default_is_one_of_each_point_of_the_scale_except_in_linkage(
    store: Store, study: str, scores: str
) -> None:
    with store.writing() as session:
        project = create_project(session, name="Open", criteria=[FIVE], study=study)
        session.add(ItemRow(project_id=project.id, external_id="q", question="Why?"))
    grades = project_grades(store, "open")
    assert grades.scores(grades.patterns[0]) == scores
    assert project_grades(store, "open", source="no_gold").patterns[0] == "3210", "a model writes four"


def test_graded_references_have_grades_of_their_own(store: Store) -> None:
    with store.writing() as session:
        project = create_project(session, name="Open", criteria=[FIVE])
        item = ItemRow(project_id=project.id, external_id="q", question="Why?")
        session.add(item)
        session.flush()
        for place, grade in enumerate((0.0, 2.0, 1.0)):
            session.add(ReferenceRow(item_id=item.id, position=place, text=f"Of {grade}.", grade=grade))
    grades = project_grades(store, "open")
    assert (grades.source, grades.values, grades.patterns[0]) == ("references", ("0", "1", "2"), "210")


def test_a_scale_with_more_points_than_digits_offers_the_patterns_of_the_paper() -> None:
    assert Grades("scale", tuple(map(str, range(11)))).patterns[0] == "3210"
