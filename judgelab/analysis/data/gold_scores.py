"""One human score per unit from the kept ratings, for use elsewhere as ground truth."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.metaeval.core.aggregation import aggregation_of_labels
from judgelab.scales import unordered

GOLD_COLUMNS = ("item_id", "response_id", "system", "criterion", "human_mean", "raters")
AGGREGATE_COLUMNS = ("human_score", "aggregate")  # only if the human score may differ from the mean
DECIDED = "decided"  # value of "aggregate" for an adjudicated score


def gold_scores(data: ProjectScores, responses: pd.DataFrame) -> pd.DataFrame:
    """Return the mean human score of every unit that the filter keeps, with the number of raters.

    `responses` has the columns response, response_id, item and system.
    Columns `GOLD_COLUMNS`; empty if there are no ratings. Labels without an order have no mean. If the filter
    aggregates ratings other than by the mean, with such labels or with decisions, the columns
    `AGGREGATE_COLUMNS` are added: the human score and how it was made.
    A decided score is the human score of its unit, even where the filter keeps no rating and so no mean.
    """
    humans = data.scores[data.scores["rater_kind"] == "human"]
    decisions = data.n_decided is not None
    means = humans.groupby(["response", "criterion"], sort=False)["score"]
    table = means.agg(human_mean="mean", raters="count").reset_index()
    labelled = unordered(data.project.scales)
    table["human_mean"] = table["human_mean"].mask(table["criterion"].isin(list(labelled)))
    if data.aggregation.method != "mean" or decisions or labelled:
        scores = human_scores(data.scores, data.aggregation, scales=data.project.scales).drop(
            columns="raters"
        )
        table = table.merge(
            scores.rename(columns={"human": "human_score"}), "outer", ["response", "criterion"]
        )
        how = table["criterion"].map(
            lambda key: (
                (aggregation_of_labels(data.aggregation) if key in labelled else data.aggregation).method
            )
        )
        table["aggregate"] = how.mask(table["decided"].astype(bool), DECIDED)
        table["raters"] = table["raters"].fillna(0).astype("int64")
    table = table.merge(responses[["response", "response_id", "item", "system"]], on="response").rename(
        columns={"item": "item_id"}
    )
    return table[[*GOLD_COLUMNS, *(name for name in AGGREGATE_COLUMNS if name in table)]]
