"""Count a project's content and progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, and_, distinct, exists, func, or_, select, union_all
from sqlalchemy.orm import Session

from judgelab.store.models import (
    Assignment,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    Preference,
    Ranking,
    Rating,
    ReferenceRow,
    ResponseRow,
    Run,
)
from judgelab.store.rating.numbered_raters import numbered_raters
from judgelab.store.rating.rating_records import imported_raters

UNDER_WAY = ("waiting", "running")


@dataclass(frozen=True)
class Overview:
    """Counts of a project: `rated` responses have a rating, `complete` ones have enough raters.

    `slots` of the raters are numbered in a file, so each may be several people. `comparisons` are people's
    choices between two responses and rankings, by `comparing` people. Judges' comparisons from files count as
    judgments.
    """

    items: int
    responses: int
    systems: int
    references: int
    ratings: int
    raters: int
    slots: int
    rated: int
    complete: int
    flagged: int
    skipped: int
    judges: int
    metrics: int
    scored: int
    unscored: int
    failed: int
    runs_under_way: int
    comparisons: int = 0
    comparing: int = 0


def overview(session: Session, project_id: int, *, raters_wanted: int) -> Overview:
    """Return the counts of a project's data; `raters_wanted` is how many raters a response needs."""

    def count(query: Select[Any]) -> int:
        return session.scalar(query) or 0

    has_scored = or_(
        exists().where(Run.judge_id == JudgeRow.id, Judgment.run_id == Run.id, Judgment.state == "scored"),
        exists().where(Run.judge_id == JudgeRow.id, JudgedPair.run_id == Run.id, JudgedPair.choice != ""),
    )
    of_project = _of_project(project_id)
    of_data = _of_data(project_id)
    per_response = (
        select(
            func.count(distinct(Rating.person_id)).label("raters"),
            func.count().label("ratings"),
        )
        .where(of_data)
        .group_by(Rating.response_id)
        .subquery()
    )
    # One pass over the ratings: each additional one costs 0.1 s with a hundred thousand ratings.
    ratings, rated, complete = session.execute(
        select(
            func.sum(per_response.c.ratings),
            func.count(),
            func.count().filter(per_response.c.raters >= raters_wanted),
        ).select_from(per_response)
    ).one()
    judged = _by_state(
        session,
        select(Judgment.state, func.count())
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.project_id == project_id)
        .group_by(Judgment.state),
    )
    chosen, without_choice = session.execute(
        select(func.count().filter(JudgedPair.choice != ""), func.count().filter(JudgedPair.choice == ""))
        .join(Run, Run.id == JudgedPair.run_id)
        .where(Run.project_id == project_id)
    ).one()
    given = _comparing(project_id)
    comparisons, comparing = session.execute(
        select(func.count(), func.count(distinct(given.c.person_id))).select_from(given)
    ).one()
    assigned = _by_state(
        session,
        select(Assignment.state, func.count())
        .where(Assignment.project_id == project_id)
        .group_by(Assignment.state),
    )
    return Overview(
        items=count(select(func.count()).where(ItemRow.project_id == project_id, ItemRow.purpose == "data")),
        responses=count(select(func.count()).where(of_project)),
        systems=count(
            select(func.count(distinct(ResponseRow.system))).where(of_project, ResponseRow.system != "")
        ),
        references=count(
            select(func.count())
            .select_from(ReferenceRow)
            .join(ItemRow, ItemRow.id == ReferenceRow.item_id)
            .where(ItemRow.project_id == project_id)
        ),
        ratings=int(ratings or 0),
        raters=count_people(session, project_id),
        slots=len(numbered_raters(imported_raters(session, project_id))),
        rated=rated,
        complete=complete,
        flagged=count(
            select(func.count()).where(Assignment.project_id == project_id, Assignment.flag.is_not(None))
        ),
        skipped=assigned.get("skipped", 0) + assigned.get("returned", 0),
        judges=count(select(func.count()).where(JudgeRow.project_id == project_id, has_scored)),
        metrics=count(
            select(func.count(distinct(MetricScore.metric))).where(
                MetricScore.project_id == project_id, MetricScore.score.is_not(None)
            )
        ),
        scored=judged.get("scored", 0) + chosen,
        unscored=judged.get("unscored", 0) + without_choice,
        failed=judged.get("failed", 0),
        runs_under_way=count(
            select(func.count()).where(Run.project_id == project_id, Run.state.in_(UNDER_WAY))
        ),
        comparisons=comparisons,
        comparing=comparing,
    )


def count_people(session: Session, project_id: int, *, comparisons: bool = False) -> int:
    """Return how many people rated in a project, or compared two responses; control items don't count."""
    if comparisons:
        query = select(func.count(distinct(_comparing(project_id).c.person_id)))
    else:  # finds one rating of each person by joins: SQLite would try each response of a subquery in turn
        rated = (
            select(Rating.id)
            .join(ResponseRow, ResponseRow.id == Rating.response_id)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(
                Rating.person_id == Person.id,
                Rating.occasion == 0,
                ResponseRow.project_id == project_id,
                ItemRow.purpose == "data",
            )
            .exists()
        )
        query = select(func.count()).select_from(Person).where(rated)
    return session.scalar(query) or 0


def _material(project_id: int) -> Select[int]:
    return select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.purpose != "data")


def _of_project(project_id: int) -> ColumnElement[bool]:
    """Return which responses are data."""
    return and_(ResponseRow.project_id == project_id, ResponseRow.item_id.not_in(_material(project_id)))


def _of_data(project_id: int) -> ColumnElement[bool]:
    """Return which ratings are of data: checks, training and repeats measure raters, so they don't count."""
    data = select(ResponseRow.id).where(_of_project(project_id))
    return and_(Rating.occasion == 0, Rating.response_id.in_(data))


def _comparing(project_id: int) -> Subquery:
    """Return who compared two responses of data, once for each comparison."""
    return union_all(
        *(
            select(table.person_id).where(
                table.project_id == project_id,
                table.occasion == 0,
                table.item_id.not_in(_material(project_id)),
            )
            for table in (Preference, Ranking)
        )
    ).subquery()


def _by_state(session: Session, query: Select[str, int]) -> dict[str, int]:
    return {state: count for state, count in session.execute(query)}
