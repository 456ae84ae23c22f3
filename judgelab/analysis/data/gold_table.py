"""One human score per unit from the kept ratings, for use elsewhere as ground truth."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.data.scores import IN_USE, human_scores, project_scores
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame

GOLD_COLUMNS = ("item_id", "response_id", "system", "criterion", "human_mean", "raters")
AGGREGATE_COLUMNS = ("human_score", "aggregate")  # only if the human score may differ from the mean
DECIDED = "decided"  # value of "aggregate" for an adjudicated score


def gold_table(store: Store, slug: str, *, policy: str = IN_USE, decisions: bool = False) -> pd.DataFrame:
    """Return the mean human score of every unit that the filter keeps, with the number of raters.

    Columns `GOLD_COLUMNS`; empty if there are no ratings. If the filter aggregates ratings other than by the
    mean, or with `decisions`, the columns `AGGREGATE_COLUMNS` are added: the human score and how it was made.
    A decided score is the human score of its unit, even where the filter keeps no rating and so no mean.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    humans = data.scores[data.scores["rater_kind"] == "human"]
    with store.reading() as session:
        responses = response_frame(session, data.project.id)[["response", "response_id", "item", "system"]]
    means = humans.groupby(["response", "criterion"], sort=False)["score"]
    table = means.agg(human_mean="mean", raters="count").reset_index()
    if data.aggregation.method != "mean" or decisions:
        scores = human_scores(data.scores, data.aggregation).drop(columns="raters")
        table = table.merge(
            scores.rename(columns={"human": "human_score"}), "outer", ["response", "criterion"]
        )
        table["aggregate"] = table["decided"].map({True: DECIDED, False: data.aggregation.method})
        table["raters"] = table["raters"].fillna(0).astype("int64")
    table = table.merge(responses, on="response").rename(columns={"item": "item_id"})
    return table[[*GOLD_COLUMNS, *(name for name in AGGREGATE_COLUMNS if name in table)]]
