"""Search judges' rationales and raters' comments for words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, literal, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    JudgeRow,
    Judgment,
    Person,
    Rating,
    ResponseRow,
    Run,
    Verdict,
)

MOST_HITS = 200


@dataclass(frozen=True)
class RationaleHit:
    """A rationale or comment with the words searched for; `kind` is "judge" or "human"."""

    response: int
    item: str
    system: str
    criterion: str
    rater: str
    kind: str
    score: float | None
    text: str


def search_rationales(session: Session, project_id: int, words: str) -> list[RationaleHit]:
    """Return the rationales, then the comments, that contain all words in any order and case.

    At most `MOST_HITS` of each, so that many rationales do not crowd out the comments.
    """
    search_words = words.split()
    if not search_words:
        return []
    judges = (
        _columns(Verdict.response_id, JudgeRow.name, literal("judge"), Verdict.score, Verdict.rationale)
        .select_from(Verdict)
        .join(Judgment, Judgment.id == Verdict.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, *holding(Verdict.rationale, search_words))
    )
    people = (
        _columns(Rating.response_id, Person.name, literal("human"), Rating.score, Rating.comment)
        .select_from(Rating)
        .join(Person, Person.id == Rating.person_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .join(ResponseRow, ResponseRow.id == Rating.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Rating.project_id == project_id, *holding(Rating.comment, search_words))
    )
    return [
        RationaleHit(*row) for query in (judges, people) for row in session.execute(query.limit(MOST_HITS))
    ]


def _columns(*selected: Any) -> Any:
    response, rater, kind, score, text = selected
    return select(
        response.label("response"),
        ItemRow.external_id.label("item"),
        ResponseRow.system.label("system"),
        CriterionRow.key.label("criterion"),
        rater.label("rater"),
        kind.label("kind"),
        score.label("score"),
        text.label("text"),
    )


def holding(text: InstrumentedAttribute[str], words: list[str]) -> list[ColumnElement[bool]]:
    """Return the conditions that a text contains all words, in any case."""
    return [text.icontains(word, autoescape=True) for word in words]
