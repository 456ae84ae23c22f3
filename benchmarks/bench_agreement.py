"""Times the statistics on the sizes we promise: one million ratings, 10,000 items, a filter on a slider.

python -m benchmarks.bench_agreement
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from judgelab.annotation.filters.apply_filter import FilterPolicy, apply_filter
from judgelab.metaeval.agreement.agreement import agreement, human_ceiling
from judgelab.scales import scale_from_json

SCALE = {"quality": scale_from_json({"kind": "ordinal", "low": 1, "high": 5})}
TRIES = 3


def ratings(items: int, *, humans: int, per_item: int, judges: int = 0, metrics: int = 0) -> pd.DataFrame:
    """One response an item; humans, judges on 1 to 5 and continuous metrics, all noisy views of one truth."""
    rng = np.random.default_rng(1)
    truth = rng.normal(3, 1, items)
    item = np.repeat(np.arange(items), per_item)
    start = rng.integers(0, humans, items)
    rater = (start[:, None] + np.arange(per_item) * (humans // per_item or 1)) % humans
    parts = [
        _part(
            item, rater.ravel(), "human", np.clip(np.rint(truth[item] + rng.normal(0, 0.8, len(item))), 1, 5)
        )
    ]
    for kind, number in (("judge", judges), ("metric", metrics)):
        for which in range(number):
            score = truth + rng.normal(0, 1, items)
            score = np.clip(np.rint(score), 1, 5) if kind == "judge" else score
            parts.append(_part(np.arange(items), np.full(items, which), kind, score))
    return pd.concat(parts, ignore_index=True)


def _part(item: np.ndarray, rater: np.ndarray, kind: str, score: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "item": "item-" + pd.Series(item).astype(str),
            "response": item,
            "system": "",
            "group": "",
            "criterion": "quality",
            "rater": kind + "-" + pd.Series(rater).astype(str),
            "rater_kind": kind,
            "score": score,
        }
    )


def report(what: str, target: float, work: Callable[[], object]) -> None:
    """Print the best of some runs beside the target."""
    best = min(_seconds(work) for _ in range(TRIES))
    print(f"{what:<68} {best:7.3f} s   target {target:g} s")


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    """Print one line per promise."""
    options = {"scales": SCALE}
    million = ratings(100_000, humans=500, per_item=5, judges=5)
    report(
        f"agreement, {len(million):,} ratings, 5 judges x r rho tau, B=1000",
        1.5,
        lambda: agreement(million, **options),
    )
    report("human ceiling of the same, r rho tau", 5, lambda: human_ceiling(million, **options))
    ten = ratings(10_000, humans=50, per_item=3, judges=1)
    for name in ("pearson", "spearman", "kendall", "qwk"):
        report(
            f"{name} with interval, 10,000 items, judge on 1-5, B=1000",
            0.5,
            lambda name=name: agreement(ten, coefficients=(name,), **options),
        )
    metric = ratings(10_000, humans=50, per_item=3, metrics=1)
    for name in ("pearson", "spearman", "kendall", "acc_eq"):
        report(
            f"{name} with interval, 10,000 items, continuous metric, B=1000",
            0.5,
            lambda name=name: agreement(metric, coefficients=(name,), **options),
        )
    report("human ceiling, 30,000 ratings, r rho tau, B=1000", 5, lambda: human_ceiling(ten, **options))
    crowd = ratings(33_334, humans=500, per_item=3)
    for method in ("pairwise", "loo"):
        report(
            f"filter, {len(crowd):,} ratings, 500 raters, {method}",
            1.0,
            lambda method=method: apply_filter(crowd, FilterPolicy(method=method), scales=SCALE),
        )


if __name__ == "__main__":
    main()
