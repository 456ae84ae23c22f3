"""A judge's share of right answers, corrected for its error rates, and the labels to estimate these by.

Source: Rogan and Gladen 1978, with the interval of Lang and Reiczigel 2014 and the split of labels of Lee and
others 2025 (arXiv 2511.21140). Valid if the labelled units were drawn at random, or among the right and among
the wrong ones, and the judge errs as often on the others; not for labels drawn by the judge's verdict.
"""

from __future__ import annotations

import math

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.metaeval.core.bounded_means import Ends
from judgelab.metaeval.core.confidence import Z95
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.metaeval.judges.prediction_powered import NOTHING_UNLABELLED
from judgelab.wording import sentence

Scores = Floats | Bools
LANG_REICZIGEL = sentence("Lang and Reiczigel, cut off at 0 and 1")
NEAR_CHANCE = no_interval(sentence("the judge's error rates are too close to chance"))


def rogan_gladen(human: Scores, labelled: Scores, unlabelled: Scores, *, z: float = Z95) -> Estimate:
    """Return the share of right answers among the unlabelled units, corrected for the judge's error rates.

    The estimate is (p + TNR - 1) / (TPR + TNR - 1), clipped to 0 and 1; `params["raw"]` is the value before
    clipping. The interval is that of `lang_reiczigel`. Undefined if people gave only one of the verdicts, or
    the judge is no better than chance (TPR + TNR of 1 or below). `n` counts the unlabelled units.

    A verdict is a number from 0 (wrong) to 1 (right); people who are divided count as in a mean, a tie as
    half a right and half a wrong unit.

    Args:
        human: people's verdicts on the labelled units.
        labelled: the judge's on the same.
        unlabelled: the judge's on the others.
        z: normal quantile of the interval; that of 95 % by default.
    """
    human, labelled, unlabelled = (np.asarray(part, dtype=float) for part in (human, labelled, unlabelled))
    right, wrong = float(human.sum()), float((1 - human).sum())
    tpr = float((human * labelled).sum()) / right if right else 0.0
    tnr = float(((1 - human) * (1 - labelled)).sum()) / wrong if wrong else 0.0
    share = float(unlabelled.mean()) if len(unlabelled) else 0.0
    return corrected_share(share, len(unlabelled), (tnr, wrong), (tpr, right), z=z)


def corrected_share(
    share: float,
    n: int,
    specificity: tuple[float, float],
    sensitivity: tuple[float, float],
    *,
    z: float = Z95,
) -> Estimate:
    """Return the same from the rates themselves; the arguments are those of `lang_reiczigel`.

    Example: of a share of 0.576 among 2,000, TNR 30/36 and TPR 24/27 it is (0.576 - 1/6) / (13/18) = 0.567.
    """
    (tnr, wrong), (tpr, right) = specificity, sensitivity
    if not n:
        return undefined(NOTHING_UNLABELLED, n=n)
    if not right or not wrong:
        return undefined(sentence("the human labels must include both right and wrong"), n=n)
    labelled = round(right + wrong)
    params = {"tpr": tpr, "tnr": tnr, "judge_share": share, "labelled": labelled, "unlabelled": n}
    if tpr + tnr <= 1:
        return undefined(sentence("the judge is no better than chance"), n=n, params=params)
    raw = (share + tnr - 1) / (tpr + tnr - 1)
    ends = lang_reiczigel(share, n, specificity, sensitivity, z=z)
    return Estimate(
        min(1.0, max(0.0, raw)),
        ci=ends,
        ci_method=LANG_REICZIGEL if ends is not None else NEAR_CHANCE,
        n=n,
        params={**params, "raw": raw, "held_within_0_and_1": not 0 <= raw <= 1},
    )


def lang_reiczigel(
    share: float,
    n: int,
    specificity: tuple[float, float],
    sensitivity: tuple[float, float],
    *,
    z: float = Z95,
) -> Ends | None:
    """Return the interval of a corrected share, within 0 and 1; None if the rates hardly beat chance.

    Lang and Reiczigel 2014: as many successes as failures are added to every rate (z squared in all to the
    judge's share, two to each error rate), the variances of the three are added, and the centre is shifted to
    correct for curvature. The interval is clipped to 0 and 1. The smoothed rates leave some width even if the
    judge made no error. `tests/metaeval/test_corrected_share.py` simulates its coverage.

    Args:
        share: the judge's share among the unlabelled units.
        n: number of unlabelled units.
        specificity: TNR with the number of units it is based on.
        sensitivity: TPR likewise.
        z: normal quantile; that of 95 % by default.
    """
    size, (m0, m1) = n + z * z, (specificity[1] + 2, sensitivity[1] + 2)
    p = (n * share + z * z / 2) / size
    q0, q1 = ((rate * m + 1) / (m + 2) for rate, m in (specificity, sensitivity))
    slope = q0 + q1 - 1
    if slope <= 0:
        return None
    middle = (p + q0 - 1) / slope
    of_no, of_yes = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    moved = 2 * z * z * (middle * of_yes - (1 - middle) * of_no)
    half = z * math.sqrt(p * (1 - p) / size + (1 - middle) ** 2 * of_no + middle**2 * of_yes) / slope
    low, high = (min(1.0, max(0.0, middle + moved + side)) for side in (-half, half))
    return low, high


def allocate_labels(
    total: int, share: float, specificity: float, sensitivity: float, *, pilot: int
) -> tuple[int, int]:
    """Return how many of `total` labels to spend on wrong and on right units for the shortest interval.

    Lee and others 2025, algorithm 2: the ratio is (1/share - 1) √((1 - TNR)/(1 - TPR)), with one success and
    one failure added to both rates. Neither number is below `pilot`.

    Args:
        total: labels to spend, those of the pilot included; at least twice the pilot.
        share: the judge's share of yes among the unlabelled units.
        specificity: TNR in the pilot.
        sensitivity: TPR in the pilot.
        pilot: units of each kind that the pilot labelled.

    Example: of 200 labels, with a share of 0.376 and a pilot of 20 and 20 that found TNR 0.776 and TPR 0.878,
    135 go to wrong units and 65 to right ones.
    """
    tnr, tpr = ((pilot * rate + 1) / (pilot + 2) for rate in (specificity, sensitivity))
    wrong, right = (1 - share) * math.sqrt(1 - tnr), share * math.sqrt(1 - tpr)
    of_wrong = min(max(round(total * wrong / (wrong + right)), pilot), total - pilot)
    return of_wrong, total - of_wrong
