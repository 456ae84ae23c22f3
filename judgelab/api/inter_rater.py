"""Agreement of the raters with one another, in the field's coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from judgelab.analysis.agreement.measured_inter_rater import measure_inter_rater
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import names_listed, one_each, whole_numbers
from judgelab.api.confidence import with_confidence
from judgelab.api.judges import check_people, unrated_note
from judgelab.api.scores import Scores, of_criterion, scores_of
from judgelab.api.tables import Row, Table, intervals_of
from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS, suited_coefficients
from judgelab.metaeval.coefficients.left_out import left_out_of_rows

if TYPE_CHECKING:
    import plotly.graph_objects as go

KEYS = ("criterion", "coefficient")
ALL = "all"


class InterRaterTable(Table):
    """Agreement among the raters, one row a criterion and coefficient."""

    def plot(
        self, *, criterion: str | None = None, coefficient: str | None = None, dark: bool = False
    ) -> go.Figure:
        """Return a forest plot of the coefficients of one criterion, the first one if not given."""
        from judgelab.charts.forest import ForestRow, forest_plot
        from judgelab.charts.tokens import palette

        place = criterion or self._rows[0].names[0]
        self[(place,) if coefficient is None else (place, coefficient)]  # raises with the names there are
        rows = [
            ForestRow(row.names[1], "human", row.estimate)
            for row in self._rows
            if row.names[0] == place and coefficient in (None, row.names[1])
        ]
        return forest_plot(
            rows,
            ceiling=None,
            title=f"agreement among raters, {100 * self._source.get('confidence', 0.95):.6g} % interval",
            theme=palette("dark" if dark else None),
        )


@with_confidence
def inter_rater(
    data: Any,
    /,
    *,
    coefficient: str | Sequence[str] | None = None,
    criterion: str | None = None,
    weights: str = "identity",
    filter: FilterPolicy | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
) -> InterRaterTable:
    """Return how far the human raters agree with one another, under each criterion.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        coefficient: one or more of percent (observed agreement), cohen (Cohen's kappa, mean over pairs of
            raters), fleiss, conger, gwet (AC1, with weights AC2), brennan_prediger, alpha_nominal,
            alpha_ordinal, alpha_interval, alpha_ratio (Krippendorff's alpha), icc_1, icc_a, icc_c (one rater)
            and icc_1k, icc_ak, icc_ck (mean of k raters) after McGraw and Wong 1996, kendall_w, mean_r (mean
            of Pearson's r over pairs of raters); or "all". The default suits the scale: alpha at its level
            first, kappas and AC where it has points, ICC, W and r where it has more than two.
        criterion: this criterion only.
        weights: "identity", "linear" or "quadratic"; for cohen, fleiss, conger, gwet and brennan_prediger.
        filter: a quality filter, applied first.
        confidence: level of the intervals, 0.95 for 95 %.
        n_resamples: resamples of the items for the intervals; 0 for none.
        seed: seed of the resampling.

    Returns:
        A table with one row a criterion and coefficient. 1 is perfect agreement; 0 is chance, except for
        percent and kendall_w, which lie between 0 and 1. n counts responses, of mean_r pairs of raters.
        Missing scores are gaps: alpha, kappas and AC use every response with two scores or more, mean_r every
        pair of raters on what both scored, icc_1 and icc_1k every score, other ICC and W only responses that
        all raters scored. Kappas and AC
        count every point of the scale, also one that nobody gave, so give `judgelab.scores` a scale where the
        scores do not show it. A coefficient that the scores or the scale do not allow is undefined, with a
        reason: one rater, the same score everywhere, labels without an order.

    Raises:
        InvalidInput: there is no human rater, or the weights are unknown.
        NotFound: no such coefficient or criterion.

    Sources: Krippendorff 2019, Content Analysis; Gwet 2014, Handbook of Inter-Rater Reliability.

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores(human={"ann": [1, 2, 3, 3, 5], "bob": [1, 2, 3, 4, 5]})
        >>> table = jl.inter_rater(s, coefficient=["percent", "alpha_ordinal"], n_resamples=0)
        >>> round(table["percent"].value, 3), round(table["alpha_ordinal"].value, 3)
        (0.8, 0.954)
    """
    whole_numbers(n_resamples=n_resamples, seed=seed)
    one_each(criterion=criterion, weights=weights)
    given = scores_of(data, filter)
    of_criterion(given, criterion)
    check_people(given)
    names = _chosen(given, coefficient)
    found = measure_inter_rater(
        given._data,
        criterion=criterion,
        coefficients=names,
        weights=weights,
        resamples=n_resamples,
        seed=seed,
    )
    rows = tuple(
        Row((key, name), estimate)
        for key, by_coefficient in found.criteria.items()
        for name, estimate in by_coefficient.items()
    )
    if not rows:
        raise InvalidInput(f"no human rater scored '{criterion}'; leave out criterion=.")
    intervals = intervals_of(rows)
    weighted = "" if weights == "identity" else f"; kappas and AC with {weights} weights"
    filtered = "" if given._data.policy is None else ", after the filter"
    return InterRaterTable(
        KEYS,
        rows,
        f"Agreement among the raters ({', '.join(given.humans[:6])}{' …' if len(given.humans) > 6 else ''})"
        f"{filtered}",
        (
            f"{intervals[:1].upper()}{intervals[1:]}{weighted}.",
            *unrated_note(given, criterion),
            *map(str, left_out_of_rows((row.names[1], row.estimate) for row in rows)),
        ),
    )


def _chosen(given: Scores, coefficient: str | Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    """Return the coefficients by criterion."""
    if not coefficient:
        return {key: suited_coefficients(scale) for key, scale in given.scales.items()}
    names = (
        INTER_RATER_COEFFICIENTS if coefficient == ALL else names_listed(coefficient, "coefficient", "gwet")
    )
    return dict.fromkeys(given.scales, tuple(names))
