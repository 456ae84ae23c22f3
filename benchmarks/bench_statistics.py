"""Times the statistics of the laboratory beside scipy and pandas, and simulates what they promise.

python -m benchmarks.bench_statistics            times
python -m benchmarks.bench_statistics coverage   coverage of intervals and false alarms of tests
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import scipy
from scipy import stats

from benchmarks.bench_agreement import SCALE, ratings
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.coefficients.between_raters import between_raters
from judgelab.metaeval.coefficients.estimates import pooled_estimate
from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import unit_tables
from judgelab.metaeval.inference.alternative_annotator import alternative_annotator
from judgelab.metaeval.inference.permutation import Signs, item_test, pooled_tests, system_test
from judgelab.metaeval.judges.prediction_powered import powered_mean
from judgelab.metaeval.judges.system_pairs import system_decisions
from judgelab.metaeval.judges.ties import tie_calibration
from judgelab.metaeval.raters.spamming import spam_probabilities

TRIES = 3
SYSTEMS, ITEMS = 16, 10_000


def best(work: Callable[[], object], tries: int = TRIES) -> float:
    """Return the CPU seconds of the fastest try, all threads together: a busy machine hardly matters."""
    seconds = []
    for _ in range(tries):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def line(what: str, ours: float, budget: float | None, other: str = "", theirs: float | None = None) -> None:
    """Print one measure beside its budget and beside somebody else's time."""
    said = f"{what:<66} {1000 * ours:9.1f} ms"
    said += f"  budget {1000 * budget:7.0f}" if budget is not None else " " * 16
    if theirs is not None:
        said += f"  {other} {1000 * theirs:9.0f} ms ({theirs / ours:,.0f} x)"
    print(said, flush=True)


def alpha() -> None:
    """Krippendorff's alpha of a million ratings."""
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(200_000), 5)
    score = np.clip(np.rint(rng.normal(3, 1, 200_000)[unit] + rng.normal(0, 0.8, 1_000_000)), 1, 5)
    for level in ("interval", "nominal", "ordinal"):
        ours = best(lambda level=level: krippendorff_alpha(unit, score, level=level))
        line(f"alpha ({level}), 1,000,000 ratings", ours, 0.1 if level == "interval" else None)


def mace() -> None:
    """P(spam) by MACE for yes or no, three labels a response; slowest if raters guess."""
    for responses, raters, knows in (
        (10_000, 3, 0.7),
        (20_000, 3, 0.05),
        (10_000, 200, 0.7),
        (10_000, 200, 0.05),
    ):
        rng = np.random.default_rng(0)
        teams = max(1, raters // 10)
        rater = np.stack([rng.permutation(min(10, raters))[:3] * teams + n % teams for n in range(responses)])
        truth, guess = rng.integers(0, 2, (responses, 1)), rng.integers(0, 2, rater.shape)
        label = np.where(rng.uniform(size=rater.shape) < knows, truth, guess).ravel().astype(float)
        rated = Rated(np.repeat(np.arange(responses), 3), rater.ravel(), label)
        work = partial(spam_probabilities, rated, units=responses, raters=raters)
        ours = best(work, 1)
        line(f"MACE, {3 * responses:,} labels by {raters} raters who know {knows:.0%}", ours, None)


def million() -> None:
    """Agreement of a million ratings, and the memory it takes."""
    frame = ratings(100_000, humans=500, per_item=5, judges=5)
    line(
        f"agreement, {len(frame):,} ratings, 5 judges x r rho tau, B=1000",
        best(lambda: agreement(frame, scales=SCALE)),
        1.5,
    )
    tracemalloc.start()
    agreement(frame, scales=SCALE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{'  memory on top of the frame':<66} {peak / 2**20:9.0f} MB  budget    1000")
    humans = frame[frame["rater_kind"] == "human"]
    table = unit_tables(humans)[0]
    names = ("fleiss", "conger", "gwet", "alpha_ordinal", "icc_1")
    ours = best(lambda: between_raters(table, SCALE["quality"], coefficients=names, resamples=200), 1)
    line("Fleiss, Conger, Gwet, alpha, ICC of 500,000 ratings, B=200", ours, None)
    few = humans[humans["response"] < 2_000]
    wide = best(
        lambda: few.pivot_table(index="response", columns="rater", values="score").corr(min_periods=2), 1
    )
    print(f"{'  pandas pivot and corr of the first 10,000 ratings alone':<66} {1000 * wide:9.1f} ms")


def intervals() -> None:
    """Intervals of 10,000 items beside scipy's loop over resamples."""
    rng = np.random.default_rng(0)
    human = np.clip(np.rint(rng.normal(3, 1, ITEMS)), 1, 5)
    discrete = np.clip(np.rint(human + rng.normal(0, 1, ITEMS)), 1, 5)
    continuous = human + rng.normal(size=ITEMS)
    item = np.arange(ITEMS)
    oracle = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    places = rng.integers(0, ITEMS, (10, ITEMS))
    for kind, judge, budget in (("1-5", discrete, 0.010), ("continuous", continuous, 0.5)):
        for name in ("pearson", "spearman", "kendall", "qwk", "somers", "weighted_tau", "acc_eq", "ccc"):
            if kind == "continuous" and name == "qwk":
                continue
            slow = {"acc_eq", "weighted_tau"} if kind == "1-5" else set()

            def ours(name: str = name, judge: Floats = judge) -> object:
                scale = SCALE["quality"] if name == "qwk" else None
                draws = ItemDraws(ITEMS, 1000, 0)
                return pooled_estimate(human, judge, item=item, draws=draws, coefficient=name, scale=scale)

            theirs = None
            if name in oracle:
                theirs = 100 * best(
                    lambda name=name, judge=judge: [oracle[name](human[p], judge[p]) for p in places], 1
                )
            line(
                f"{name} with interval, 10,000 items, judge {kind}, B=1000",
                best(ours),
                0.5 if name in slow else budget,
                "scipy",
                theirs,
            )


def comparisons() -> None:
    """Sixteen judges, or two judges on sixteen systems, on 10,000 items with 1,000 permutations."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=ITEMS)
    judges = human + rng.normal(size=(16, ITEMS))
    pairs = [(i, j) for i in range(16) for j in range(i)]
    item = np.arange(ITEMS)
    signs = Signs("perm_both", 1000, 0)
    line(
        "16 judges x 10,000 items, 120 tests of r, 1,000 permutations",
        best(lambda: pooled_tests(human, judges, item, pairs, signs=signs)),
        0.5,
    )
    ranks = best(lambda: pooled_tests(human, judges, item, pairs, signs=signs, ranks=True))
    line("  the same of rho", ranks, 0.5)
    grid = rng.normal(size=(SYSTEMS, ITEMS))
    x, y = grid + rng.normal(size=grid.shape), grid + rng.normal(size=grid.shape)
    pearson, spearman = COEFFICIENTS["pearson"], COEFFICIENTS["spearman"]

    def plain() -> None:
        generator = np.random.default_rng(0)
        for _ in range(20):
            swap = (generator.random((SYSTEMS, 1)) < 0.5) ^ (generator.random((1, ITEMS)) < 0.5)
            one, other = np.where(swap, x, y), np.where(swap, y, x)
            stats.pearsonr(grid.mean(axis=1), one.mean(axis=1))
            stats.pearsonr(grid.mean(axis=1), other.mean(axis=1))

    ours = best(lambda: system_test(grid, x, y, pearson, signs=signs))
    line(
        "PERM-BOTH, system level, 16 x 10,000, 1,000 permutations",
        ours,
        0.5,
        "numpy and scipy loop",
        50 * best(plain, 1),
    )
    line(
        "PERM-BOTH within items, Pearson, 10,000 x 16",
        best(lambda: item_test(grid.T, x.T, y.T, pearson, signs=signs), 1),
        None,
    )
    inputs = Signs("perm_inputs", 1000, 0)
    line(
        "PERM-INPUTS within items, Spearman, 10,000 x 16",
        best(lambda: item_test(grid.T, x.T, y.T, spearman, signs=inputs)),
        0.5,
    )
    of_item = np.repeat(np.arange(ITEMS), SYSTEMS)
    line(
        "tie calibration, exact, 1,200,000 pairs",
        best(lambda: tie_calibration(grid.T.ravel(), x.T.ravel(), of_item), 1),
        None,
    )
    system = np.tile(np.arange(SYSTEMS), ITEMS)
    names = tuple(map(str, range(SYSTEMS)))
    for resamples in (0, 1000):
        ours = best(
            lambda resamples=resamples: system_decisions(
                grid.T.ravel(), x.T.ravel(), item=of_item, system=system, names=names, resamples=resamples
            ), 1
        )  # fmt: skip
        line(f"soft pairwise accuracy of 16 systems, 1,000 permutations, B={resamples}", ours, None)
    unit, rater = np.repeat(np.arange(ITEMS), 3), np.tile(np.arange(3), ITEMS)
    rated = Rated(unit, rater, np.clip(np.rint(human[unit] + rng.normal(0, 1, len(unit))), -2, 2))
    ours = best(lambda: alternative_annotator(rated, np.rint(judges[0]), names=("a", "b", "c")))
    line("alternative annotator test, 10,000 items x 3 raters", ours, None)


def coverage(studies: int = 1000) -> None:
    """Print how often 95 % intervals hold the truth, and how often tests cry wolf at .05."""
    rng = np.random.default_rng(0)
    print(f"coverage of 95 % intervals over {studies:,} simulated studies")
    big = rng.normal(size=2_000_000)
    other = 0.6 * big + 0.8 * rng.normal(size=len(big))
    rounded = np.clip(np.rint(other), -2, 2), np.clip(np.rint(big), -2, 2)
    truth = {
        ("pearson", "continuous"): 0.6,
        ("spearman", "continuous"): 6 / np.pi * np.arcsin(0.3),
        ("kendall", "continuous"): 2 / np.pi * np.arcsin(0.6),
        ("pearson", "points"): float(np.corrcoef(*rounded)[0, 1]),
        ("spearman", "points"): float(stats.spearmanr(*(side[:400_000] for side in rounded)).statistic),
    }
    for n in (12, 60, 300):
        for (name, kind), value in truth.items():
            held = 0
            for seed in range(studies):
                x = rng.normal(size=n)
                y = 0.6 * x + 0.8 * rng.normal(size=n)
                if kind == "points":
                    x, y = (np.clip(np.rint(side), -2, 2) for side in (x, y))
                found = pooled_estimate(
                    x, y, item=np.arange(n), draws=ItemDraws(n, 400, seed), coefficient=name
                )
                held += found.ci is not None and found.ci[0] <= value <= found.ci[1]
            print(f"  {name:<9} {kind:<11} n = {n:<5} {held / studies:.3f}", flush=True)
    held = 0
    for _ in range(studies):
        pool = rng.random(2_060) < 0.6
        judge = np.where(rng.random(2_060) < 0.85, pool, ~pool).astype(float)
        found_mean = powered_mean(pool[:60].astype(float), judge[:60], judge[60:]).powered
        held += found_mean.ci is not None and found_mean.ci[0] <= 0.6 <= found_mean.ci[1]
    print(f"  prediction-powered share, 60 of 2,060 labelled  {held / studies:.3f}")
    print(f"share of p below .05 where nothing is to be found, over {studies:,} studies")
    alarms = {"perm_both, system level": 0, "perm_inputs, pooled r": 0, "perm_inputs, within items": 0}
    for seed in range(studies):
        human = rng.normal(size=(30, 6))
        x, y = human + rng.normal(size=human.shape), human + rng.normal(size=human.shape)
        pearson, spearman = COEFFICIENTS["pearson"], COEFFICIENTS["spearman"]
        both, inputs = Signs("perm_both", 199, seed), Signs("perm_inputs", 199, seed)
        tests = (
            system_test(human.T, x.T, y.T, pearson, signs=both),
            pooled_tests(human[:, 0], np.stack([x[:, 0], y[:, 0]]), np.arange(30), [(0, 1)], signs=inputs)[0],
            item_test(human, x, y, spearman, signs=inputs),
        )
        for name, test in zip(alarms, tests, strict=True):
            alarms[name] += test.p is not None and test.p < 0.05
    for name, count in alarms.items():
        print(f"  {name:<30} {count / studies:.3f}")


def main() -> None:
    """Print the times, or with the word "coverage" the simulations."""
    if "coverage" in sys.argv[1:]:
        coverage()
        return
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, pandas {pd.__version__}")
    for part in (alpha, intervals, comparisons, mace, million):
        part()


if __name__ == "__main__":
    main()
