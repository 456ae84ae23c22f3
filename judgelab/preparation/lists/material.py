"""What lists of references are drawn from: a project's graded answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.preparation.lists.patterns import GradedText, grade_of
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Session
from judgelab.store.prepared.rated_rows import has_rated_rows, rated_rows
from judgelab.store.prepared.source_texts import SourceText
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import sentence

Texts = Literal["auto", "responses", "references"]


def graded_texts(
    session: Session,
    project: ProjectInfo,
    items: Sequence[SourceText],
    *,
    texts: Texts = "auto",
    criterion: str = "",
) -> dict[int, list[GradedText]]:
    """Return the graded texts of each item; items without any are left out.

    Args:
        session: a reading session.
        project: the project.
        items: its items.
        texts: `references` that the source graded, `responses` that people rated; `auto` takes references
            where they have at least two grades.
        criterion: the criterion whose mean rating is a response's grade; the first one when empty.

    Raises:
        InvalidInput: there are no such texts, or the criterion's scores are no grades.
    """
    references = _references(items)
    if _drawn_from(project, references, texts) == "references":
        return references
    responses = _responses(session, project, criterion)
    if not responses:
        raise _nothing_graded(project)
    return responses


def refuse_without_grades(
    session: Session,
    project: ProjectInfo,
    items: Sequence[SourceText],
    *,
    texts: Texts = "auto",
    criterion: str = "",
) -> None:
    """Raise what `graded_texts` would, without reading ten thousand responses for it."""
    if _drawn_from(project, _references(items), texts) == "references":
        return
    chosen = _grading(project, criterion)
    if chosen is None or not has_rated_rows(session, project.id, chosen.key):
        raise _nothing_graded(project)
    scale = scale_from_json(chosen.scale)
    grade_of(scale.low, scale)


def graded_source(
    project: ProjectInfo, items: Sequence[SourceText], *, texts: Texts = "auto", criterion: str = ""
) -> tuple[Literal["references", "responses"], list[float]]:
    """Return what lists are drawn from, and the value that each grade stands for, the lowest first.

    Raises:
        InvalidInput: the references have no grades, or lower scores are better under the criterion.
    """
    references = _references(items)
    drawn_from = _drawn_from(project, references, texts)
    if drawn_from == "references":
        ratings = {graded.rating for found in references.values() for graded in found}
        return drawn_from, sorted(rating for rating in ratings if rating is not None)
    chosen = _grading(project, criterion)
    points = scale_from_json(chosen.scale).points() if chosen is not None else ()
    return drawn_from, [point.value for point in points]


def _drawn_from(
    project: ProjectInfo, references: Mapping[int, Sequence[GradedText]], texts: Texts
) -> Literal["references", "responses"]:
    several = len({text.grade for graded in references.values() for text in graded}) > 1
    if texts == "responses" or (texts == "auto" and not several):
        return "responses"
    if several:
        return "references"
    raise InvalidInput(
        sentence(
            "the references of project '{project}' have no grades; draw from its responses with --option "
            "texts=responses, or generate the worse texts with --option source=one_gold.",
            project=project.slug,
        )
    )


class NothingGraded(InvalidInput):
    """A project has nothing to draw lists from; the page names its other sources by their labels."""


def _nothing_graded(project: ProjectInfo) -> NothingGraded:
    return NothingGraded(
        sentence(
            "project '{project}' has no graded responses or references to draw from; import some, "
            "or let a model write the lists (source one_gold or no_gold).",
            project=project.slug,
        )
    )


def golden_references(
    items: Sequence[SourceText], graded: Mapping[int, Sequence[GradedText]]
) -> dict[int, list[GradedText]]:
    """Return what the golden text of each item may be written from: one of these is drawn.

    The item's best reference, else its best-rated responses, which a list then keeps from being judged.
    """
    golds: dict[int, list[GradedText]] = {}
    for item in items:
        references = [text for text in item.known if text.text.strip()]
        best = max(
            references, key=lambda text: float("-inf") if text.grade is None else text.grade, default=None
        )
        if best is not None:
            golds[item.item_id] = [GradedText(best.text, 0, best.grade)]
        elif graded.get(item.item_id):
            top = max(text.grade for text in graded[item.item_id])
            golds[item.item_id] = [text for text in graded[item.item_id] if text.grade == top]
    return golds


def _references(items: Sequence[SourceText]) -> dict[int, list[GradedText]]:
    grades = sorted(
        {reference.grade for item in items for reference in item.references if reference.grade is not None}
    )
    by_item = {
        item.item_id: [
            GradedText(
                reference.text, grades.index(reference.grade), reference.grade, origin=reference.origin
            )
            for reference in item.references
            if reference.grade is not None
        ]
        for item in items
    }
    return {item_id: texts for item_id, texts in by_item.items() if texts}


def _grading(project: ProjectInfo, criterion: str) -> Criterion | None:
    """Return the criterion whose ratings are grades; None where the project has no criterion."""
    if not project.criteria:
        return None
    chosen = project.criterion(criterion) if criterion else project.criteria[0]
    if not chosen.higher_is_better:
        raise InvalidInput(
            sentence(
                "lower scores are better under '{criterion}', so they can't be used as grades; choose "
                "another criterion with --option criterion=NAME.",
                criterion=chosen.label,
            )
        )
    return chosen


def _responses(session: Session, project: ProjectInfo, criterion: str) -> dict[int, list[GradedText]]:
    chosen = _grading(project, criterion)
    if chosen is None:
        return {}
    scale = scale_from_json(chosen.scale)
    by_item: defaultdict[int, list[GradedText]] = defaultdict(list)
    grades: dict[float, int] = {}  # thousands of responses have few different means
    for row in rated_rows(session, project.id, criterion=chosen.key):
        rating = row.scores[chosen.key]
        if rating not in grades:
            grades[rating] = grade_of(rating, scale)
        by_item[row.item_id].append(GradedText(row.text, grades[rating], rating, row.response_id))
    return dict(by_item)
