"""The chart rows of judges of pairs, which *Project* and *Agree* share."""

from __future__ import annotations

from collections.abc import Iterable

from judgelab.analysis.comparison.choice_agreement import BaselineOfPairs, ChoiceAgreement, JudgeOfPairs
from judgelab.charts.forest import ForestRow
from judgelab.languages import _
from judgelab.metaeval.agreement.baselines import baseline_label


def forest_rows(found: ChoiceAgreement, judges: Iterable[JudgeOfPairs]) -> list[ForestRow]:
    """Return the rows of these judges and metrics, then that of the best trivial baseline."""
    rows = [
        ForestRow(judge.name, "judge" if judge.kind == "judge" else "metric", found.accuracy(judge))
        for judge in judges
    ]
    best = found.best_baseline
    if best is not None:
        rows.append(ForestRow(baseline_name(best), "metric", found.accuracy(best)))
    return rows


def baseline_name(baseline: BaselineOfPairs) -> str:
    """Return the baseline's name to show, translated."""
    return _("baseline: {name}", name=_(baseline_label(baseline.name)))
