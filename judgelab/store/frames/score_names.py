"""Look up the names for the ids in score rows once for all rows, which is faster than joining them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.domain import SCORE_COLUMNS
from judgelab.store.db import columns
from judgelab.store.models import CriterionRow, ItemRow, ResponseRow

SCORED = ("response", "criterion_id", "score")
IDS = {
    **dict.fromkeys(("id", "response", "criterion_id", "person", "run"), "int64"),
    **{"rater": "str", "score": "float64", "rated_at": columns.TIME},
}
PLACES = ("item", "system", "group")
written = columns.raw_times


def names_by_id(session: Session, query: Select[int, str]) -> dict[int, str]:
    """Return the rows of a two-column query as a mapping from id to name."""
    return {row_id: name for row_id, name in session.execute(query)}


@dataclass(frozen=True)
class ScoreNames:
    """The names of a project's responses and criteria.

    Attributes:
        responses: the columns item, system and group by row id; only data responses.
        criteria: keys by row id, in the project's order.
    """

    responses: pd.DataFrame
    criteria: dict[int, str]

    @classmethod
    def of(cls, session: Session, project_id: int) -> ScoreNames:
        """Read the names of a project."""
        texts: list[ColumnElement[Any] | InstrumentedAttribute[Any]]
        texts = [ItemRow.external_id, ResponseRow.system, ItemRow.group]
        query = (
            select(ResponseRow.id, *texts)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        )
        kinds = {"response": "int64", **dict.fromkeys(PLACES, "str")}
        responses = columns.read_frame(session, query, ("response", *PLACES), kinds).set_index("response")
        criteria = (
            select(CriterionRow.id, CriterionRow.key)
            .where(CriterionRow.project_id == project_id)
            .order_by(CriterionRow.position)
        )
        return cls(responses, names_by_id(session, criteria))

    def put(self, frame: pd.DataFrame, kind: str) -> pd.DataFrame:
        """Return the scores of data responses with the columns `SCORE_COLUMNS`.

        Args:
            frame: columns response, criterion_id, score, rater, rated_at and, for judges, run.
            kind: the value of `rater_kind`.
        """
        positions = self.responses.index.get_indexer(pd.Index(frame["response"]))
        if (positions < 0).any():
            frame, positions = frame[positions >= 0].reset_index(drop=True), positions[positions >= 0]
        place_columns = {name: self.responses[name].take(positions).set_axis(frame.index) for name in PLACES}
        criterion = columns.lookup_texts(frame["criterion_id"], self.criteria)
        missing: pd.Series[Any] = pd.Series(pd.NA, index=frame.index, dtype="Int64")
        run = frame["run"].astype("Int64") if "run" in frame else missing
        kinds: pd.Series[Any] = pd.Series(kind, index=frame.index, dtype="str")
        named = frame.assign(**place_columns, criterion=criterion, run=run, sample=missing, rater_kind=kinds)
        return named[list(SCORE_COLUMNS)]
