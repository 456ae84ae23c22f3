"""Statistics of the order of a rater's scores: runs of equal scores, and a trend over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from judgelab.metaeval.core.arrays import Floats, Ints, codes
from judgelab.metaeval.core.distributions import student_quantile_975
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.wording import counted, sentence

SHUFFLES = 1999
FIRST, CLEARLY_USUAL = 199, 0.05  # shuffles that suffice if a run this long is not unusual
AT_ONCE = 2_000_000  # scores shuffled in one step
LEAST_TREND = 10  # a slope of fewer values is noise


def longest_run(scores: npt.ArrayLike) -> int:
    """Return the length of the longest run of equal scores. Example: 3 3 1 1 1 2 has 3; nothing has 0."""
    values = np.asarray(scores, dtype=float)
    return int(_longest(codes(values)[None, :])[0]) if len(values) else 0


def straight_lining(scores: npt.ArrayLike, *, shuffles: int = SHUFFLES, seed: int = 0) -> Estimate:
    """Return the longest run of equal scores, compared with shuffles of the rater's own scores.

    `params["usual"]` is the mean longest run of the shuffles, `params["p"]` is (1 + the number of shuffles
    with a run at least as long) / (shuffles + 1). If the first 199 shuffles put p above 0.05, no more are
    drawn; `params["shuffles"]` is their number. A rater with one score only has one long run in every order,
    so p is 1; the share of the modal score shows that instead. Undefined with fewer than two scores.
    """
    return straight_lining_each([scores], shuffles=shuffles, seed=seed)[0]


def straight_lining_each(
    raters: Sequence[npt.ArrayLike], *, shuffles: int = SHUFFLES, seed: int = 0
) -> list[Estimate]:
    """Return `straight_lining` of each rater's scores.

    All use the same seed, so raters with equally many scores share their shuffles, which are drawn once.
    """
    values = [codes(np.asarray(scores, dtype=float)) for scores in raters]
    by_length: dict[int, list[int]] = {}
    for rater, scores_of_rater in enumerate(values):
        by_length.setdefault(len(scores_of_rater), []).append(rater)
    estimates: dict[int, Estimate] = {}
    for n, raters_of_length in by_length.items():
        if n < 2:
            estimates |= dict.fromkeys(raters_of_length, undefined(sentence("fewer than two scores"), n=n))
        else:
            estimates_of_length = _of_one_length(
                [values[rater] for rater in raters_of_length], shuffles, seed
            )
            estimates |= zip(raters_of_length, estimates_of_length, strict=True)
    return [estimates[rater] for rater in range(len(values))]


def _of_one_length(raters: Sequence[Ints], shuffles: int, seed: int) -> list[Estimate]:
    """Return `straight_lining` of raters with equally many scores."""
    n, rng = len(raters[0]), np.random.default_rng(seed)
    longest = [int(_longest(codes_of_rater[None, :])[0]) for codes_of_rater in raters]
    drawn = dict(enumerate(_shuffled(raters, min(FIRST, shuffles), rng)))
    unusual = [rater for rater, runs in drawn.items() if _p(runs, longest[rater]) <= CLEARLY_USUAL]
    if unusual and shuffles > FIRST:
        more_runs = _shuffled([raters[rater] for rater in unusual], shuffles - FIRST, rng)
        for rater, runs in zip(unusual, more_runs, strict=True):
            drawn[rater] = np.concatenate([drawn[rater], runs])
    return [
        Estimate(
            float(longest[rater]),
            ci_method=no_interval(sentence("compared with shuffles")),
            n=n,
            seed=seed,
            params={"usual": float(runs.mean()), "p": _p(runs, longest[rater]), "shuffles": len(runs)},
        )
        for rater, runs in drawn.items()
    ]


def _shuffled(raters: Sequence[Ints], times: int, rng: np.random.Generator) -> list[Ints]:
    """Return, for each rater, the longest run in each shuffle; all raters share the shuffles."""
    n = len(raters[0])
    step = max(1, AT_ONCE // n)
    parts: list[list[Ints]] = [[] for _ in raters]
    for start in range(0, times, step):
        places = rng.permuted(np.tile(np.arange(n), (min(step, times - start), 1)), axis=1)
        for codes_of_rater, runs in zip(raters, parts, strict=True):
            runs.append(_longest(codes_of_rater.astype(np.min_scalar_type(codes_of_rater.max()))[places]))
    return [np.concatenate(runs) for runs in parts]


def _p(drawn: Ints, longest: int) -> float:
    return (1 + int((drawn >= longest).sum())) / (len(drawn) + 1)


def trend(place: npt.ArrayLike, value: npt.ArrayLike) -> Estimate:
    """Return the least-squares slope of `value` on `place`, with Student's 95 % interval.

    0 is no trend. Undefined with fewer than ten pairs, or if all places are equal. The interval assumes
    independent residuals; autocorrelation over a session makes it slightly too narrow.
    """
    x, y = np.asarray(place, dtype=float), np.asarray(value, dtype=float)
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    n = len(x)
    if n < LEAST_TREND:
        return undefined(
            counted(
                "{n} value in sequence; a trend needs {least}",
                "{n} values in sequence; a trend needs {least}",
                n,
                least=LEAST_TREND,
            ),
            n=n,
        )
    if np.ptp(x) == 0:
        return undefined(sentence("all values are identical"), n=n)
    # Same as scipy's linregress, whose test of the slope takes ten times as long as the slope.
    square_x, product, _, square_y = map(float, np.cov(x, y, bias=True).flat)
    size = math.sqrt(square_x * square_y)
    r = max(-1.0, min(1.0, product / size)) if size else math.nan
    slope = product / square_x
    half = student_quantile_975(n - 2) * math.sqrt((1 - r**2) * square_y / square_x / (n - 2))
    ci = (slope - half, slope + half) if math.isfinite(half) else None
    return Estimate(slope, ci=ci, ci_method=sentence("least squares, Student's t"), n=n)


def _longest(rows: npt.NDArray[Any]) -> Ints:
    """Return the longest run of each row."""
    begins = np.ones(rows.shape, dtype=bool)
    np.not_equal(rows[:, 1:], rows[:, :-1], out=begins[:, 1:])
    starts = np.flatnonzero(begins)  # where a run begins, as every row does
    length = np.diff(starts, append=rows.size)
    return np.maximum.reduceat(length, np.searchsorted(starts, np.arange(len(rows)) * rows.shape[1]))


def running_mean(values: Floats, *, width: int) -> Floats:
    """Return the mean of each value with its neighbours, `width` in all, fewer at the ends."""
    half = width // 2
    total = np.concatenate([[0.0], np.cumsum(values)])
    first = np.maximum(np.arange(len(values)) - half, 0)
    last = np.minimum(np.arange(len(values)) + half + 1, len(values))
    return np.asarray((total[last] - total[first]) / (last - first))
