"""The estimates under one filter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.judges.ranking import Swap

R, KAPPA, ALPHA, RANKING = "r", "kappa", "alpha", "ranking"


@dataclass(frozen=True)
class FilterEffect:
    """Estimates under one filter, conditional on the raters and responses that it removes.

    Args:
        policy: the filter; None for all ratings.
        removed_raters: names in order of removal.
        raters: number of raters kept.
        responses: number of responses kept.
        ratings: number of ratings kept.
        people: "r" (mean over pairs of raters; without an order "kappa" instead), "alpha", and "ranking"
            (tau-b with the order of systems by all ratings).
        judges: agreement of each judge and metric with the people.
        on_all_responses: the same with the kept raters only, but on all responses that they rated.
        change: change of "r" or "kappa", "alpha" and each judge from all ratings, on the same resamples.
        swaps: pairs of systems whose order differs from that by all ratings.
        stopped: why the outcome needs a second look, if it does.
    """

    policy: FilterPolicy | None
    removed_raters: tuple[str, ...]
    raters: int
    responses: int
    ratings: int
    people: Mapping[str, Estimate]
    judges: Mapping[str, Estimate]
    on_all_responses: Mapping[str, Estimate]
    change: Mapping[str, Estimate]
    swaps: tuple[Swap, ...]
    stopped: str | None = None

    @property
    def mean_of(self) -> str:
        """Return the coefficient whose mean over pairs of raters is in `people`: "r" or "kappa"."""
        return KAPPA if KAPPA in self.people else R
