"""Read all comparisons of a project as one long frame of pairs, and all places of rankings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import pandas as pd
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from judgelab.domain import PREFERENCE_COLUMNS
from judgelab.store.judging.shown_pairs import chosen_pairs
from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Person,
    Preference,
    Ranking,
    ResponseRow,
    Run,
)

PLACE_COLUMNS = ("item", "response", "system", "group", "criterion", "rater", "form", "place", "comment")
MIDDLE = 2  # the place of responses that a best–worst vote names neither best nor worst


def preference_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return every comparison of two responses, one row each, with the columns `PREFERENCE_COLUMNS`.

    `response_a` and `response_b` are row ids, the lower one first; `choice` is a, b or tie; `order` is the
    one shown first (a or b) on the screen or in the prompt, or empty. Planned repeats and check items are
    left out. A ranking counts as a choice within each pair of its responses; two that a best–worst vote
    leaves in the middle were not compared, so they have no row. Judges have a row for each choice between
    two responses in a reply, and for each pair of a ranking; `sample` is the number of the reply.
    """
    rows = [
        *_preferences(session, project_id),
        *_expanded(session, project_id),
        *_chosen(session, project_id),
        *_judged(session, project_id),
    ]
    frame = pd.DataFrame(rows, columns=pd.Index(PREFERENCE_COLUMNS))
    return frame.astype(
        {
            **dict.fromkeys(("response_a", "response_b"), "int64"),
            **dict.fromkeys(("item", "criterion", "rater", "rater_kind", "choice", "order"), "str"),
            **dict.fromkeys(("run", "sample"), "Int64"),
        }
    )


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


def _said(
    table: type[Preference] | type[Ranking], project_id: int, columns: Sequence[Any] = ()
) -> Select[Any]:
    """Return the rows of a table, or only these columns of it, with item, criterion and rater."""
    chosen: tuple[Any, ...] = tuple(columns) or (table,)
    return (
        select(*chosen, ItemRow.external_id, CriterionRow.key, Person.name)
        .select_from(table)
        .join(ItemRow, ItemRow.id == table.item_id)
        .join(CriterionRow, CriterionRow.id == table.criterion_id)
        .join(Person, Person.id == table.person_id)
        .where(table.project_id == project_id, table.occasion == 0, ItemRow.purpose == "data")
        .order_by(table.id)
    )


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


def _preferences(session: Session, project_id: int) -> Iterator[tuple[Any, ...]]:
    columns = (Preference.response_a, Preference.response_b, Preference.choice, Preference.first)
    for a, b, choice, first, item, key, name in session.execute(_said(Preference, project_id, columns)):
        yield item, a, b, key, name, "human", choice, None, None, first


def _chosen(session: Session, project_id: int) -> Iterator[tuple[Any, ...]]:
    for pair in chosen_pairs(session, project_id):
        a, b = sorted((pair.first, pair.second))
        order = "a" if pair.first == a else "b"
        other = "b" if order == "a" else "a"
        choice = {"first": order, "second": other, "tie": "tie"}[pair.choice]
        for criterion in pair.criteria:
            yield pair.item, a, b, criterion, pair.judge, "judge", choice, pair.run, pair.sample, order


def _judged(session: Session, project_id: int) -> Iterator[tuple[Any, ...]]:
    query = (
        select(
            ItemRow.external_id,
            JudgedPair.response_a,
            JudgedPair.response_b,
            CriterionRow.key,
            JudgeRow.name,
            JudgedPair.choice,
            JudgedPair.run_id,
            JudgedPair.first,
        )
        .join(Run, Run.id == JudgedPair.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ItemRow, ItemRow.id == JudgedPair.item_id)
        .join(CriterionRow, CriterionRow.id == JudgedPair.criterion_id)
        .where(Run.project_id == project_id, JudgedPair.choice != "", ItemRow.purpose == "data")
        .order_by(JudgedPair.id)
    )
    for item, a, b, criterion, judge, choice, run, first in session.execute(query):
        yield item, a, b, criterion, judge, "judge", choice, run, 0, first


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
