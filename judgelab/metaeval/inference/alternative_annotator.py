"""The alternative annotator test: may a judge replace a human rater?

Source: Calderon, Reichart and Dror 2025. Each human is left out in turn; on every unit the judge and the
human are compared with the remaining humans. The judge wins against a human if it is at least as close on
enough units that the human's lead is below epsilon, the lead that the judge's lower cost makes acceptable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy
from scipy.sparse import csr_matrix

from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.rater_intervals import rating_pairs
from judgelab.metaeval.core.arrays import Floats, Ints, count_distinct, rounded
from judgelab.metaeval.core.distributions import student_cdf
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, no_interval, undefined
from judgelab.metaeval.core.shares import share_interval
from judgelab.metaeval.inference.multiplicity import adjusted
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import counted, mark, sentence

SCORINGS = ("accuracy", "neg_rmse")
LEAST = 30
LEVEL = 0.05
PASS = 0.5
TIE = 1e-12
TOO_FEW_SHARED = {  # by whether the units are pairs of responses
    False: mark(
        "every rater scored fewer than {least} of the responses that the judge and another rater scored"
    ),
    True: mark(
        "every rater compared fewer than {least} of the pairs that the judge and another rater compared"
    ),
}


@dataclass(frozen=True)
class AgainstHuman:
    """The judge against one human, both measured by the other humans.

    Args:
        rater: the human left out.
        judge_as_good: share of units on which the judge is at least as close to the others.
        human_as_good: share of units on which the human is.
        test: one-sided test that the human's lead is below epsilon, with the Benjamini-Yekutieli p-value.
        beaten: whether the test is significant.
    """

    rater: str
    judge_as_good: Estimate
    human_as_good: Estimate
    test: Test
    beaten: bool


@dataclass(frozen=True)
class AlternativeAnnotator:
    """The result of the test.

    Args:
        winning_rate: share of humans the judge beats (omega); the test is passed at one half.
        advantage: chance that the judge is at least as good as a human drawn at random (rho).
        passed: whether the judge may replace a human; None if no human can be compared.
        humans: one row per human with enough units.
        too_few: humans left out because they share too few units, with how many.
        scoring: "accuracy" or "neg_rmse".
        epsilon: the lead a human may have.
    """

    winning_rate: Estimate
    advantage: Estimate
    passed: bool | None
    humans: tuple[AgainstHuman, ...]
    too_few: dict[str, int]
    scoring: str
    epsilon: float


class _Rows(NamedTuple):
    """One row per unit and human left out: is the judge, is the human at least as close to the others?"""

    unit: Ints
    rater: Ints
    judge: Floats
    human: Floats


def alternative_annotator(
    rated: Rated,
    judge: Floats,
    *,
    names: tuple[str, ...],
    scoring: str = "neg_rmse",
    epsilon: float = 0.2,
    least: int = LEAST,
    item: Ints | None = None,
    draws: ItemDraws | None = None,
    of_pairs: bool = False,
) -> AlternativeAnnotator:
    """Run the alternative annotator test of one judge under one criterion.

    A human who shares fewer than `least` units with the judge and another human is left out. Below 30 units,
    Wilcoxon's signed-rank test replaces the t-test. If all differences equal epsilon there is no p-value, and
    the human is not beaten.

    Args:
        rated: the human ratings (class labels may be any numbers for "accuracy").
        judge: the judge's score of each unit, NaN where it gave none.
        names: the humans by number.
        scoring: "accuracy" (share of the others who said the same) or "neg_rmse" (minus the root of the mean
            squared distance to the others).
        epsilon: 0.2 for experts, 0.15 for skilled raters, 0.1 for crowd workers.
        least: the fewest units a human must share.
        item: the item of each unit, for the intervals of the shares.
        draws: how often each resample drew each item; no intervals if not given.
        of_pairs: whether the units are pairs of responses.

    Raises:
        InvalidInput: an unknown scoring.

    Example: gpt-4o on the restaurant reviews of CEBaB (ten crowd workers, epsilon 0.1) beats nine of them.
    """
    if scoring not in SCORINGS:
        raise InvalidInput(
            sentence(
                "{option} is '{found}', but must be one of {known}",
                option="scoring", found=scoring, known=", ".join(SCORINGS),
            )
        )  # fmt: skip
    rows = _rows(rated, judge, scoring)
    params = {"scoring": scoring, "epsilon": epsilon, "least": least, "correction": "by", "level": LEVEL}
    tests, enough, too_few = [], [], {}
    for number, name in enumerate(names):
        of_rater = rows.rater == number
        n = int(of_rater.sum())
        if n < least:
            too_few[name] = n
            continue
        enough.append(number)
        tests.append(_test(rows.human[of_rater] - rows.judge[of_rater], epsilon))
    if not enough:
        reason = sentence(TOO_FEW_SHARED[of_pairs], least=least)
        no_estimate = undefined(reason, n=len(np.unique(rows.unit)), params=params)
        return AlternativeAnnotator(no_estimate, no_estimate, None, (), too_few, scoring, epsilon)
    corrected = adjusted([np.nan if test.p is None else test.p for test in tests], "by")
    compared = _ComparedHumans.of(rows, enough, item)
    judge_drawn, humans_drawn = (
        _drawn(compared, compared.judge, draws),
        _drawn(compared, compared.human, draws),
    )
    humans = []
    for position, (number, test, p) in enumerate(zip(enough, tests, corrected, strict=True)):
        tested = replace(test, adjusted=float(p), correction="by") if test.p is not None else test
        shares = (
            _share(compared, compared.judge, judge_drawn, position, draws),
            _share(compared, compared.human, humans_drawn, position, draws),
        )
        humans.append(AgainstHuman(names[number], *shares, tested, bool(p < LEVEL)))
    beaten = sum(row.beaten for row in humans)
    rate = Estimate(
        beaten / len(humans),
        n=len(humans),
        ci_method=no_interval(counted("{n} human is no sample", "{n} humans are no sample", len(humans))),
        params=params,
    )
    advantage = _advantage(compared, judge_drawn, draws, params)
    return AlternativeAnnotator(
        rate,
        advantage,
        rate.value is not None and rate.value >= PASS,
        tuple(humans),
        too_few,
        scoring,
        epsilon,
    )


class HumanLeads(NamedTuple):
    """One row per unit and human left out: the human's lead over the judge."""

    unit: Ints
    rater: Ints
    lead: Floats


def human_leads(rated: Rated, judge: Floats, scoring: str) -> HumanLeads:
    """Return each human's lead over the judge on each unit (1, 0 or -1), whose mean is tested."""
    rows = _rows(rated, judge, scoring)
    return HumanLeads(rows.unit, rows.rater, rows.human - rows.judge)


def _rows(rated: Rated, judge: Floats, scoring: str) -> _Rows:
    scored = np.isfinite(judge[rated.unit]) if len(rated.unit) else np.zeros(0, dtype=bool)
    paired = rating_pairs(rated.where(scored))
    # Both directions: each human of a pair is once the one left out, once one of the others.
    unit = np.concatenate([paired.unit, paired.unit])
    rater = np.concatenate([paired.first, paired.second])
    own_score, others_score = np.concatenate([paired.x, paired.y]), np.concatenate([paired.y, paired.x])
    raters = int(rater.max(initial=0)) + 1
    key, row = np.unique(unit * raters + rater, return_inverse=True)
    size = np.bincount(row)
    judge_score = judge[unit]
    if scoring == "accuracy":
        scores = [
            np.bincount(row, (rounded(a) == rounded(others_score)).astype(float)) / size
            for a in (judge_score, own_score)
        ]
    else:
        scores = [
            -np.sqrt(np.bincount(row, (a - others_score) ** 2) / size) for a in (judge_score, own_score)
        ]
    judge_scores, human_scores = scores if len(key) else (np.zeros(0), np.zeros(0))
    as_good = (
        (judge_scores >= human_scores - TIE).astype(float),
        (human_scores >= judge_scores - TIE).astype(float),
    )
    return _Rows(key // raters, key % raters, *as_good)


def _test(lead: Floats, epsilon: float) -> Test:
    """One-sided test that the mean of the human's lead is below epsilon."""
    n = len(lead)
    if np.ptp(lead) == 0:
        if lead[0] < epsilon:
            return Test("t", 0.0, n=n)
        if lead[0] > epsilon:
            return Test("t", 1.0, n=n)
        return Test("t", None, n=n, reason=sentence("the lead equals epsilon on every response or pair"))
    if n < LEAST:
        result = scipy.stats.wilcoxon(lead - epsilon, alternative="less")
        return Test("wilcoxon", float(result.pvalue), float(result.statistic), n)
    # Same as scipy's ttest_1samp, whose argument checks take far longer than the test.
    t = (float(lead.mean()) - epsilon) / math.sqrt(float(lead.var(ddof=1)) / n)
    return Test("t", float(student_cdf(t, n - 1)), t, n)


class _ComparedHumans(NamedTuple):
    """The rows of the humans who are compared, with each row's item."""

    rater: Ints
    unit: Ints
    item: Ints
    judge: Floats
    human: Floats
    humans: int

    @classmethod
    def of(cls, rows: _Rows, humans: list[int], item: Ints | None) -> _ComparedHumans:
        keep = np.isin(rows.rater, humans)
        unit = rows.unit[keep]
        rater = np.searchsorted(humans, rows.rater[keep])
        of_unit = unit if item is None else item[unit]
        return cls(rater, unit, of_unit, rows.judge[keep], rows.human[keep], len(humans))


def _drawn(compared: _ComparedHumans, as_good: Floats, draws: ItemDraws | None) -> Floats | None:
    """Return each human's share in each resample, NaN if it drew none of their units."""
    if draws is None or not draws.resamples:
        return None
    shape, weights = (compared.humans, draws.items), draws.by_item.astype(float)
    wins, all_ = (
        np.asarray(csr_matrix((values, (compared.rater, compared.item)), shape=shape) @ weights)
        for values in (as_good, np.ones(len(as_good)))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Floats = wins / all_
    return share


def _share(
    compared: _ComparedHumans, as_good: Floats, drawn: Floats | None, place: int, draws: ItemDraws | None
) -> Estimate:
    of_human = compared.rater == place
    value, n = float(as_good[of_human].mean()), int(of_human.sum())
    if drawn is None or draws is None:
        return Estimate(value, n=n, ci_method=NOT_ASKED)
    interval = share_interval(value, drawn[place], items=count_distinct(compared.item[of_human]))
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed)


def _advantage(
    compared: _ComparedHumans, drawn: Floats | None, draws: ItemDraws | None, params: dict[str, object]
) -> Estimate:
    size, wins = np.bincount(compared.rater), np.bincount(compared.rater, compared.judge)
    value, n = float((wins / size).mean()), count_distinct(compared.unit)
    if drawn is None or draws is None:
        return Estimate(value, n=n, ci_method=NOT_ASKED, params=params)
    drawn_any = np.isfinite(drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(drawn_any, drawn, 0.0).sum(axis=0) / drawn_any.sum(axis=0)
    interval = share_interval(value, mean, items=count_distinct(compared.item))
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed, params=params)
