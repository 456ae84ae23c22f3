"""Agreement among a project's raters, in the requested coefficients."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.agreement.measured_inter_rater import InterRaterAgreement, measure_inter_rater
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.scores import IN_USE
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS
from judgelab.store.db.engine import Store


def inter_rater_agreement(
    store: Store,
    slug: str,
    *,
    coefficients: Sequence[str] = tuple(INTER_RATER_COEFFICIENTS),
    weights: str = "identity",
    policy: str = IN_USE,
    resamples: int = 1000,
    seed: int = 0,
) -> InterRaterAgreement:
    """Return the agreement among a project's raters under each rated criterion.

    Arguments as in `metaeval.coefficients.between_raters` and `agreement_table`; raises as they do.
    """
    data = scores_or_comparisons(store, slug, comparisons=None, policy=policy)
    return measure_inter_rater(
        data, coefficients=coefficients, weights=weights, resamples=resamples, seed=seed
    )
