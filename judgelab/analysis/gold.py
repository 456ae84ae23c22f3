"""One human score per unit, to use elsewhere as the truth: what the kept ratings say on average."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.scores import IN_USE, human_scores, project_scores
from judgelab.store.engine import Store
from judgelab.store.frames import response_frame

GOLD_COLUMNS = ("item_id", "response_id", "system", "criterion", "human_mean", "raters")
OTHERWISE = ("human_score", "aggregate")  # only where the rule does not take the mean


def gold_table(store: Store, slug: str, *, policy: str = IN_USE) -> pd.DataFrame:
    """Return the mean human score of every unit that the quality rule keeps, with how many raters gave it.

    Columns `GOLD_COLUMNS`; empty when nobody has rated. A rule that puts ratings together in another way
    than by the mean adds its score and its name (`OTHERWISE`).
    """
    found = project_scores(store, slug, policy=policy)
    humans = found.scores[found.scores["rater_kind"] == "human"]
    with store.reading() as session:
        responses = response_frame(session, found.project.id)[["response", "response_id"]]
    means = (
        humans.groupby(["item", "response", "system", "criterion"], sort=False)["score"]
        .agg(human_mean="mean", raters="count")
        .reset_index()
        .merge(responses, on="response")
        .rename(columns={"item": "item_id"})
    )
    if found.aggregation.how == "mean":
        return means[list(GOLD_COLUMNS)]
    scores = human_scores(humans, found.aggregation).drop(columns="raters")
    both = means.merge(scores.rename(columns={"human": "human_score"}), on=["response", "criterion"])
    return both.assign(aggregate=found.aggregation.how)[[*GOLD_COLUMNS, *OTHERWISE]]
