"""BioASQ's table: agreement per batch, then averaged; kappa both ways; precision and recall combined.

After Hijazi and others, "Using Large Language Models to Evaluate Biomedical Query-Focused Summarisation",
section 3 and table 1. A batch is a group of items.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.over_runs import PEOPLE, agreement_over_runs
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.result import AgreementRow
from judgelab.scales import Scale

BATCH = "group"
COMBINED_OF = ("precision", "recall")
# The paper leaves open what the human side of "Combined" averages; the names say it.
COMBINED_SAME, COMBINED_ALL = "combined_same", "combined_all"
QWK_OF_MEAN, QWK_OF_RUNS = "qwk", "qwk_runs"


def batch_agreement(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    combined_of: Sequence[str] = COMBINED_OF,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    own_scale: Collection[str] = (),
) -> list[AgreementRow]:
    """Return Spearman and kappas of every judge and metric, each the plain mean over batches.

    Rows, all of level "group": under each criterion "spearman" (of a judge's mean over its runs and samples),
    "qwk" (of that mean rounded half up to a point) and "qwk_runs" (the kappas of the single runs, averaged);
    the same of the criterion "average", the mean of the criteria's coefficients (the paper's Average); and
    "spearman" of "combined_same" and "combined_all": the judge's mean of `combined_of` against the human mean
    of the same criteria, and of all. A combined row is there where a rater has all the criteria it needs.

    Args:
        scores: the long frame (`SCORE_COLUMNS`); a judge's rows may be told apart by `run` and `sample`.
        scales: the scale of each criterion.
        combined_of: the criteria that Combined averages on the judge's side.
        constant_groups: "zero" counts a batch in which only the judge is constant as 0, "drop" leaves it out.
        resamples: of the items, for the intervals; 0 for none.
        seed: of the resampling.
        aggregation: how the ratings of a response become its human score.
        own_scale: names of judges whose scores are wins, ranks or votes: their kappas are undefined.
    """
    shared: dict[str, Any] = {
        "constant_groups": constant_groups,
        "resamples": resamples,
        "seed": seed,
        "aggregation": aggregation,
        "own_scale": own_scale,
    }
    named = scores[scores["group"].notna() & (scores["group"].astype(str) != "")]
    rows = agreement(named, scales=scales, levels=(BATCH,), coefficients=("spearman", QWK_OF_MEAN), **shared)
    rows += run_kappas(named, scales=scales, **shared)
    keys = sorted(named["criterion"].unique())
    if set(combined_of) <= set(keys):
        for name, human_of in ((COMBINED_SAME, combined_of), (COMBINED_ALL, keys)):
            frame = combined(named, name, judge_of=combined_of, human_of=human_of)
            rows += agreement(frame, scales={}, levels=(BATCH,), coefficients=("spearman",), **shared)
    return rows


def run_kappas(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    own_scale: Collection[str] = (),
) -> list[AgreementRow]:
    """Return the quadratic kappa of each single run (or sample) of a judge, averaged over the runs.

    Rows have the coefficient "qwk_runs"; `params["runs_used"]` says over how many runs. Arguments as in
    `batch_agreement`.
    """
    rows = agreement_over_runs(
        scores, scales=scales, level=BATCH, coefficient=QWK_OF_MEAN, constant_groups=constant_groups,
        resamples=resamples, seed=seed, aggregation=aggregation, own_scale=own_scale,
    )  # fmt: skip
    return [replace(row, coefficient=QWK_OF_RUNS) for row in rows]


def combined(
    scores: pd.DataFrame, name: str, *, judge_of: Sequence[str], human_of: Sequence[str]
) -> pd.DataFrame:
    """Return a frame with one new criterion: each rater's mean over the criteria, where all are scored.

    A person's ratings are averaged over `human_of`, a judge's or metric's scores over `judge_of`. A text
    metric has the same value under every criterion, so its mean is that value.
    """
    people = scores["rater_kind"].isin(PEOPLE)
    return pd.concat(
        [_mean_over(scores[people], name, human_of), _mean_over(scores[~people], name, judge_of)],
        ignore_index=True,
    )


def _mean_over(scores: pd.DataFrame, name: str, criteria: Sequence[str]) -> pd.DataFrame:
    chosen = scores[scores["criterion"].isin(list(criteria)) & scores["score"].notna()]
    keys = ["item", "response", "system", "group", "rater", "rater_kind", "run", "sample"]
    grouped = chosen.groupby(keys, dropna=False, sort=False, observed=True)
    means = grouped.agg(
        score=("score", "mean"), criteria=("criterion", "nunique"), rated_at=("rated_at", "max")
    ).reset_index()
    complete = means[means["criteria"] == len(set(criteria))]
    return complete.drop(columns="criteria").assign(criterion=name)[list(scores.columns)]
