"""The human ceiling: how well one human agrees with the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd

from judgelab.metaeval.agreement.baselines import Baselines
from judgelab.metaeval.coefficients.estimates import (
    compare_each_target,
    mean_of_values,
    rows_for_rater,
    units_compared,
    why_not_computable,
)
from judgelab.metaeval.coefficients.settings import (
    CORRELATIONS,
    CoefficientSettings,
    StatisticKey,
    settings_for,
)
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.arrays import Bools
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.result import AgreementRow
from judgelab.metaeval.core.targets import Target, leave_one_out_targets
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.scales import Scale
from judgelab.wording import sentence

CEILING = "raters (leave one out)"


def human_ceiling(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    levels: Sequence[str] = ("none",),
    coefficients: Sequence[str] = CORRELATIONS,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    tables: Sequence[UnitTable] | None = None,
) -> list[AgreementRow]:
    """Return the agreement of each human with the mean of the others, averaged over humans.

    Rows have the form of a judge's. A judge to be compared with it must be measured on the same targets
    (`agreement(..., targets="leave_one_out")`), since the mean of all humans is less noisy than the mean of
    all but one. Undefined, with the reason, when no unit has two human ratings. Arguments as in `agreement`.
    """
    tables = unit_tables(scores, aggregation, scales=scales) if tables is None else tables
    recipe = settings_for(
        tables, scales, levels=levels, coefficients=coefficients, constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets="leave_one_out",
    )  # fmt: skip

    def measured(table: UnitTable, statistic: StatisticKey) -> ResampledValue:
        return LeaveOneOut(table, [statistic], recipe).ceiling()[0]

    return list(rows_for_rater(tables, measured, rater=CEILING, kind="human", recipe=recipe))


class LeaveOneOut:
    """Each human of a table against the others, measured once for all judges that scored the same units.

    Results come as a list with one entry per statistic.
    """

    def __init__(
        self, table: UnitTable, statistics: Sequence[StatisticKey], recipe: CoefficientSettings
    ) -> None:
        self.table, self.statistics, self.recipe = table, statistics, recipe
        self.targets = leave_one_out_targets(table)
        self.baselines = [Baselines(table, statistic, recipe) for statistic in statistics]
        self._trivial: dict[bytes, list[dict[str, list[ResampledValue]]]] = {}

    def measured(self, units_by_human: Sequence[Bools]) -> list[list[ResampledValue]]:
        """Return each left-out human's agreement, on the units given for that human."""
        if all(units.all() for units in units_by_human):
            return self._on_all
        return self._compared(self.on_units(units_by_human))

    def trivial(self, units_by_human: Sequence[Bools]) -> Sequence[Mapping[str, list[ResampledValue]]]:
        """Return, by key, each trivial baseline against each human left out, on these units."""
        all_units = all(chosen.all() for chosen in units_by_human)
        units = b"" if all_units else np.packbits(np.concatenate(units_by_human)).tobytes()
        if units not in self._trivial:
            targets = self.targets if all_units else self.on_units(units_by_human)
            self._trivial[units] = [baselines.each(targets) for baselines in self.baselines]
        return self._trivial[units]

    def on_units(self, units_by_human: Sequence[Bools]) -> list[Target]:
        """Return the targets with the human's own score only beside the units given for that human."""
        return [
            target._replace(compared=np.where(chosen, target.compared, np.nan))
            for target, chosen in zip(self.targets, units_by_human, strict=True)
        ]

    def ceiling(self) -> list[ResampledValue]:
        """Return the mean over the humans left out, each on all units that another human rated."""
        if not self.targets:
            return [
                ResampledValue(math.nan, sentence("no response or pair has two human ratings"))
                for _ in self.statistics
            ]
        ratings = np.concatenate([target.compared for target in self.targets])
        ceilings = []
        for statistic, values in zip(self.statistics, self._on_all, strict=True):
            reason = why_not_computable(
                self.table, ratings, statistic=statistic, kind="human", recipe=self.recipe
            )
            ceiling = ResampledValue(math.nan, reason) if reason else mean_of_values(values, what="raters")
            n = units_compared(self.table, self.targets, statistic.level)
            ceilings.append(replace(ceiling, n=n))
        return ceilings

    @cached_property
    def _on_all(self) -> list[list[ResampledValue]]:
        return self._compared(self.targets)

    def _compared(self, targets: Sequence[Target]) -> list[list[ResampledValue]]:
        return compare_each_target(
            self.table, targets, statistics=self.statistics, kind="human", recipe=self.recipe
        )
