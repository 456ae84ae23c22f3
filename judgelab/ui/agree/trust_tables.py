"""Tables of *Trust*: one row per criterion, pair or part, each figure with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from judgelab.analysis.trust.agreement_statements import SHARES
from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.languages import _
from judgelab.metaeval.agreement.baselines import WORDS
from judgelab.metaeval.agreement.vs_ceiling_rows import (
    ABOVE,
    AS_GOOD,
    BELOW,
    NO_BETTER,
    UNCLEAR,
    UNKNOWN,
    beats_baseline,
)
from judgelab.metaeval.core.resampling import no_variation_reason
from judgelab.metaeval.core.result import Estimate
from judgelab.ui.kit import text
from judgelab.ui.shared import findings
from judgelab.wording import mark

VERDICTS = {
    AS_GOOD: mark("as good as a rater"),
    ABOVE: mark("better than a rater"),
    NO_BETTER: mark("not significantly better than a baseline"),
    BELOW: mark("worse than a rater"),
    UNCLEAR: mark("too few data"),
    UNKNOWN: mark("not measurable"),
}
PAIRS = {
    "same": mark("same order"),
    "opposite": mark("opposite order"),
    "judge_ties": mark("the judge ties them"),
    "human_ties": mark("the raters tie them"),
}
AGREEMENT_COLUMNS = (
    mark("Judge"),
    mark("Raters"),
    mark("Judge − raters"),
    mark("Best baseline"),
    mark("Judge − baseline"),
)
RELIABILITY = mark("Reliability of the mean (Spearman–Brown)")
CUTS = {
    "group": mark("Group"),
    "system": mark("System"),
    "length": mark("Length"),
    "score": mark("Mean of judge's and raters' score"),
}


def vs_raters_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return the judge's agreement compared with the raters', as text per criterion."""
    n_label = findings.n_label(trust.level, [])
    frame = rows_by_criterion(
        trust,
        lambda criterion: {
            **_agreement_cells(criterion),
            _("Verdict on agreement"): _(VERDICTS[criterion.verdict]),
            _(RELIABILITY): estimate_cell(criterion.reliability.of_mean),
            _("Highest r possible"): estimate_cell(criterion.reliability.ceiling),
            n_label: text.count(criterion.n if criterion.beside is None else criterion.beside.estimate.n),
            _("Missing"): text.count(criterion.missing),
        },
    )
    if all(criterion.no_order for criterion in trust.criteria.values()):
        return frame.drop(columns=[_(RELIABILITY), _("Highest r possible")], errors="ignore")
    return frame


def _agreement_cells(criterion: CriterionTrust) -> dict[str, str]:
    """Return judge, raters and best baseline on the same responses, and the differences shown."""
    row = criterion.beside
    best = None if row is None else row.baseline
    if row is None:
        return dict.fromkeys(map(_, AGREEMENT_COLUMNS), text.MISSING)
    shares = row.coefficient in SHARES
    cell, difference = (share_cell, points_cell) if shares else (estimate_cell, difference_cell)
    cells = [
        cell(row.estimate),
        cell(row.raters),
        difference(row.minus_raters(2), row.difference),
        text.MISSING if best is None else f"{_(WORDS[best.name])} {cell(best.estimate)}",
        text.MISSING if best is None else difference(row.minus_baseline(2), best.difference),
    ]
    return dict(zip(map(_, AGREEMENT_COLUMNS), cells, strict=True))


def alt_test_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return the alternative annotator test: one row per criterion, then one per rater left out."""
    rows = []
    for criterion in trust.criteria.values():
        test = criterion.alternative
        whole_row = {
            _("Criterion"): criterion.label,
            _("Rater left out"): _("all"),
            _("Judge wins"): estimate_cell(test.advantage),
            _("Rater wins"): text.MISSING,
            "p": text.MISSING,
            "n": text.count(test.advantage.n),
            _("Outcome"): _alt_test_verdict(criterion),
        }
        rows.append(whole_row)
        rows += [
            {
                _("Criterion"): "",
                _("Rater left out"): human.rater,
                _("Judge wins"): estimate_cell(human.judge_as_good),
                _("Rater wins"): estimate_cell(human.human_as_good),
                "p": text.p_value(human.test.p if human.test.adjusted is None else human.test.adjusted),
                "n": text.count(human.judge_as_good.n),
                _("Outcome"): _("beaten") if human.beaten else _("not beaten"),
            }
            for human in test.humans
        ]
    return pd.DataFrame(rows)


def _alt_test_verdict(criterion: CriterionTrust) -> str:
    test = criterion.alternative
    if test.passed is None:
        return text.MISSING if test.winning_rate.reason is None else _(test.winning_rate.reason)
    rate = text.number(test.winning_rate.value)
    if not test.passed:
        return _("failed, ω {rate}", rate=rate)
    if criterion.beside is None or not beats_baseline(criterion.beside):
        return _("passed, ω {rate}; not significantly better than a baseline", rate=rate)
    return _("passed, ω {rate}", rate=rate)


def system_pair_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return every pair of systems, first those that judge and raters order differently."""
    rows = [
        {
            _("Criterion"): criterion.label,
            _("Raters' order"): f"{pair.better} {'=' if pair.human.value == 0 else '>'} {pair.worse}",
            _("Raters' difference"): estimate_cell(pair.human, sign=True),
            _("Judge's difference"): estimate_cell(pair.judge, sign=True),
            _("Items"): text.count(pair.human.n),
            "p": text.p_value(pair.human_test.adjusted),
            _("Raters' order is significant"): _("yes") if pair.decided else _("no"),
            _("Judge"): _(PAIRS[pair.verdict]),
        }
        for criterion in trust.criteria.values()
        if criterion.systems is not None
        for pair in sorted(criterion.systems.pairs, key=lambda pair: pair.verdict == "same")
    ]
    return pd.DataFrame(rows)


def part_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return in which parts of the data the judge is further from the raters."""
    rows = [
        {
            _("Criterion"): criterion.label,
            _("Split by"): _(CUTS[cut]),
            _("Subset"): part.name,
            _("Judge − raters"): estimate_cell(part.offset, sign=True, short=True),
            _("Absolute difference"): estimate_cell(part.error, short=True),
            _("Differs more than elsewhere"): estimate_cell(part.apart, sign=True, short=True),
            "p": text.p_value(part.test.adjusted),
            "n": text.count(part.offset.n),
        }
        for criterion in trust.criteria.values()
        for cut, cut_parts in criterion.parts.items()
        for part in cut_parts.slices
    ]
    return pd.DataFrame(rows)


def parts_without_interval(trust: JudgeTrust) -> list[str]:
    """Return in sentences for which parts of the data there is no interval, and why."""
    parts_by_reason: dict[str, list[str]] = {}
    for criterion in trust.criteria.values():
        for cut, cut_parts in criterion.parts.items():
            for part in cut_parts.slices:
                for estimate in (part.offset, part.error, part.apart):
                    if (reason := no_variation_reason(estimate)) is not None:
                        parts = parts_by_reason.setdefault(_(reason), [])
                        name = _("“{name}”", name=f"{_(CUTS[cut])}: {part.name}")
                        parts.extend([] if name in parts else [name])
    return [
        _("No interval for {parts}: {reason}.", parts=text.listing(parts, limit=9), reason=reason)
        for reason, parts in parts_by_reason.items()
    ]


def repeat_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return how consistent the judge's replies to the same prompt are."""
    rows = []
    for criterion in trust.criteria.values():
        consistency = criterion.consistency
        if consistency.flips.value is None:
            continue
        votes = "; ".join(f"{vote.votes}: {text.number(vote.estimate.value)}" for vote in consistency.votes)
        rows.append(
            {
                _("Criterion"): criterion.label,
                _("Replies per response"): text.number(consistency.repetitions, 1),
                _("Pairs that differ"): estimate_cell(consistency.flips),
                _("All equal"): estimate_cell(consistency.unanimous),
                "ICC(1)": estimate_cell(consistency.icc),
                _("Agreement by number of replies"): votes or text.MISSING,
            }
        )
    return pd.DataFrame(rows)


def calibration_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return how well calibrated the confidence stored with the verdicts is."""
    rows = []
    for criterion in trust.criteria.values():
        calibration = criterion.calibration
        if calibration is None:
            continue
        rows.append(
            {
                _("Criterion"): criterion.label,
                _("Calibration error"): estimate_cell(calibration.ece),
                _("Calibrated judges"): estimate_cell(calibration.by_chance),
                "Brier": estimate_cell(calibration.brier),
                "n": text.count(calibration.brier.n),
            }
        )
    return pd.DataFrame(rows)


def calibration_bins_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return by range of confidence how often the raters agree with the judge."""
    rows = [
        {
            _("Criterion"): criterion.label,
            _("Confidence from"): text.number(each.low),
            _("Mean confidence"): text.number(each.confidence),
            _("Share that match the raters"): estimate_cell(each.right),
            "n": text.count(each.right.n),
        }
        for criterion in trust.criteria.values()
        for each in (() if criterion.calibration is None else criterion.calibration.bins)
    ]
    return pd.DataFrame(rows)


def rows_by_criterion(trust: JudgeTrust, cells: Callable[[CriterionTrust], dict[str, str]]) -> pd.DataFrame:
    """Return one row per criterion: its name, then the given cells."""
    return pd.DataFrame(
        [{_("Criterion"): criterion.label, **cells(criterion)} for criterion in trust.criteria.values()]
    )


def difference_cell(printed: float | None, estimate: Estimate) -> str:
    """Return the difference of the two shown numbers with its interval, or the reason why there is none."""
    return estimate_cell(estimate if estimate.value is None else replace(estimate, value=printed), sign=True)


def share_cell(estimate: Estimate) -> str:
    """Return a share with its interval in per cent, or the reason why there is none."""
    if estimate.value is None:
        return f"{text.MISSING} ({_(estimate.reason)})" if estimate.reason else text.MISSING
    return text.share_with_interval(estimate.value, estimate.ci)


def points_cell(printed: float | None, difference: Estimate) -> str:
    """Return the difference of two shown shares in percentage points, `−10 [−19, −1] points`."""
    if difference.value is None or printed is None:
        return estimate_cell(difference)
    ends = ""
    if difference.ci is not None:
        ends = " [{}, {}]".format(*(text.signed(100 * end, 0) for end in difference.ci))
    return _("{difference} points", difference=f"{text.signed(100 * printed, 0)}{ends}")


def estimate_cell(estimate: Estimate, *, sign: bool = False, short: bool = False) -> str:
    """Return the value with its interval, or the reason why either is missing.

    A `short` cell leaves out why the interval is missing, to be said below the table.
    """
    if estimate.value is None:
        return f"{text.MISSING} ({_(estimate.reason)})" if estimate.reason else text.MISSING
    value = text.signed(estimate.value, 2) if sign else text.number(estimate.value)
    if (reason := no_variation_reason(estimate)) is not None and short:
        return f"{value} {_('(no interval)')}"
    if reason is not None:
        return _("{value} (no interval: {why})", value=value, why=_(reason))
    return value if estimate.ci is None else f"{value} {text.interval(estimate.ci)}"
