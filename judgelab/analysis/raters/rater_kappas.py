"""Cohen's kappa for every two of a project's raters."""

from __future__ import annotations

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.raters.measured_kappas import RaterKappas, kappas_by_criterion
from judgelab.store.db.engine import Store


def rater_kappas(store: Store, slug: str, *, policy: str = IN_USE) -> dict[str, RaterKappas]:
    """Return the kappas by criterion for the ratings that the filter keeps, or the choices if nobody rated.

    Raises `NotFound` for an unknown project or filter.
    """
    return kappas_by_criterion(scores_or_comparisons(store, slug, comparisons=None, policy=policy))
