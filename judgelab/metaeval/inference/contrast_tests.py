"""The tests of a comparison of judges: which one fits the level and coefficient, and its computation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.coefficients.grouping import values_within
from judgelab.metaeval.coefficients.levels import mean_per_system_and_item, on_items_of_every_system
from judgelab.metaeval.coefficients.registry import Coefficient, prepare_scores
from judgelab.metaeval.coefficients.settings import CoefficientSettings
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes, stable_difference
from judgelab.metaeval.core.pairing import SYSTEM_LEVELS, PairedScores, ResampledValue
from judgelab.metaeval.core.units import UnitTable
from judgelab.metaeval.inference import significance
from judgelab.metaeval.inference.permutation import Signs, group_test, item_test, pooled_tests, system_test
from judgelab.metaeval.inference.significance import Test, bootstrap_p
from judgelab.scales import Scale
from judgelab.wording import sentence

DEPENDENT = {"williams": significance.williams, "steiger": significance.steiger, "meng": significance.meng}
MOST_CELLS = 10_000_000
PER_PAIR = 40
TESTS = ("permutation", "perm_both", "perm_inputs", "perm_systems", "perm_cell", *DEPENDENT)


class TestOptions(NamedTuple):
    """The test, the correction for its family, and the signs of a scheme (`signs("perm_both")`)."""

    test: str
    correction: str
    signs: partial[Signs]

    def for_family(self, pairs: int) -> TestOptions:
        """Return options with enough permutations for the family, since p cannot be below 1 / (B + 1)."""
        options = self.signs.keywords
        permutations = max(options["permutations"], PER_PAIR * pairs)
        return self._replace(signs=partial(Signs, permutations=permutations, seed=options["seed"]))


class ComparedJudge(NamedTuple):
    """A compared judge or metric with its score for each unit, NaN where it gave none."""

    name: str
    kind: str
    scores: Floats


def paired_scores(
    table: UnitTable, judge: ComparedJudge, common: Bools, definition: Coefficient, scale: Scale | None
) -> PairedScores:
    """Return the judge's and the humans' scores on the common units, prepared for the coefficient."""
    return PairedScores(
        prepare_scores(definition, table.human_score[common], scale),
        prepare_scores(definition, judge.scores[common], scale),
        table.item[common],
        table.system[common],
        table.group[common],
    )


def tests_by_resampling(level: str, coefficient: str, constant_groups: str) -> bool:
    """Return whether "permutation" is a bootstrap test here, because nothing can be swapped.

    At the item level this is so only if items where the judge gave one score are dropped: a permutation
    test would count them as 0.
    """
    if level == "item":
        return constant_groups == "drop"
    return level not in SYSTEM_LEVELS and not (level == "none" and coefficient in ("pearson", "spearman"))


def pair_tests(
    table: UnitTable,
    judges: Sequence[ComparedJudge],
    common: Bools,
    definition: Coefficient,
    recipe: CoefficientSettings,
    pairs: Sequence[tuple[int, int]],
    measured: Sequence[ResampledValue],
    *,
    how: TestOptions,
) -> list[Test]:
    """Return the test of each pair of judges, not yet corrected for the family."""
    if not common.any():
        return [
            significance.no_test(how.test, sentence("no response or pair was scored by all these judges"))
        ] * len(pairs)
    level, scale = recipe.statistics[0].level, recipe.scales.get(table.criterion)
    rows = [paired_scores(table, judge, common, definition, scale) for judge in judges]
    human, stacked = rows[0].human, np.stack([row.judge for row in rows])
    if how.test in DEPENDENT:
        return _dependent(human, stacked, definition, pairs, measured, name=how.test, level=level)
    if level == "none" and definition.name in ("pearson", "spearman"):
        ranks = definition.name == "spearman"
        return pooled_tests(
            human, stacked, table.item[common], pairs, signs=how.signs("perm_inputs"), ranks=ranks
        )
    if level in SYSTEM_LEVELS:
        return _of_systems(rows, definition, pairs, paired_items=level == "system_paired", how=how)
    if level == "item" and not any(_leaves_out(row, recipe) for row in measured):
        grid = _Grid.of(table.item[common], table.system[common])
        if grid is not None:
            return [_grid_test(grid, human, stacked[i], stacked[j], definition, how=how) for i, j in pairs]
        return _within_items(rows, definition, pairs, measured, how=how)
    # One method for the whole table, since p-values of two methods are not comparable.
    return [_from_draws(measured[i], measured[j], seed=recipe.draws.seed) for i, j in pairs]


def _of_systems(
    rows: Sequence[PairedScores],
    definition: Coefficient,
    pairs: Sequence[tuple[int, int]],
    *,
    paired_items: bool,
    how: TestOptions,
) -> list[Test]:
    """Return the tests of systems' means: judges, and possibly systems, are swapped."""
    named = rows[0].system >= 0
    if paired_items and named.any():
        named[named] = on_items_of_every_system(rows[0].where(named))
    if not named.any():
        return [significance.no_test(how.test, sentence("no response has a system"))] * len(pairs)
    tables = [_table_of(row.where(named)) for row in rows]
    signs = how.signs("perm_both" if how.test == "permutation" else how.test)
    human = tables[0][0]
    return [system_test(human, tables[i][1], tables[j][1], definition, signs=signs) for i, j in pairs]


def _table_of(pairs: PairedScores) -> tuple[Floats, Floats]:
    """Return human and judge scores as (systems, items), NaN where a system has none."""
    means = mean_per_system_and_item(pairs._replace(system=codes(pairs.system), item=codes(pairs.item)))
    shape = (int(means.system.max()) + 1, int(means.item.max()) + 1)
    human, judge = np.full(shape, np.nan), np.full(shape, np.nan)
    human[means.system, means.item], judge[means.system, means.item] = means.human, means.judge
    return human, judge


def _within_items(
    rows: Sequence[PairedScores],
    definition: Coefficient,
    pairs: Sequence[tuple[int, int]],
    measured: Sequence[ResampledValue],
    *,
    how: TestOptions,
) -> list[Test]:
    """Return the tests within items that do not all have the same systems: judges swapped by item."""
    if how.test not in ("permutation", "perm_inputs"):
        no_grid = sentence(
            "not every item has each system exactly once; use perm_inputs, which does not require this"
        )
        return [significance.no_test(how.test, no_grid)] * len(pairs)
    values_of_judges = [values_within(row, definition, level="item") for row in rows]
    signs = how.signs("perm_inputs")
    return [
        significance.no_test("perm_inputs", reason)
        if (reason := measured[i].reason or measured[j].reason)
        else group_test(values_of_judges[i] - values_of_judges[j], signs=signs)
        for i, j in pairs
    ]


def _leaves_out(measured: ResampledValue, recipe: CoefficientSettings) -> bool:
    """Return whether items with a constant judge were left out; permutations would count them as 0."""
    return recipe.constant_groups == "drop" and measured.groups_undefined.get("judge_constant", 0) > 0


def _dependent(
    human: Floats, judges: Floats, definition: Coefficient, pairs: Sequence[tuple[int, int]],
    measured: Sequence[ResampledValue], *, name: str, level: str,
) -> list[Test]:  # fmt: skip
    if level != "none" or definition.name not in ("pearson", "spearman"):
        reason = sentence("{test} compares pooled Pearson or Spearman correlations only", test=name)
        return [significance.no_test(name, reason)] * len(pairs)
    formula = DEPENDENT[name]
    tests = []
    for i, j in pairs:
        between = float(definition.rows(judges[i][None], judges[j][None])[0])
        tests.append(formula(measured[i].value, measured[j].value, between, len(human)))
    return tests


class _Grid(NamedTuple):
    """Positions of the units in a full table of items by systems."""

    item: Ints
    system: Ints

    @classmethod
    def of(cls, item: Ints, system: Ints) -> _Grid | None:
        """Return the grid of items by systems; None unless every item has every system exactly once."""
        if (system < 0).any():
            return None
        row, column = codes(item), codes(system)
        cells = (int(row.max()) + 1) * (int(column.max()) + 1)
        return (
            cls(row, column)
            if cells == len(row) == len(np.unique(row * (int(column.max()) + 1) + column))
            else None
        )

    def table(self, values: Floats) -> Floats:
        """Return the values as (items, systems)."""
        table = np.empty((int(self.item.max()) + 1, int(self.system.max()) + 1))
        table[self.item, self.system] = values
        return table


def _grid_test(
    grid: _Grid, human: Floats, first: Floats, second: Floats, definition: Coefficient, *, how: TestOptions
) -> Test:
    h, x, y = (grid.table(values) for values in (human, first, second))
    scheme = how.test
    if how.test == "permutation":
        # The average over items is linear in the items' signs; swapping systems as well costs far more.
        affordable = (
            definition.name == "pearson" and len(human) * how.signs("perm_both").permutations <= MOST_CELLS
        )
        scheme = "perm_both" if affordable else "perm_inputs"
    return item_test(h, x, y, definition, signs=how.signs(scheme))


def _from_draws(first: ResampledValue, second: ResampledValue, *, seed: int) -> Test:
    """Return the bootstrap test of no difference; its p is at least 1 / (B + 1)."""
    reason = first.reason or second.reason
    if reason is not None or not len(first.draws):
        return significance.no_test("paired_bootstrap", reason or sentence("no resamples were requested"))
    value, drawn = (
        float(stable_difference(first.value, second.value)),
        stable_difference(first.draws, second.draws),
    )
    drawn = drawn[np.isfinite(drawn)]
    params = {"resamples": len(drawn)}
    return Test("paired_bootstrap", bootstrap_p(value, drawn), value, first.n, seed=seed, params=params)
