"""Out-of-fold scores: by held-out items, or by held-out items and systems.

All responses of an item are in one fold: they share a source, which a random split would let the judge
recognise. With systems held out as well, the score is what a new system would get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.features import FeatureTable
from judgelab.learned.models import LearnedModel, ModelSettings, fit

FOLDS, SYSTEM_FOLDS = 10, 16
CURVE_SIZES = (5, 10, 20, 40, 80, 160, 320, 640)
CURVE_REPEATS = 5
NULL_FOLDS = 5
LARGEST_TRAINING = 0.8  # of the items, so that enough are left to be scored

Measure = Callable[[Ints, Floats], float]
Tick = Callable[[], None]


class OutOfFold(NamedTuple):
    """Out-of-fold scores (NaN for rows not scored), the fold that scored each row, and contributions."""

    scores: Floats
    fold: Ints
    contributions: Floats


class CurvePoint(NamedTuple):
    """Results of judges learned from this many items, one value per draw."""

    items: int
    values: tuple[float, ...]


def folds(codes: Ints, count: int, *, seed: int) -> Ints:
    """Return a fold for each row, such that rows with one code share it; codes are spread evenly."""
    distinct_codes = np.unique(codes)
    order = np.random.default_rng(seed).permutation(len(distinct_codes))
    fold = np.empty(len(distinct_codes), dtype=np.int64)
    fold[order] = np.arange(len(distinct_codes)) % max(min(count, len(distinct_codes)), 1)
    return fold[np.searchsorted(distinct_codes, codes)]


def splits(item: Ints, system: Ints | None, *, seed: int, most: int = FOLDS) -> Iterator[tuple[Ints, Ints]]:
    """Yield rows to learn from and rows to score; with `system`, neither item nor system is shared."""
    fold = folds(item, most, seed=seed)
    by_system = (
        np.zeros(len(item), dtype=np.int64) if system is None else folds(system, SYSTEM_FOLDS, seed=seed)
    )
    for number in range(int(fold.max(initial=0)) + 1):
        for part in range(int(by_system.max(initial=0)) + 1):
            scored = np.flatnonzero((fold == number) & (by_system == part))
            to_learn = (fold != number) if system is None else (fold != number) & (by_system != part)
            if len(scored) and to_learn.any():
                yield np.flatnonzero(to_learn), scored


def out_of_fold(
    table: FeatureTable,
    scores: Floats,
    rows: Ints,
    settings: ModelSettings,
    *,
    system: Ints | None = None,
    most: int = FOLDS,
    explain: bool = False,
    tick: Tick = lambda: None,
) -> OutOfFold:
    """Return a score of each of `rows` by a judge that saw neither its item nor, with `system`, its system.

    With `system`, different judges score the responses of an item. Leaving out a good system lowers the mean
    of the remaining ratings, and with it the score of just that system. All judges are therefore shifted to
    the same mean over all responses, for which no rating is needed.

    Args:
        table: features of all responses.
        scores: their human scores, by row of the table.
        rows: the rated rows.
        settings: how to learn.
        system: a number for each row's system; None to hold out items only.
        most: folds of the items.
        explain: whether contributions are wanted.
        tick: called after each fold.
    """
    predictions = np.full(len(table.values), np.nan)
    fold = np.full(len(table.values), -1, dtype=np.int64)
    contributions = np.zeros((len(table.values) if explain else 0, len(table.names)))
    all_rated, level = _rows(table, rows), float(scores[rows].mean())
    parts = splits(table.item[rows], None if system is None else system[rows], seed=settings.seed, most=most)
    for number, (learned, scored) in enumerate(parts):
        model = fit(table, scores, rows[learned], settings)
        held_out = _rows(table, rows[scored])
        predictions[rows[scored]], fold[rows[scored]] = model.predict(held_out), number
        if system is not None:
            predictions[rows[scored]] += level - float(model.predict(all_rated).mean())
        if explain:
            contributions[rows[scored]] = model.contributions(held_out)
        tick()
    return OutOfFold(predictions, fold, contributions)


def learning_curve(
    table: FeatureTable,
    scores: Floats,
    rows: Ints,
    settings: ModelSettings,
    measure: Measure,
    *,
    tick: Tick = lambda: None,
) -> list[CurvePoint]:
    """Return how good judges learned from few items are, measured on all other items.

    Args:
        table: features of all responses.
        scores: their human scores, by row.
        rows: the rated rows.
        settings: how to learn.
        measure: the figure of predictions for some rows; NaN where it is undefined.
        tick: called after each judge.
    """
    item = table.item[rows]
    items = np.unique(item)
    points = []
    for size in curve_sizes(len(items)):
        values = []
        for repeat in range(CURVE_REPEATS):
            drawn = np.random.default_rng((settings.seed, size, repeat)).choice(items, size, replace=False)
            inside = np.isin(item, drawn)
            model = fit(table, scores, rows[inside], settings)
            values.append(measure(rows[~inside], model.predict(_rows(table, rows[~inside]))))
            tick()
        points.append(CurvePoint(size, tuple(values)))
    return points


def curve_sizes(items: int) -> list[int]:
    """Return the numbers of items at which the learning curve is computed."""
    return [size for size in CURVE_SIZES if size <= LARGEST_TRAINING * items]


def null(
    table: FeatureTable,
    scores: Floats,
    rows: Ints,
    settings: ModelSettings,
    measure: Callable[[Ints, Floats, Floats], float],
    *,
    shuffles: int,
    tick: Tick = lambda: None,
) -> list[float]:
    """Return the results when there is nothing to learn: ratings shuffled over all responses, many times.

    One shuffle is not enough, because features share one main direction. Shuffling within items would leave
    the items' difficulty to be learned and is not a null.

    Args:
        table: features of all responses.
        scores: their human scores, by row.
        rows: the rated rows.
        settings: how to learn.
        measure: the figure of (rows, shuffled human scores, predictions).
        shuffles: how many.
        tick: called after each judge.
    """
    values = []
    for number in range(shuffles):
        shuffled = scores.copy()
        shuffled[rows] = np.random.default_rng((settings.seed, 1 + number)).permutation(scores[rows])
        predictions = out_of_fold(table, shuffled, rows, settings, most=NULL_FOLDS, tick=tick)
        values.append(measure(rows, shuffled[rows], predictions.scores[rows]))
    return values


def fits(items: int, systems: int, *, shuffles: int) -> int:
    """Return how many judges a whole report fits, which is how often `tick` is called.

    Args:
        items: rated ones.
        systems: of the responses; 0 where they are not held out.
        shuffles: for the null.
    """
    by_item = min(FOLDS, items)
    curve = CURVE_REPEATS * len(curve_sizes(items))
    return by_item * (1 + min(SYSTEM_FOLDS, systems)) + curve + shuffles * min(NULL_FOLDS, items)


def committee(
    table: FeatureTable, scores: Floats, rows: Ints, settings: ModelSettings, *, members: int, seed: int
) -> list[LearnedModel]:
    """Return judges learned from bootstrap samples of the items, as a committee for active learning."""
    item = table.item[rows]
    items = np.unique(item)
    judges = []
    for number in range(members):
        drawn = np.random.default_rng((seed, number)).choice(items, len(items))
        places = np.concatenate([np.flatnonzero(item == drawn_item) for drawn_item in drawn])
        if float(np.ptp(scores[rows[places]])) > 0:
            judges.append(fit(table, scores, rows[places], settings))
    return judges


def _rows(table: FeatureTable, rows: Ints) -> FeatureTable:
    return FeatureTable(table.names, table.values[rows], table.item[rows], table.encoder)
