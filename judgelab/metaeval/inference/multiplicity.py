"""Multiple tests: corrected p-values, and clusters of judges that cannot be distinguished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from judgelab.errors import InvalidInput
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import sentence

CORRECTIONS = ("holm", "bh", "by", "bonferroni", "none")
LEVEL = 0.05


def adjusted(p: npt.ArrayLike, correction: str) -> Floats:
    """Return the corrected p-values of one family, in the same order; NaN values are not members.

    "holm" controls the probability of any false rejection (Holm 1979); "bh" the false discovery rate for
    independent tests (Benjamini and Hochberg 1995), "by" under any dependence (Benjamini and Yekutieli 2001).
    Raises `InvalidInput` for another name. Example: holm of (.01, .04) is (.02, .04).
    """
    values = np.asarray(p, dtype=float)
    defined = np.flatnonzero(np.isfinite(values))
    m, adjusted_p = len(defined), np.full(len(values), np.nan)
    order = defined[np.argsort(values[defined], kind="stable")]
    ranked, rank = values[order], np.arange(1, m + 1)
    if correction == "none":
        corrected = ranked
    elif correction == "bonferroni":
        corrected = ranked * m
    elif correction == "holm":
        corrected = np.maximum.accumulate(ranked * (m - rank + 1)) if m else ranked
    elif correction in ("bh", "by"):
        factor = m * (float((1 / rank).sum()) if correction == "by" else 1.0)
        corrected = np.minimum.accumulate((ranked * factor / rank)[::-1])[::-1] if m else ranked
    else:
        raise InvalidInput(
            sentence(
                "{option} is '{found}', but must be one of {known}",
                option="correction", found=correction, known=", ".join(CORRECTIONS),
            )
        )  # fmt: skip
    adjusted_p[order] = np.minimum(corrected, 1.0)
    return adjusted_p


def with_correction(tests: Sequence[Test], correction: str) -> list[Test]:
    """Return the tests of one family with corrected p-values; undefined ones stay as they are."""
    p = [np.nan if test.p is None else test.p for test in tests]
    return [
        test if test.p is None else replace(test, adjusted=float(value), correction=correction)
        for test, value in zip(tests, adjusted(p, correction), strict=True)
    ]


def rank_clusters(values: npt.ArrayLike, beats: npt.NDArray[np.bool_]) -> list[int | None]:
    """Return each judge's cluster, 1 the best; a new one begins where all above beat the judge significantly.

    `beats[i, j]` says that i is significantly better than j; larger values are better; a judge without a
    value has no cluster. Source: the rankings of the WMT shared tasks. Example: values (.9, .8, .5), where
    the first two beat the third but not one another, are in the clusters 1, 1, 2.
    """
    score = np.asarray(values, dtype=float)
    defined = np.flatnonzero(np.isfinite(score))
    order = defined[np.argsort(-score[defined], kind="stable")]
    clusters: list[int | None] = [None] * len(score)
    cluster = 1
    for place, judge in enumerate(order):
        if place and bool(beats[order[:place], judge].all()):
            cluster += 1
        clusters[int(judge)] = cluster
    return clusters
