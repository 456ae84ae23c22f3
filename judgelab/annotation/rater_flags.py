"""What is worth a look about a rater, in words with the numbers behind them. A flag removes nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judgelab.annotation.criterion_report import CriterionReport
from judgelab.annotation.rater_report import Likeness, RaterReport
from judgelab.metaeval.result import Estimate
from judgelab.scales import Scale

AGREEMENT = 0.4  # correlation, as in the usual quality rule
FAST = 0.2  # share of implausibly fast screens
FEWEST = 10  # screens below which shares of them are not worth a word
ONE_SCORE, ONE_SCORE_FROM = 0.9, 20  # share of the modal score, over so many ratings
BY_CHANCE = 0.001  # a longest run that one rater in a thousand would have
CHECKS = 0.7  # share of gold scores met
FEWEST_GOLD = 5
STEADY = 0.4  # agreement with themself
FEWEST_REPEATS = 5
LEANING = 1 / 6  # of the scale's width
DRIFT = 1 / 4
CLEARLY = 1.5  # half-widths from 0, three standard errors: every rater has several trends, some by chance
HALF_THE_TIME = -0.5
MINUS = "\u2212"


@dataclass(frozen=True)
class Flag:
    """One thing worth a look.

    Args:
        key: a word for scripts.
        word: a few words for a table.
        reason: a sentence without a full stop, with the numbers.
        criterion: under which criterion; None for all of the work.
    """

    key: str
    word: str
    reason: str
    criterion: str | None = None


def rater_flags(report: RaterReport, scales: Mapping[str, Scale]) -> tuple[Flag, ...]:
    """Return what is worth a look about a rater, what concerns all of the work first.

    A figure is flagged when its whole 95 % interval lies on the wrong side of the limit, so that few ratings
    raise no flag; a trend when it is three standard errors from none; a missed attention check always.
    """
    found = [*_checks(report), *_pace(report), *_drift(report), *map(_alike, report.alike)]
    for key, criterion in report.criteria.items():
        found += _criterion(criterion, key, scales[key])
    return tuple(found)


def _checks(report: RaterReport) -> Iterator[Flag]:
    attention, gold = report.attention, report.gold
    if attention.value is not None and attention.value < 1:
        missed = round((1 - attention.value) * attention.n)
        yield Flag(
            "attention", "attention missed", f"missed {missed} of {_n(attention.n, 'attention check')}"
        )
    if gold.n >= FEWEST_GOLD and _below(gold, CHECKS):
        met = round((gold.value or 0.0) * gold.n)
        yield Flag(
            "gold", "gold missed", f"met {met} of {_n(gold.n, 'gold score')} {_ci(gold, per_cent=True)}"
        )


def _pace(report: RaterReport) -> Iterator[Flag]:
    fast, drift, usual = report.pace.fast, report.pace.drift, report.pace.median
    if fast.n >= FEWEST and _above(fast, FAST):
        how = f"{_per_cent(fast.value)} of {_n(fast.n, 'screen')} implausibly fast"
        beside = f"median {usual.value:.0f} s, of all raters {report.pace.usual:.0f} s"
        yield Flag("fast", "too fast", f"{how}; {beside}")
    if drift.n >= ONE_SCORE_FROM and _clear(drift) and (drift.value or 0.0) < HALF_THE_TIME:
        said = f"seconds a screen changed by {_per_cent(drift.value)} {_ci(drift, per_cent=True)}"
        yield Flag("speeding", "speeding up", f"{said} from the first to the last")


def _drift(report: RaterReport) -> Iterator[Flag]:
    drift = report.score_drift
    if drift.value is not None and abs(drift.value) >= DRIFT and _clear(drift):
        way = "higher" if drift.value > 0 else "lower"
        said = f"scores went {_per_cent(abs(drift.value))} of the scale {way} against the others'"
        yield Flag("drift", "drift", f"{said} {_ci(drift, per_cent=True)} from the first screen to the last")


def _alike(like: Likeness) -> Flag:
    said = []
    if like.equal is not None and like.usual is not None:
        said.append(
            f"{_per_cent(like.equal)} of {_n(like.shared, 'shared rating')} equal to those of {like.other}, "
            f"where other pairs have {_per_cent(like.usual)}"
        )
    if like.comments:
        said.append(f"{_n(like.comments, 'comment')} word for word as {like.other}")
    return Flag("alike", f"like {like.other}", "; ".join(said))


def _criterion(report: CriterionReport, key: str, scale: Scale) -> Iterator[Flag]:
    agreement = report.leave_one_out
    met = f"r with the mean of the others {_value(agreement)} on {_n(agreement.n, 'response')}"
    if _below(agreement, 0):
        yield Flag("reversed", "reversed?", f"{met}: perhaps the scale was read the wrong way round", key)
    elif _below(agreement, AGREEMENT):
        yield Flag("agreement", "low agreement", f"{met}, below {AGREEMENT:.2f}", key)
    if report.ratings >= ONE_SCORE_FROM and (report.modal_share.value or 0.0) > ONE_SCORE:
        share = f"{_per_cent(report.modal_share.value)} of {_n(report.ratings, 'rating')}"
        yield Flag("one score", "one score", f"{share} are {report.modal_score:g}", key)
    straight = report.straight
    if straight.value is not None and straight.params["p"] <= BY_CHANCE:
        usual = f"{straight.params['usual']:.1f} in the same scores shuffled"
        yield Flag("straight", "long runs", f"{straight.value:.0f} equal scores in a row, {usual}", key)
    leaning, width = report.offset, scale.high - scale.low
    if leaning.value is not None and abs(leaning.value) >= LEANING * width:
        if _above(leaning, 0) or _below(leaning, 0):
            word = "high" if leaning.value > 0 else "low"
            said = f"scores {_number(abs(leaning.value))} points {word}er than the others {_ci(leaning)}"
            yield Flag("leaning", f"scores {word}", f"{said} on {_n(leaning.n, 'response')}", key)
    again = report.repeats.reliability
    if again.n >= FEWEST_REPEATS and _below(again, STEADY):
        name = {"qwk": "quadratic κ", "icc": "ICC"}[report.repeats.coefficient]
        yield Flag("unsteady", "unsteady", f"{name} with themself {_value(again)} on {again.n} repeats", key)


def _below(found: Estimate, limit: float) -> bool:
    return found.value is not None and found.ci is not None and found.ci[1] < limit


def _above(found: Estimate, limit: float) -> bool:
    return found.value is not None and found.ci is not None and found.ci[0] > limit


def _clear(trend: Estimate) -> bool:
    """Return whether a trend is further from 0 than chance would bring a few of many."""
    if trend.value is None or trend.ci is None:
        return False
    low, high = trend.ci
    half = trend.value - low if trend.value > 0 else high - trend.value
    return abs(trend.value) > CLEARLY * half


def _n(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(value: float, places: int = 2) -> str:
    return f"{value:.{places}f}".replace("-", MINUS)


def _per_cent(value: float | None) -> str:
    return f"{_number(100 * (value or 0.0), 0)} %"


def _value(found: Estimate) -> str:
    return "not known" if found.value is None else f"{_number(found.value)} {_ci(found)}"


def _ci(found: Estimate, *, per_cent: bool = False) -> str:
    if found.ci is None:
        return ""
    low, high = found.ci
    shown = (_number(100 * low, 0), _number(100 * high, 0)) if per_cent else (_number(low), _number(high))
    return f"[{', '.join(shown)}]"
