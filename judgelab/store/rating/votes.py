"""Read people's best–worst votes, one row for each response that was shown."""

from __future__ import annotations

import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, ItemRow, Person, Ranking, ResponseRow

NAMED_BOTH = "named best and worst at once: "  # in comments on votes, before the names
VOTE_COLUMNS = ("item", "response", "name", "system", "group", "criterion", "rater", "best", "worst")
BEST, WORST = 1, 3


def best_worst_votes(session: Session, project_id: int) -> pd.DataFrame:
    """Return which responses each rater named best or worst, with the columns `VOTE_COLUMNS`.

    A response named both in one vote is stored in a middle place; here it counts as both best and worst.
    """
    responses = {
        row_id: (name, system, group)
        for row_id, name, system, group in session.execute(
            select(ResponseRow.id, ResponseRow.external_id, ResponseRow.system, ItemRow.group)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(ResponseRow.project_id == project_id)
        )
    }
    query = (
        select(Ranking, ItemRow.external_id, CriterionRow.key, Person.name)
        .join(ItemRow, ItemRow.id == Ranking.item_id)
        .join(CriterionRow, CriterionRow.id == Ranking.criterion_id)
        .join(Person, Person.id == Ranking.person_id)
        .where(Ranking.project_id == project_id, Ranking.form == "best_worst", Ranking.occasion == 0)
        .where(ItemRow.purpose == "data")
        .order_by(Ranking.id)
    )
    rows = []
    for ranking, item, key, rater in session.execute(query):
        named_both = _both(ranking.comment)
        for response, place in ranking.places.items():
            name, system, group = responses[int(response)]
            best, worst = place == BEST or name in named_both, place == WORST or name in named_both
            rows.append((item, int(response), name, system, group, key, rater, best, worst))
    return pd.DataFrame(rows, columns=pd.Index(VOTE_COLUMNS))


def _both(comment: str | None) -> set[str]:
    _, marker, names = (comment or "").partition(NAMED_BOTH)
    return set(names.split("; ")[0].split(", ")) if marker else set()
