"""The outcome of a filter: every rater and every unit with its reason, the ratings left, and the totals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_removal import ThresholdRange
from judgelab.metaeval.core.result import Estimate

STAGES = ("before", "after_raters", "after_items")
UNIT_COLUMNS = ("item", "response", "system", "criterion", "reason", "kept")


class RaterVerdict(NamedTuple):
    """One rater under one criterion.

    Args:
        rater: the name.
        criterion: the criterion's key.
        agreement: the agreement that decided, in the round in which the rater was removed, or in the last
            one; None if it could not be assessed.
        agreement_before: the same with all raters.
        partners: the number of others with whom the rater was compared in the deciding round.
        n_overlap: shared units in that round, summed over partners for pairwise agreement.
        reason: why the rater was removed, or could not be assessed; None for a rater who passed.
        kept: whether the ratings stay.
        removed_in_round: from 1; None for a rater who stays.
    """

    rater: str
    criterion: str
    agreement: float | None
    agreement_before: float | None
    partners: int
    n_overlap: int
    reason: str | None
    kept: bool
    removed_in_round: int | None


class Losses(NamedTuple):
    """Answers and ratings by what happened to them; the counts of each add up to the total.

    An answer is one unit: a response under one criterion. `by_raters` counts the ratings of removed raters
    and the answers with only such ratings; `too_few` and `conflict` count the ratings that were left of the
    answers removed for these reasons.
    """

    answers: Mapping[str, int]
    ratings: Mapping[str, int]


@dataclass(frozen=True)
class FilterOutcome:
    """The result of a filter; nothing is deleted, this is a view of the ratings.

    Args:
        policy: the filter.
        raters: one verdict per rater and criterion.
        units: one row per unit (`UNIT_COLUMNS`); `reason` is None for kept ones.
        kept: the ratings left, with the columns of the input.
        agreement: mean pairwise r before, after removing raters, after removing units; with several criteria
            the mean over them. Dropping conflicts raises it by arithmetic alone, so all three are shown.
            If no criterion has an order, it is mean pairwise kappa.
        agreement_by_criterion: the same for each criterion; kappa for one without an order.
        coefficients: by criterion, the coefficient of agreement, "pearson" or "kappa".
        compared: whether units are pairs of responses that raters compared.
        losses: what happened to answers and ratings.
        threshold_ranges: for each criterion, the thresholds that remove the same raters.
        stopped: why the outcome should not be used without a second look; None if there is no reason.
    """

    policy: FilterPolicy
    raters: tuple[RaterVerdict, ...]
    units: pd.DataFrame
    kept: pd.DataFrame
    agreement: Mapping[str, Estimate]
    agreement_by_criterion: Mapping[str, Mapping[str, Estimate]]
    losses: Losses
    threshold_ranges: Mapping[str, ThresholdRange]
    stopped: str | None
    coefficients: Mapping[str, str]
    compared: bool = False

    @property
    def coefficient(self) -> str:
        """The coefficient in `agreement`: that of the criteria with an order, if there are any."""
        return "kappa" if set(self.coefficients.values()) == {"kappa"} else "pearson"

    @property
    def kept_items(self) -> int:
        """Units left."""
        return self.losses.answers["kept"]

    def to_json(self) -> dict[str, Any]:
        """Return the output of `judgelab quality --json`: every rater and every unit with its reason."""
        return {
            "policy": self.policy.to_json(),
            # Each rater is tested alone (`rater_controls.UNCORRECTED`); without a control there are no tests.
            **({} if self.policy.control == "agreement" else {"correction": "none", "family": None}),
            "raters": [verdict._asdict() for verdict in self.raters],
            "items": self.units[["item", "system", "criterion", "reason", "kept"]].to_dict("records"),
            "kept_items": self.kept_items,
            "comparisons": self.compared,
            "coefficient": self.coefficient,
            "coefficients": dict(self.coefficients),
            "agreement": {stage: self.agreement[stage].value for stage in STAGES},
            "agreement_by_criterion": {
                criterion: {stage: stages[stage].value for stage in STAGES}
                for criterion, stages in self.agreement_by_criterion.items()
            },
            "losses": {"answers": dict(self.losses.answers), "ratings": dict(self.losses.ratings)},
            "threshold_ranges": {
                criterion: [end if math.isfinite(end) else None for end in ends]
                for criterion, ends in self.threshold_ranges.items()
            },
            "stopped": self.stopped,
        }
