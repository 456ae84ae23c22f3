"""Provenance of every rating: who gave it, when, under which guidelines, and whether the filter keeps it."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.store.db.engine import Store
from judgelab.store.rating.decisions import decisions
from judgelab.store.rating.rating_records import RECORD_COLUMNS, rating_records

PROVENANCE_COLUMNS = (*RECORD_COLUMNS, "kept", "removed_by", "reason", "decided", "decided_by")


def provenance_table(store: Store, slug: str, *, policy: str = IN_USE) -> pd.DataFrame:
    """Return every rating with the columns `PROVENANCE_COLUMNS`.

    `kept` says whether results use it. If not, `reason` says why, and `removed_by` names the filter and its
    version if a filter removed it; "cannot judge", repeats and checks are never used. `decided` is an
    adjudicator's decision on the response and `decided_by` its author; an author without a score means that
    it cannot be decided. Results use decisions only on request.
    """
    data = project_scores(store, slug, policy=policy)
    with store.reading() as session:
        table = rating_records(session, data.project.id)
        decision_by_key = decisions(session, data.project.id)
    table["reason"] = [
        _why_not_data(purpose, occasion, score)
        for purpose, occasion, score in zip(table["purpose"], table["occasion"], table["score"], strict=True)
    ]
    table["removed_by"] = ""
    if data.outcome is not None and data.policy is not None:
        reason_by_rater = {
            (verdict.rater, verdict.criterion): verdict.reason or ""
            for verdict in data.outcome.raters
            if not verdict.kept
        }
        units = data.outcome.units
        excluded = units[~units["kept"].astype(bool)]
        reason_by_response = dict(
            zip(
                zip(excluded["response"], excluded["criterion"], strict=True), excluded["reason"], strict=True
            )
        )
        reasons = [
            reason_by_rater.get((rater, criterion)) or reason_by_response.get((response, criterion)) or ""
            for rater, response, criterion in zip(
                table["rater"], table["response"], table["criterion"], strict=True
            )
        ]
        filter_reason = pd.Series(reasons, index=table.index, dtype="str")
        by_rule = (table["reason"] == "") & (filter_reason != "")
        table.loc[by_rule, "reason"] = filter_reason[by_rule]
        table.loc[by_rule, "removed_by"] = data.policy.title
    table["kept"] = table["reason"] == ""
    row_decisions = [
        decision_by_key.get(key) for key in zip(table["response"], table["criterion"], strict=True)
    ]
    table["decided"] = pd.Series(
        [row and row.score for row in row_decisions], index=table.index, dtype="float64"
    )
    table["decided_by"] = [row.person or "" if row else "" for row in row_decisions]
    return table[list(PROVENANCE_COLUMNS)]


def _why_not_data(purpose: str, occasion: int, score: float | None) -> str:
    """Return why no result uses a rating, whatever the filter; empty if it can be used."""
    if purpose != "data":
        return f"not data: {purpose}"
    if occasion > 0:
        return "a planned repeat"
    return "cannot be judged" if score is None or pd.isna(score) else ""
