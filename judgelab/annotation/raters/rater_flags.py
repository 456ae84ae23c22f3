"""Flags on raters: what is worth a look, in words with numbers. A flag removes nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from judgelab.annotation.filters.policy import DEFAULT_POLICY, FilterPolicy
from judgelab.annotation.filters.rater_verdicts import compared_numbers
from judgelab.annotation.raters.criterion_report import CriterionReport
from judgelab.annotation.raters.rater_report import RaterReport, SimilarRater
from judgelab.metaeval.core.resampling import no_variation_reason
from judgelab.metaeval.core.result import Estimate, digits_of_end
from judgelab.scales import Scale
from judgelab.wording import counted, joined, mark, sentence

FAST = 0.2  # share of implausibly fast screens
FEWEST = 10  # screens below which shares of them are not flagged
ONE_SCORE, ONE_SCORE_FROM = 0.9, 20  # share of the modal score, and from how many ratings on
LONG_STREAK_P = 0.001  # p of the longest streak: one rater in a thousand would be flagged by chance
GOLD_MET = 0.7  # share of gold scores met
FEWEST_GOLD = 5
STEADY_FROM = 0.4  # agreement with their own first scores
FEWEST_REPEATS = 5
OFFSET_FROM = 1 / 6  # share of the scale's width
DRIFT_FROM = 1 / 4  # share of the scale's width
CLEAR_HALF_WIDTHS = 1.5  # a trend's distance from 0: three standard errors, since a rater has several trends
HALF_THE_TIME = -0.5
MINUS = "\u2212"
UNSTEADY = {
    "qwk": mark("quadratic κ with themself {value} on {repeats} repeats"),
    "kappa": mark("κ with themself {value} on {repeats} repeats"),
    "icc": mark("ICC with own repeats {value} on {repeats} repeats"),
}


@dataclass(frozen=True)
class Flag:
    """One thing worth a look.

    Args:
        key: a word for scripts.
        word: a few words for a table.
        reason: a sentence without a full stop, with the numbers.
        criterion: the criterion concerned; None for all of the work.
    """

    key: str
    word: str
    reason: str
    criterion: str | None = None


def rater_flags(
    report: RaterReport, scales: Mapping[str, Scale], *, policy: FilterPolicy = DEFAULT_POLICY
) -> tuple[Flag, ...]:
    """Return a rater's flags, those for all of the work first.

    Agreement is low if it is below the filter's threshold, by the filter's coefficient.

    A figure is flagged if its whole 95 % interval is on the wrong side of the limit, so that few ratings
    raise no flag; a trend if it is three standard errors from 0; a missed attention check always.
    """
    flags = [*_checks(report), *_pace(report), *_drift(report), *map(_similar_rater, report.alike)]
    for key, criterion in report.criteria.items():
        flags += _criterion(criterion, key, scales[key], policy)
    return tuple(flags)


def _checks(report: RaterReport) -> Iterator[Flag]:
    attention, gold = report.attention, report.gold
    if attention.value is not None and attention.value < 1:
        missed = round((1 - attention.value) * attention.n)
        reason = counted(
            "missed {missed} of {n} attention check",
            "missed {missed} of {n} attention checks",
            attention.n,
            missed=missed,
        )
        yield Flag("attention", sentence("attention missed"), reason)
    if gold.n >= FEWEST_GOLD and _below(gold, GOLD_MET):
        passed = round((gold.value or 0.0) * gold.n)
        ci = _ci(gold, per_cent=True)
        reason = counted(
            "met {met} of {n} known score {interval}",
            "met {met} of {n} known scores {interval}",
            gold.n,
            met=passed,
            interval=ci,
        )
        yield Flag("gold", sentence("known score missed"), reason)


def _pace(report: RaterReport) -> Iterator[Flag]:
    fast, drift, median = report.pace.fast, report.pace.drift, report.pace.median
    if fast.n >= FEWEST and _above(fast, FAST):
        too_fast = counted(
            "{share} of {n} timed screen is implausibly fast; median {own} s (all raters: {usual} s)",
            "{share} of {n} timed screens are implausibly fast; median {own} s (all raters: {usual} s)",
            fast.n,
            share=_per_cent(fast.value),
            own=f"{median.value:z.0f}",
            usual=f"{report.pace.usual:z.0f}",
        )
        yield Flag("fast", sentence("too fast"), too_fast)
    if drift.n >= ONE_SCORE_FROM and _is_clear(drift) and (drift.value or 0.0) < HALF_THE_TIME:
        reason = sentence(
            "seconds a screen changed by {share} {interval} from the first to the last",
            share=_per_cent(drift.value),
            interval=_ci(drift, per_cent=True),
        )
        yield Flag("speeding", sentence("speeding up"), reason)


def _drift(report: RaterReport) -> Iterator[Flag]:
    drift = report.score_drift
    if drift.value is not None and abs(drift.value) >= DRIFT_FROM and _is_clear(drift):
        numbers = {"share": _per_cent(abs(drift.value)), "interval": _ci(drift, per_cent=True)}
        if drift.value > 0:
            reason = sentence(
                "scores went {share} of the scale higher against the others' {interval} from the first "
                "screen to the last",
                **numbers,
            )
        else:
            reason = sentence(
                "scores went {share} of the scale lower against the others' {interval} from the first "
                "screen to the last",
                **numbers,
            )
        yield Flag("drift", sentence("drift"), reason)


def _similar_rater(similar: SimilarRater) -> Flag:
    reasons = []
    if similar.equal is not None and similar.usual is not None:
        equal = counted(
            "{share} of {n} shared rating equal to those of {other}, where other pairs have {usual}",
            "{share} of {n} shared ratings equal to those of {other}, where other pairs have {usual}",
            similar.shared,
            share=_per_cent(similar.equal),
            other=similar.other,
            usual=_per_cent(similar.usual),
        )
        reasons.append(equal)
    if similar.comments:
        copied = counted(
            "{n} comment word for word as {other}",
            "{n} comments word for word as {other}",
            similar.comments,
            other=similar.other,
        )
        reasons.append(copied)
    return Flag(
        "alike", sentence("like {other}", other=similar.other), joined(reasons, "; "), similar.criterion
    )


def _criterion(report: CriterionReport, key: str, scale: Scale, policy: FilterPolicy) -> Iterator[Flag]:
    agreement = report.agreement(policy)
    agreement_text = _agreement_text(agreement, policy)
    if _below(agreement, 0):
        reversed_ = sentence(
            "{agreement}: perhaps the scale was read the wrong way round", agreement=agreement_text
        )
        yield Flag("reversed", sentence("perhaps reversed"), reversed_, key)
    elif _below(agreement, policy.threshold):
        low = sentence(
            "{agreement}, whole interval below {limit}",
            agreement=_agreement_text(agreement, policy, limit=policy.threshold),
            limit=_limit(agreement, policy.threshold),
        )
        yield Flag("agreement", sentence("low agreement"), low, key)
    if report.ratings >= ONE_SCORE_FROM and (report.modal_share.value or 0.0) > ONE_SCORE:
        mostly_one = counted(
            "{share} of {n} rating are {score}",
            "{share} of {n} ratings are {score}",
            report.ratings,
            share=_per_cent(report.modal_share.value),
            score=scale.label_of(report.modal_score or 0.0) or f"{report.modal_score:g}",
        )
        yield Flag("one score", sentence("one score"), mostly_one, key)
    straight = report.straight
    if straight.value is not None and straight.params["p"] <= LONG_STREAK_P:
        streak = sentence(
            "{longest} equal scores in a row, {usual} when the same scores are shuffled",
            longest=f"{straight.value:z.0f}",
            usual=f"{straight.params['usual']:z.1f}",
        )
        yield Flag("straight", sentence("long streak"), streak, key)
    yield from _leaning(report.offset, key, scale.high - scale.low)
    repeats = report.repeats.reliability
    if repeats.n >= FEWEST_REPEATS and _below(repeats, STEADY_FROM):
        unsteady = sentence(UNSTEADY[report.repeats.coefficient], value=_value(repeats), repeats=repeats.n)
        yield Flag("unsteady", sentence("unsteady"), unsteady, key)


def _agreement_text(agreement: Estimate, policy: FilterPolicy, *, limit: float | None = None) -> str:
    if policy.method == "loo":
        return counted(
            "r with the mean of the others {value} on {n} response",
            "r with the mean of the others {value} on {n} responses",
            agreement.n,
            value=_value(agreement, limit),
        )
    return counted(
        "mean r with {n} other rater {value}",
        "mean r with {n} other raters {value}",
        int(agreement.params.get("partners", 0)),
        value=_value(agreement, limit),
    )


def _leaning(offset: Estimate, key: str, width: float) -> Iterator[Flag]:
    if offset.value is None or abs(offset.value) < OFFSET_FROM * width:
        return
    ends = offset.ci if offset.ci is None or offset.value > 0 else (-offset.ci[1], -offset.ci[0])
    numbers = {"points": _number(abs(offset.value)), "interval": _ci(replace(offset, ci=ends))}
    if _above(offset, 0):
        reason = counted(
            "scores {points} points higher than the others {interval} on {n} response",
            "scores {points} points higher than the others {interval} on {n} responses",
            offset.n,
            **numbers,
        )
        yield Flag("leaning", sentence("scores high"), reason, key)
    elif _below(offset, 0):
        reason = counted(
            "scores {points} points lower than the others {interval} on {n} response",
            "scores {points} points lower than the others {interval} on {n} responses",
            offset.n,
            **numbers,
        )
        yield Flag("leaning", sentence("scores low"), reason, key)


def _below(estimate: Estimate, limit: float) -> bool:
    ends = _ends(estimate)
    return ends is not None and ends[1] < limit


def _above(estimate: Estimate, limit: float) -> bool:
    ends = _ends(estimate)
    return ends is not None and ends[0] > limit


def _ends(estimate: Estimate) -> tuple[float, float] | None:
    """Return the interval; the value itself if every resample gives the same, which is worth a look."""
    if estimate.value is not None and no_variation_reason(estimate) is not None:
        return estimate.value, estimate.value
    return estimate.ci


def _is_clear(trend: Estimate) -> bool:
    """Return whether a trend is further from 0 than a few of many would be by chance."""
    if trend.value is None or trend.ci is None:
        return False
    low, high = trend.ci
    half = trend.value - low if trend.value > 0 else high - trend.value
    return abs(trend.value) > CLEAR_HALF_WIDTHS * half


def _number(value: float, places: int = 2) -> str:
    return f"{value:.{places}f}".replace("-", MINUS)


def _per_cent(value: float | None) -> str:
    return f"{_number(100 * (value or 0.0), 0)} %"


def _value(estimate: Estimate, limit: float | None = None) -> str:
    """Return the value and its interval, whose upper end has the digits that show it below the limit."""
    if estimate.value is None:
        return sentence("not known")
    if limit is None or estimate.ci is None:
        return f"{_number(estimate.value)} {_ci(estimate)}"
    low, high = estimate.ci
    end = compared_numbers(high, limit).value.replace("-", MINUS)
    return f"{_number(estimate.value)} [{_number(low, digits_of_end(low, 2))}, {end}]"


def _limit(estimate: Estimate, limit: float) -> str:
    """Return the limit with as many digits as the upper end before it."""
    return f"{limit:z.2f}" if estimate.ci is None else compared_numbers(estimate.ci[1], limit).limit


def _ci(estimate: Estimate, *, per_cent: bool = False) -> str:
    if estimate.ci is None:
        return ""
    ends = [_number(100 * end, 0) if per_cent else _number(end, digits_of_end(end, 2)) for end in estimate.ci]
    return f"[{', '.join(ends)}]"
