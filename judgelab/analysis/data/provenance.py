"""Who said what, when, under which guidelines, and what the quality rule in use did with it."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.store.db.engine import Store
from judgelab.store.rating.decisions import decisions
from judgelab.store.rating.rating_records import RECORD_COLUMNS, rating_records

PROVENANCE_COLUMNS = (*RECORD_COLUMNS, "kept", "removed_by", "reason", "decided", "decided_by")


def provenance_table(store: Store, slug: str, *, policy: str = IN_USE) -> pd.DataFrame:
    """Return every rating with the columns `PROVENANCE_COLUMNS`.

    `kept` says whether figures stand on it. If not, `reason` says why, and `removed_by` names the rule and
    its version where a rule did it: ratings that cannot judge, repeats and checks are no data under any.
    `decided` is what an adjudicator decided about the response, and `decided_by` who; no score with a name
    says that it cannot be decided. Figures stand on it only where they are asked to.
    """
    found = project_scores(store, slug, policy=policy)
    with store.reading() as session:
        table = rating_records(session, found.project.id)
        made = decisions(session, found.project.id)
    table["reason"] = [
        _no_data(purpose, occasion, score)
        for purpose, occasion, score in zip(table["purpose"], table["occasion"], table["score"], strict=True)
    ]
    table["removed_by"] = ""
    if found.outcome is not None and found.policy is not None:
        raters = {(v.rater, v.criterion): v.reason or "" for v in found.outcome.raters if not v.kept}
        units = found.outcome.units
        gone = units[~units["kept"].astype(bool)]
        answers = dict(
            zip(zip(gone["response"], gone["criterion"], strict=True), gone["reason"], strict=True)
        )
        why = [
            raters.get((rater, criterion)) or answers.get((response, criterion)) or ""
            for rater, response, criterion in zip(
                table["rater"], table["response"], table["criterion"], strict=True
            )
        ]
        ruled = pd.Series(why, index=table.index, dtype="str")
        by_rule = (table["reason"] == "") & (ruled != "")
        table.loc[by_rule, "reason"] = ruled[by_rule]
        table.loc[by_rule, "removed_by"] = found.policy.title
    table["kept"] = table["reason"] == ""
    of_rows = [made.get(key) for key in zip(table["response"], table["criterion"], strict=True)]
    table["decided"] = pd.Series([row and row.score for row in of_rows], index=table.index, dtype="float64")
    table["decided_by"] = [row.person or "" if row else "" for row in of_rows]
    return table[list(PROVENANCE_COLUMNS)]


def _no_data(purpose: str, occasion: int, score: float | None) -> str:
    """Return why no figure counts a rating under any rule, or nothing."""
    if purpose != "data":
        return f"not data: {purpose}"
    if occasion > 0:
        return "a planned repeat"
    return "cannot be judged" if score is None or pd.isna(score) else ""
