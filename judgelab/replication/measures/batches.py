"""BioASQ's measures: kappa both ways, precision and recall combined, pairs in the human order."""

from __future__ import annotations

import pandas as pd

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.batches import COMBINED_OF, QWK_OF_RUNS, combined, run_kappas
from judgelab.metaeval.agreement.pair_order import order_agreement, pairs_of_scores
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.core.result import AgreementRow, Estimate, undefined
from judgelab.metaeval.core.units import unit_tables
from judgelab.replication.material import Material
from judgelab.replication.measures.agreement import plain_agreement
from judgelab.replication.measures.base import MeasureRequest, measures
from judgelab.store.frames.sample_frames import sample_frame
from judgelab.wording import sentence

NO_BATCHES = sentence("the items of this project have no groups, which are needed as batches")
SAME = "combined_same"


@measures.register("batches")
def batches(material: Material, request: MeasureRequest) -> Estimate:
    """Return a number of the table per batch: "qwk_runs", a combined criterion, or plain agreement."""
    recipe = request.recipe
    if recipe.criterion.startswith("combined"):
        return _combined(material, request)
    if recipe.coefficient != QWK_OF_RUNS:
        return plain_agreement(material, request)
    if not material.groups:
        return undefined(NO_BATCHES)
    rows = material.once(QWK_OF_RUNS, lambda: _by_run(material))
    return _row(rows, request, recipe.criterion or AVERAGE)


@measures.register("pair_order")
def pair_order(material: Material, request: MeasureRequest) -> Estimate:
    """Return "accuracy" or "kappa" of a judge's order of two responses against that of the human scores."""
    estimates = material.once(
        ("pair_order", request.rater),
        lambda: order_agreement(
            pairs_of_scores(material.scores, request.rater),
            resamples=material.resamples,
            seed=material.seed,
        ),
    )
    return estimates[request.recipe.coefficient]


def _combined(material: Material, request: MeasureRequest) -> Estimate:
    if not material.groups:
        return undefined(NO_BATCHES)
    missing = [key for key in COMBINED_OF if key not in material.criteria]
    if missing:
        return undefined(
            sentence("there are no ratings under a criterion '{criterion}'", criterion=", ".join(missing))
        )
    name = request.recipe.criterion
    human_of = COMBINED_OF if name == SAME else tuple(material.criteria)

    def compute() -> list[AgreementRow]:
        frame = combined(_named(material.scores), name, judge_of=COMBINED_OF, human_of=human_of)
        return agreement(
            frame,
            scales={},
            levels=("group",),
            coefficients=("spearman",),
            resamples=material.resamples,
            seed=material.seed,
            aggregation=material.aggregation,
            tables=unit_tables(frame, material.aggregation, drawn_items=material.drawn_items),
        )

    return _row(material.once(name, compute), request, name)


def _by_run(material: Material) -> list[AgreementRow]:
    """Return kappas of single runs; a judge's replies are its runs if it was asked several times."""
    with material.store.reading() as session:
        replies = sample_frame(session, material.project.id)
    if material.only_groups:
        replies = replies[replies["group"].isin(material.only_groups)]
    replied = set(replies["rater"].unique())
    # The first reply about a response is of the judge's first run, whichever run of ours asked for it: who
    # lets the rest be judged later has not run the judge twice.
    replies = replies.assign(run=0, sample=replies.groupby(["rater", "criterion", "response"]).cumcount())
    scores = material.scores
    frame = pd.concat([scores[~scores["rater"].isin(replied) | (scores["rater_kind"] != "judge")], replies])
    return run_kappas(
        _named(frame),
        scales=material.project.scales,
        resamples=material.resamples,
        seed=material.seed,
        aggregation=material.aggregation,
        own_scale=material.own_scale,
    )


def _named(scores: pd.DataFrame) -> pd.DataFrame:
    return scores[scores["group"].notna() & (scores["group"].astype(str) != "")]


def _row(rows: list[AgreementRow], request: MeasureRequest, criterion: str) -> Estimate:
    for row in rows:
        if (row.rater, row.rater_kind, row.criterion) == (request.rater, request.rater_kind, criterion):
            return row.estimate
    return undefined(sentence("no response has both a rating and a score from {rater}", rater=request.rater))
