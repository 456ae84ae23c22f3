"""Whether a judge finds the best answer to a question, and the worst; mean and spread over draws.

Acc(b) and Acc(b+w) of LINKAGE (Yang et al. 2024, section 5.1 and table 5), and the mean and standard
deviation over draws of the reference lists (tables 9 and 10).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.metaeval.coefficients.settings import check_known
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.arrays import Bools, Floats, rounded
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, no_interval, undefined
from judgelab.metaeval.core.shares import share_interval
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.wording import mark, sentence

BEST, BEST_AND_WORST = "best_found", "best_and_worst_found"
TIES = ("share", "wrong")
OVER_DRAWS = no_interval(sentence("over draws"))
HUMAN_CONSTANT, TOO_FEW = "human_constant", "too_few"


class QuestionCredit(NamedTuple):
    """A judge's credit for one question, from 0 to 1, and the expected credit of guessing."""

    best: float
    best_and_worst: float
    chance_best: float
    chance_best_and_worst: float


def best_answers(
    scores: pd.DataFrame,
    rater: str,
    *,
    criterion: str | None = None,
    ties: str = "share",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
) -> dict[str, Estimate]:
    """Return how often a judge finds a question's best answer, and how often both the best and the worst.

    "best_found" is the share of questions whose best answer the judge puts first; "best_and_worst_found" the
    share in which it also puts the worst answer last. Only answers that people and the judge scored count. If
    people's scores tie for the best answer, each of the tied ones is right. Questions with fewer than two
    answers, or whose answers people scored alike, are left out and counted. `params["chance"]` is the
    expected result of guessing. Intervals resample questions.

    Args:
        scores: the long frame (`SCORE_COLUMNS`).
        rater: the judge's or metric's name; a higher score of it is better.
        criterion: its key; the first one that people rated where none is named.
        ties: several answers that the judge puts first: "share" gives the part of them that is right (what
            drawing one of them earns on average), "wrong" gives nothing.
        resamples: of the questions; 0 for no interval.
        seed: of the resampling.
        aggregation: how the ratings of an answer become its human score.
    """
    check_known(ties, TIES, mark("rule for ties"))
    table = next((t for t in unit_tables(scores, aggregation) if criterion in (None, t.criterion)), None)
    judge = (
        next((candidate for candidate in table.compared if candidate.name == rater), None) if table else None
    )
    if table is None or judge is None:
        no_value = undefined(sentence("no response has both a rating and a score from {rater}", rater=rater))
        return {BEST: no_value, BEST_AND_WORST: no_value}
    credits, lost, tied = _credits(table, judge.scores, strict=ties == "wrong")
    params = {"ties": ties, "judge_tied": tied, "criterion": table.criterion}
    return {
        BEST: _estimate([(c.best, c.chance_best) for c in credits], lost, params, resamples, seed),
        BEST_AND_WORST: _estimate(
            [(c.best_and_worst, c.chance_best_and_worst) for c in credits], lost, params, resamples, seed
        ),
    }


def question_credit(human: Floats, judge: Floats, *, strict: bool = False) -> QuestionCredit:
    """Return a judge's credit for one question.

    Args:
        human: people's scores of its answers, not all alike.
        judge: the judge's scores of the same answers.
        strict: whether ties of the judge earn nothing.
    """
    best, worst = human == human.max(), human == human.min()
    top, bottom = judge == judge.max(), judge == judge.min()
    all_answers = np.ones(len(human), dtype=bool)
    chance = float(best.mean()), _both(all_answers, all_answers, best, worst)
    if strict and top.sum() > 1:
        return QuestionCredit(0.0, 0.0, *chance)
    both = 0.0 if strict and bottom.sum() > 1 else _both(top, bottom, best, worst)
    return QuestionCredit(float(best[top].mean()), both, *chance)


def mean_and_sd_over_draws(values: Sequence[float | None]) -> dict[str, Estimate]:
    """Return the `mean` and the standard deviation `sd` (n - 1) of a figure over independent draws.

    >>> summary = mean_and_sd_over_draws([0.3382, 0.3463, 0.3567])
    >>> round(summary["mean"].value, 4), round(summary["sd"].value, 4)
    (0.3471, 0.0093)
    """
    defined = [value for value in values if value is not None and math.isfinite(value)]
    params = {"draws": len(values), "undefined": len(values) - len(defined)}
    if len(defined) < len(values) or not defined:
        no_value = undefined(
            sentence("{n} of {draws} draws have no value", n=len(values) - len(defined), draws=len(values))
            if values
            else sentence("no draws"),
            n=len(defined),
            params=params,
        )
        return {"mean": no_value, "sd": no_value}
    mean = Estimate(float(np.mean(defined)), ci_method=OVER_DRAWS, n=len(defined), params=params)
    if len(defined) < 2:
        return {"mean": mean, "sd": undefined(sentence("a single draw has no spread"), n=1, params=params)}
    sd = Estimate(float(np.std(defined, ddof=1)), ci_method=OVER_DRAWS, n=len(defined), params=params)
    return {"mean": mean, "sd": sd}


def _credits(
    table: UnitTable, scores: Floats, *, strict: bool
) -> tuple[list[QuestionCredit], Counter[str], int]:
    """Return the credit of each usable question, the number left out by reason, and the judge's ties."""
    scored = np.isfinite(table.human_score) & np.isfinite(scores)
    item = table.item[scored]
    human, judge = rounded(table.human_score[scored]), rounded(scores[scored])
    credits: list[QuestionCredit] = []
    questions_without_credit: Counter[str] = Counter()
    tied = 0
    order = np.argsort(item, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(item[order])) + 1):
        x, y = human[members], judge[members]
        if len(members) < 2:
            questions_without_credit[TOO_FEW] += 1
        elif x.max() == x.min():
            questions_without_credit[HUMAN_CONSTANT] += 1
        else:
            credits.append(question_credit(x, y, strict=strict))
            tied += int((y == y.max()).sum() > 1)
    # Questions without an answer that both have scored are not counted at all.
    return credits, questions_without_credit, tied


def _both(top: Bools, bottom: Bools, best: Bools, worst: Bools) -> float:
    """Return the share of pairs (first, last) of different answers in which both are right."""
    pairs = top.sum() * bottom.sum() - (top & bottom).sum()
    right_top, right_bottom = top & best, bottom & worst
    right = right_top.sum() * right_bottom.sum() - (right_top & right_bottom).sum()
    return float(right / pairs) if pairs else 0.0


def _estimate(
    earned: Sequence[tuple[float, float]],
    lost: Counter[str],
    params: dict[str, object],
    resamples: int,
    seed: int,
) -> Estimate:
    if not earned:
        return undefined(sentence("no question has a best answer"), params={**params, **lost})
    values = np.array(earned)
    n, value = len(values), float(values[:, 0].mean())
    interval = None
    if resamples:
        draws = ItemDraws(n, resamples, seed)
        weights = np.concatenate(list(draws.of_units(np.arange(n))))
        interval = share_interval(value, (weights @ values[:, 0]) / weights.sum(axis=1), items=n)
    return Estimate(
        value,
        ci=interval.ends if interval else None,
        ci_method=interval.method if interval else NOT_ASKED,
        n=n,
        groups_used=n,
        groups_undefined=dict(lost),
        seed=seed if interval else None,
        params={**params, "chance": float(values[:, 1].mean())},
    )
