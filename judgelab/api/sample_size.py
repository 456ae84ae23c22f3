"""How many items, pairs or raters it takes to settle a claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from judgelab.analysis.comparison.sample_size_answer import (
    BASELINE,
    JUDGES,
    STAND_IN,
    SampleSizeAnswer,
)
from judgelab.analysis.comparison.sample_size_of_alternative_test import alternative_test_sample_size
from judgelab.analysis.comparison.sample_size_of_baseline import baseline_sample_size
from judgelab.analysis.comparison.sample_size_of_judges import judges_sample_size
from judgelab.analysis.comparison.sample_size_of_systems import systems_sample_size
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import one_each, whole_numbers
from judgelab.api.claims import claim_of
from judgelab.api.html import html_table
from judgelab.api.judges import check_epsilon, texts_missing
from judgelab.api.scores import Scores, scores_of
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.pairing import LEVELS
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.planning import SampleSizePlan

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True, repr=False)
class SampleSize:
    """What the present data say of a claim, and how many items, pairs or raters would settle it.

    Attributes:
        claim: the claim in words, as it was asked.
    """

    claim: str
    _found: SampleSizeAnswer

    @property
    def needed(self) -> int | None:
        """Return how many items, or pairs, in all settle it in 80 % of data sets; None if none tried do."""
        return self._found.items.needed

    @property
    def needed_raters(self) -> int | None:
        """Return the same of raters; None if none tried would, or if they cannot be simulated."""
        return self._found.raters.needed

    @property
    def settled(self) -> bool | None:
        """Return whether the present data settle the claim, either way; None if they cannot say."""
        return self._found.items.settled

    @property
    def present(self) -> Estimate:
        """Return the present difference, first minus second, or the winning rate of a judge among raters."""
        return self._found.present

    @property
    def reason(self) -> str | None:
        """Return why nothing can be planned; None if something can."""
        reason = self._found.items.reason
        return None if reason is None else str(reason)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a size tried: unit, size, power, low, high, n.

        Unit is "items", "pairs" or "raters". Power is the share, from 0 to 1, of n simulated data sets of
        this size that settle the claim, with Wilson's 95 % interval where it was simulated.
        """
        rows = [
            (plan.unit, step.size, step.power.value, step.power.low, step.power.high, step.power.n)
            for plan in self._plans
            for step in plan.steps
        ]
        return pd.DataFrame(rows, columns=["unit", "size", "power", "low", "high", "n"])

    def to_dict(self) -> dict[str, Any]:
        """Return what `judgelab more --json` prints."""
        return self._found.to_json()

    def plot(self, unit: str | None = None, *, dark: bool = False) -> go.Figure:
        """Return the app's chart of power by size; needs plotly.

        Args:
            unit: "items", "pairs" or "raters"; the first that has a plan if not given.
            dark: whether for a dark background.

        Raises:
            InvalidInput: there is no plan by this unit, with the reason.
        """
        from judgelab.charts.power import power_chart
        from judgelab.charts.tokens import palette
        from judgelab.ui.agree.more_words import AXES, POWER_TITLES

        plans = {plan.unit: plan for plan in self._plans}
        if unit is not None and unit not in plans:
            raise InvalidInput(f"unit is '{unit}', but must be {' or '.join(plans)}.")
        plotted = [plan for name, plan in plans.items() if unit in (None, name) and plan.steps]
        if not plotted:
            raise InvalidInput(f"there is nothing to plot: {plans[unit or next(iter(plans))].reason}.")
        return power_chart(
            plotted[0],
            x_title=AXES[plotted[0].unit],
            y_title=POWER_TITLES[self._found.claim],
            theme=palette("dark" if dark else None),
        )

    def explain(self, language: str = "en") -> str:
        """Return the answer and what is counted, as the page *More ratings* says it, in "en" or "de"."""
        from judgelab.languages.translate import _, in_language

        found = self._found
        said = (found.answer, found.counted, found.rounding, found.two_methods, found.one_test)
        with in_language(language):
            return "\n".join(_(line) for line in said if line)

    def to_latex(self, *, caption: str = "", label: str = "tab:samplesize") -> str:
        """Return power by size as a LaTeX table for the package booktabs; the answer is its caption."""
        from judgelab.api.latex import latex_of

        return latex_of(self._table(), caption or str(self._found.answer), label)

    def __repr__(self) -> str:
        return "\n".join(filter(None, [str(self._found.answer), self._shown()]))

    def _repr_html_(self) -> str:
        return html_table(self._table(), caption=str(self._found.answer))

    def _table(self) -> pd.DataFrame:
        rows = [(plan.unit, step.size, f"{step.percent} %") for plan in self._plans for step in plan.steps]
        return pd.DataFrame(rows, columns=["unit", "size", "power"])

    def _shown(self) -> str:
        return "\n".join(
            f"{step.size:>8,} {plan.unit}: {step.percent} %" for plan in self._plans for step in plan.steps
        )

    @property
    def _plans(self) -> tuple[SampleSizePlan, SampleSizePlan]:
        return self._found.items, self._found.raters


def sample_size(
    data: Any,
    /,
    claim: str,
    *,
    criterion: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    epsilon: float = 0.2,
    most: int | None = None,
    filter: FilterPolicy | None = None,
    n_resamples: int = 400,
    seed: int = 0,
) -> SampleSize:
    """Return how many items, pairs or raters it takes to settle a claim, by simulating larger data sets.

    For each size, data sets of that many items are drawn from the present ones with replacement; power is the
    share of them that settle the claim. The present difference is taken for the true one, so a difference
    that is chance today is planned for as if it were real.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        claim: "gpt beats mini" (agrees better with the raters), "gpt beats the baseline" (the best trivial
            one), "gpt is as good as a rater" (passes the alternative annotator test) or "system A beats
            system B" (is rated higher; of comparisons, wins more often), with your names.
        criterion: the criterion; may be omitted if there is one.
        level: for two judges, as in `judgelab.agreement`.
        coefficient: for two judges, as in `judgelab.agreement`.
        epsilon: for "is as good as a rater", the lead allowed to a rater, from 0 to 1.
        most: the largest number of items, or pairs, to try; ten times the present number if not given.
        filter: a quality filter, applied first.
        n_resamples: simulated data sets of each size.
        seed: seed of the simulation.

    Returns:
        `needed` items, or pairs of responses, and `needed_raters` for a power of 80 %, the `present` figure,
        and power by size (`to_frame`). Items without the scores that the claim needs are not counted. With
        too few, `needed` is None and `reason` says why.

    Raises:
        InvalidInput: the claim is none of these, a name is used twice, or there are several criteria.
        NotFound: no such judge, system, criterion or coefficient.

    Example:
        >>> import judgelab as jl
        >>> human = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
        >>> s = jl.scores(human=human, judge={"good": human, "bad": [3, 1, 4, 1, 5, 5, 2, 1, 4, 3]})
        >>> r = jl.sample_size(s, claim="good beats bad", coefficient="pearson")
        >>> r.settled, round(r.present.value, 2)
        (True, 0.91)
    """
    given = scores_of(data, filter)
    meant = claim_of(claim, given)
    one_each(criterion=criterion, level=level, coefficient=coefficient)
    _check(given, level, epsilon, most, n_resamples, seed)
    shared: dict[str, Any] = {
        "criterion": criterion, "most": most, "resamples": n_resamples, "seed": seed,
    }  # fmt: skip
    if meant.kind == JUDGES:
        found = judges_sample_size(
            given._data, meant.first, meant.second, level=level, coefficient=coefficient, **shared
        )
    elif meant.kind == BASELINE:
        _check_texts(given)
        found = baseline_sample_size(given._data, given._unit_tables, meant.first, **shared)
    elif meant.kind == STAND_IN:
        found = alternative_test_sample_size(
            given._data, given._unit_tables, meant.first, epsilon=epsilon, **shared
        )
    else:
        found = systems_sample_size(given._data, meant.first, meant.second, **shared)
    return SampleSize(claim, found)


def _check(
    given: Scores, level: str | None, epsilon: float, most: int | None, n_resamples: int, seed: int
) -> None:
    if not given.humans:
        raise InvalidInput('there is no human rater; name them: jl.scores(df, humans=["…"]).')
    if level is not None and level not in LEVELS:
        raise InvalidInput(f"level is '{level}', but must be one of {', '.join(LEVELS)}.")
    check_epsilon(epsilon)
    whole_numbers(least=1, n_resamples=n_resamples, **({} if most is None else {"most": most}))
    whole_numbers(seed=seed)


def _check_texts(given: Scores) -> None:
    if texts_missing(given):
        raise InvalidInput(
            "the baseline is the length of responses, so their texts are needed: a column response in the "
            "frame for jl.scores."
        )
