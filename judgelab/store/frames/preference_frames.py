"""Read all comparisons of a project as one long frame of pairs, and all places of rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd
from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.orm import Session

from judgelab.domain import DECISION, PREFERENCE_COLUMNS
from judgelab.store.db import columns
from judgelab.store.judging.shown_pairs import chosen_pairs
from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    PairDecision,
    Person,
    Preference,
    Ranking,
    ResponseRow,
    Run,
)

PLACE_COLUMNS = ("item", "response", "system", "group", "criterion", "rater", "form", "place", "comment")
_SIDES: Mapping[Any, tuple[Any, ...]] = {
    table: (table.response_a, table.response_b) for table in (Preference, JudgedPair)
}
_CHOICE: Mapping[Any, tuple[Any, ...]] = {
    table: (table.choice, table.first) for table in (Preference, JudgedPair)
}
_READ = ("response_a", "response_b", "choice", "order", "item", "criterion", "rater")
TYPES = {
    **dict.fromkeys(("response_a", "response_b"), "int64"),
    **dict.fromkeys(("item", "criterion", "rater", "rater_kind", "choice", "order"), "str"),
    **dict.fromkeys(("run", "sample"), "Int64"),
}
_KINDS = {name: TYPES[name] for name in _READ} | {"run": "int64"}
MIDDLE = 2  # the place of responses that a best–worst vote names neither best nor worst


def preference_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return every comparison of two responses, one row each, with the columns `PREFERENCE_COLUMNS`.

    `response_a` and `response_b` are row ids, the lower one first; `choice` is a, b or tie; `order` is the
    one shown first (a or b) on the screen or in the prompt, or empty. Planned repeats and check items are
    left out. A ranking counts as a choice within each pair of its responses; two that a best–worst vote
    leaves in the middle were not compared, so they have no row. Judges have a row for each choice between
    two responses in a reply or a file, and for each pair of a ranking; `sample` is the number of the reply.
    """
    people = _said(Preference, project_id, (*_SIDES[Preference], *_CHOICE[Preference]))
    rows = [*_expanded(session, project_id), *_chosen(session, project_id)]
    frames = [
        columns.read_frame(session, people, _READ, _KINDS).assign(rater_kind="human", run=None, sample=None),
        pd.DataFrame(rows, columns=pd.Index(PREFERENCE_COLUMNS)),
        columns.read_frame(session, _judged(project_id), (*_READ, "run"), _KINDS).assign(
            rater_kind="judge", sample=0
        ),
    ]
    frame = pd.concat([part.astype(TYPES)[list(PREFERENCE_COLUMNS)] for part in frames], ignore_index=True)
    return frame


def decided_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return adjudicators' decisions about pairs as comparisons, with the columns `PREFERENCE_COLUMNS`.

    They are of the kind "decision" and belong to no rater. Decisions of "cannot be decided" have no row.
    """
    own: tuple[Any, ...] = (PairDecision.response_a, PairDecision.response_b, PairDecision.choice)
    query = (
        select(*own, ItemRow.external_id, CriterionRow.key)
        .join(CriterionRow, CriterionRow.id == PairDecision.criterion_id)
        .join(ResponseRow, ResponseRow.id == PairDecision.response_a)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(PairDecision.project_id == project_id, PairDecision.choice != "", ItemRow.purpose == "data")
        .order_by(PairDecision.id)
    )
    names = ("response_a", "response_b", "choice", "item", "criterion")
    frame = columns.read_frame(session, query, names, {name: TYPES[name] for name in names})
    by_nobody = frame.assign(rater=DECISION, rater_kind=DECISION, order="", run=None, sample=None)
    return by_nobody.astype(TYPES)[list(PREFERENCE_COLUMNS)]


def place_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return the place of each response in each rater's rankings, with the columns `PLACE_COLUMNS`.

    1 is the best; in best–worst votes 3 is the worst and 2 everything between.
    """
    responses = {
        row_id: (system, group)
        for row_id, system, group in session.execute(
            select(ResponseRow.id, ResponseRow.system, ItemRow.group)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(ResponseRow.project_id == project_id)
        )
    }
    rows = [
        (item, int(response), *responses[int(response)], key, name, ranking.form, place, ranking.comment)
        for ranking, item, key, name in session.execute(_said(Ranking, project_id))
        for response, place in ranking.places.items()
        if int(response) in responses
    ]
    return pd.DataFrame(rows, columns=pd.Index(PLACE_COLUMNS))


def _said(table: type[Preference] | type[Ranking], project_id: int, own: Sequence[Any] = ()) -> Select[Any]:
    """Return the rows of a table, or only these columns of it, with item, criterion and rater."""
    chosen: tuple[Any, ...] = tuple(own) or (table,)
    return (
        select(*chosen, ItemRow.external_id, CriterionRow.key, Person.name)
        .select_from(table)
        .join(ItemRow, ItemRow.id == table.item_id)
        .join(CriterionRow, CriterionRow.id == table.criterion_id)
        .join(Person, Person.id == table.person_id)
        .where(table.project_id == project_id, table.occasion == 0, ItemRow.purpose == "data")
        .order_by(table.id)
    )


def compared_keys(session: Session, project_id: int) -> tuple[str, ...]:
    """Return the keys of the criteria of people's comparisons and of judges' from files, in order."""
    of_project = select(Run.id).where(Run.project_id == project_id)
    compared = or_(
        exists().where(Preference.criterion_id == CriterionRow.id),
        exists().where(Ranking.criterion_id == CriterionRow.id),
        exists().where(JudgedPair.criterion_id == CriterionRow.id, JudgedPair.run_id.in_(of_project)),
    )
    query = select(CriterionRow.key).where(CriterionRow.project_id == project_id, compared)
    return tuple(session.scalars(query.order_by(CriterionRow.position)))


def without_choice(session: Session, project_id: int) -> dict[tuple[str, str], int]:
    """Return how many comparisons in files have no choice, by judge and criterion."""
    rows = session.execute(
        select(JudgeRow.name, CriterionRow.key, func.count())
        .select_from(JudgedPair)
        .join(Run, Run.id == JudgedPair.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(CriterionRow, CriterionRow.id == JudgedPair.criterion_id)
        .where(Run.project_id == project_id, JudgedPair.choice == "")
        .group_by(JudgeRow.name, CriterionRow.key)
    )
    return {(judge, criterion): n for judge, criterion, n in rows}


def _chosen(session: Session, project_id: int) -> Iterator[tuple[Any, ...]]:
    for pair in chosen_pairs(session, project_id):
        a, b = sorted((pair.first, pair.second))
        order = "a" if pair.first == a else "b"
        other = "b" if order == "a" else "a"
        choice = {"first": order, "second": other, "tie": "tie"}[pair.choice]
        for criterion in pair.criteria:
            yield pair.item, a, b, criterion, pair.judge, "judge", choice, pair.run, pair.sample, order


def _judged(project_id: int) -> Select[Any]:
    names = (ItemRow.external_id, CriterionRow.key, JudgeRow.name, JudgedPair.run_id)
    return (
        select(*_SIDES[JudgedPair], *_CHOICE[JudgedPair], *names)
        .select_from(JudgedPair)
        .join(Run, Run.id == JudgedPair.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ItemRow, ItemRow.id == JudgedPair.item_id)
        .join(CriterionRow, CriterionRow.id == JudgedPair.criterion_id)
        .where(Run.project_id == project_id, JudgedPair.choice != "", ItemRow.purpose == "data")
        .order_by(JudgedPair.id)
    )


def _expanded(session: Session, project_id: int) -> Iterator[tuple[Any, ...]]:
    for row, item, key, name in session.execute(_said(Ranking, project_id)):
        places = sorted((int(response), place) for response, place in row.places.items())
        shown = [int(response) for response in row.shown]
        for (a, place_a), (b, place_b) in combinations(places, 2):
            if row.form == "best_worst" and place_a == place_b == MIDDLE:
                continue
            choice = "tie" if place_a == place_b else "a" if place_a < place_b else "b"
            order = "" if not {a, b} <= {*shown} else "a" if shown.index(a) < shown.index(b) else "b"
            yield item, a, b, key, name, "human", choice, None, None, order
