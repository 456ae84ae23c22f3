"""Ratings of units with a known score or order, and whether they are right."""

from __future__ import annotations

import pandas as pd

from judgelab.annotation.assign.known_scores import ROUNDING, order_similarity
from judgelab.store.db.engine import Session
from judgelab.store.rating.check_results import CHECK_COLUMNS, CheckedRanking, check_frame, checked_rankings


def check_table(session: Session, project_id: int) -> pd.DataFrame:
    """Return one row per rater, checked unit and criterion: `CHECK_COLUMNS` and `passed`.

    A score within the tolerance of the known one passes; "cannot judge" does not. The score of a ranking is
    the similarity of its order to the known one.
    """
    frame = check_frame(session, project_id)
    lists = [_ranking_row(checked_ranking) for checked_ranking in checked_rankings(session, project_id)]
    if lists:
        added = pd.DataFrame(lists, columns=list(CHECK_COLUMNS))
        frame = added if frame.empty else pd.concat([frame, added], ignore_index=True)
    frame["passed"] = (frame["score"] - frame["known"]).abs() <= frame["tolerance"] + ROUNDING
    return frame


def _ranking_row(ranking: CheckedRanking) -> tuple[object, ...]:
    score = order_similarity(ranking.given_places, ranking.places, ends=ranking.form == "best_worst")
    return (
        *(
            ranking.unit,
            ranking.person,
            ranking.rater,
            ranking.item,
            None,
            ranking.criterion,
            ranking.purpose,
        ),
        *(score, ranking.known, ranking.tolerance, ranking.rated_at),
    )
