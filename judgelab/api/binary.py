"""Statistics of a judge that says yes or no: rates, F1, MCC, beside always giving the commoner answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.trust.judge_biases import OTHER_SCALE
from judgelab.analysis.trust.judge_units import JudgeUnits, units_by_judge
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import one_each, whole_numbers
from judgelab.api.confidence import with_confidence
from judgelab.api.judges import criteria_of, judges_of
from judgelab.api.scores import Scores, scores_of, words_of
from judgelab.api.tables import Row, Table, intervals_of
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import MAJORITY, aggregate
from judgelab.metaeval.core.resampling import item_draws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.judges.binary_verdicts import BASELINE, RATES, binary_verdicts
from judgelab.scales import Scale

KEYS = ("judge", "criterion", "statistic")


@dataclass(frozen=True)
class _Measured:
    """The statistics of a judge under a criterion, its four counts, and how many units are left out."""

    estimates: dict[str, Estimate]
    counts: dict[str, int]


class BinaryTable(Table):
    """Statistics of yes and no, one row a judge, criterion and statistic: `table["gpt", "F1"]`."""

    @property
    def counts(self) -> pd.DataFrame:
        """Return the counts behind them, one row a judge and criterion.

        Columns: judge, criterion; tp, fp, fn, tn (judge and raters say yes; the judge alone; the raters
        alone; neither); tied, responses left out because the raters are divided equally; undecided, because
        the judge's score lies half-way; unscored, because the judge gave none.
        """
        found: dict[tuple[str, str], _Measured] = self._source["results"]
        return pd.DataFrame(
            [
                {"judge": judge, "criterion": criterion, **result.counts}
                for (judge, criterion), result in found.items()
            ]
        )


@with_confidence
def binary(
    data: Any,
    /,
    judge: str | None = None,
    *,
    criterion: str | None = None,
    filter: FilterPolicy | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
) -> BinaryTable:
    """Return how a judge that says yes or no compares with the raters' majority.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        judge: this judge only; all if not given.
        criterion: this criterion only; all that have two points if not given.
        filter: a quality filter, applied first.
        confidence: level of the intervals, 0.95 for 95 %.
        n_resamples: resamples of the items for the intervals; 0 for none.
        seed: seed of the resampling.

    Returns:
        A table with the rows TPR (sensitivity, recall), TNR (specificity), precision, NPV, F1, MCC,
        balanced_accuracy, accuracy, kappa, prevalence (the raters' share of yes) and baseline: the accuracy
        of always giving the raters' commoner answer. Yes is the higher point of the scale. MCC and kappa are
        from -1 to 1, all others from 0 to 1. A response counts if the judge scored it and one answer has most
        of the raters' votes; ties are left out, and counted in `counts`. A statistic whose divisor is 0 is
        undefined, with the reason; `n` is the number of responses in the divisor of a rate. Intervals come
        from resampling items with all their responses.

    Raises:
        InvalidInput: there is no judge, no rater, or no criterion with two points.
        NotFound: no such judge or criterion.

    Source: Matthews 1975 (MCC); Cohen 1960 (kappa).

    Example:
        >>> import judgelab as jl
        >>> t = jl.binary(jl.scores(human=[1, 1, 1, 0, 0], judge=[1, 1, 0, 1, 0]))
        >>> round(t["F1"].value, 3), round(t["MCC"].value, 3), t["baseline"].value
        (0.667, 0.167, 0.6)
    """
    whole_numbers(n_resamples=n_resamples, seed=seed)
    given = scores_of(data, filter)
    one_each(judge=judge, criterion=criterion)
    names = judges_of(given, judge)
    keys = _with_two_points(given, criteria_of(given, criterion))
    results: dict[tuple[str, str], _Measured] = {}
    kinds = given.raters.set_index("rater")["kind"]
    for key in keys:
        same_scale = {name: kinds[name] == "judge" and name not in given._data.own_scale for name in names}
        units = units_by_judge(given._data, words_of(given), same_scale, key)
        for name in names:
            results[name, key] = _measured(units.get(name), n_resamples, seed)
    ordered = {(name, key): results[name, key] for name in names for key in keys}
    rows = [
        Row((*place, statistic), estimate)
        for place, result in ordered.items()
        for statistic, estimate in result.estimates.items()
    ]
    notes = _notes(given, keys, ordered, intervals_of(rows))
    return BinaryTable(KEYS, tuple(rows), "Yes and no", notes, {"results": ordered})


def _with_two_points(given: Scores, keys: tuple[str, ...]) -> tuple[str, ...]:
    two = tuple(key for key in keys if len(given.scales[key].points()) == 2)
    if not two:
        if given._data.compared is not None:
            raise InvalidInput("jl.binary needs yes and no, and these are choices between two responses.")
        described = ", ".join(f"{key} ({given.scales[key].describe()})" for key in keys)
        first = given.scales[keys[0]]
        yes = f">= {first.points()[-1].value if first.points() else (first.low + first.high) / 2:g}"
        if not first.ordered:
            yes = f'== "{first.points()[0].label}"'
        raise InvalidInput(
            f"jl.binary needs two answers, but there is {described}; make yes and no of the scores first, "
            f"such as jl.binary(jl.scores(df.assign(score=df.score {yes})))."
        )
    return two


def _measured(units: JudgeUnits | None, n_resamples: int, seed: int) -> _Measured:
    counts = dict.fromkeys(("tp", "fp", "fn", "tn", "tied", "undecided", "unscored"), 0)
    if units is None or not units.same_scale:
        reason = "judge and raters scored no response in common" if units is None else OTHER_SCALE
        return _Measured(dict.fromkeys((*RATES, BASELINE), undefined(reason)), counts)
    table = units.table
    majority = aggregate(
        table.humans, units=len(table.item), raters=len(table.human_names), aggregation=MAJORITY
    )
    if table.decided is not None:
        majority = np.where(np.isfinite(table.decided), table.decided, majority)
    middle = (units.scale.low + units.scale.high) / 2
    scored = np.isfinite(units.all_judge_scores)
    tied = ~np.isfinite(majority) | (majority == middle)
    undecided = scored & (units.all_judge_scores == middle)
    used = scored & ~tied & ~undecided
    human, judge = majority[used] > middle, units.all_judge_scores[used] > middle
    estimates = binary_verdicts(
        human, judge, item=table.item[used], draws=item_draws(table.items, n_resamples, seed)
    )
    cells = {"tp": human & judge, "fp": ~human & judge, "fn": human & ~judge, "tn": ~human & ~judge}
    cells |= {"tied": scored & tied, "undecided": undecided & ~tied, "unscored": ~scored}
    return _Measured(estimates, {name: int(cell.sum()) for name, cell in cells.items()})


def _notes(
    given: Scores, keys: tuple[str, ...], results: dict[tuple[str, str], _Measured], intervals: str
) -> tuple[str, ...]:
    notes = [f"{key}: yes is {_name_of_high(given.scales[key])}." for key in keys]
    notes.append(f"Compared with the raters' majority; {intervals}.")
    for (judge, key), result in results.items():
        found = result.counts
        left_out = [f"{found[name]:,} {name}" for name in ("tied", "undecided", "unscored") if found[name]]
        if left_out:
            notes.append(f"Left out, {judge} on {key}: {', '.join(left_out)}.")
    return tuple(notes)


def _name_of_high(scale: Scale) -> str:
    """Return the name or value of the scale's higher point."""
    point = scale.points()[-1]
    return f"“{point.label}”" if point.label else f"{point.value:g}"
