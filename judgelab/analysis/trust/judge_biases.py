"""The habits of a judge under one criterion, each beside the raters': level, range, length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from judgelab.analysis.data.scores import ProjectScores
from judgelab.analysis.trust.judge_units import JudgeUnits, judge_units
from judgelab.metaeval.core.resampling import ItemDraws, item_draws
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.judges.biases import BiasEstimate, leniency, spread, undefined_bias
from judgelab.metaeval.judges.system_orders import CORRECTION
from judgelab.metaeval.judges.verbosity import Verbosity, verbosity
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.wording import sentence

RESAMPLES = 1000
OTHER_SCALE = sentence("this rater's values are not scores of the criterion's scale")


@dataclass(frozen=True)
class JudgeHabits:
    """The habits under one criterion.

    Attributes:
        criterion: its key.
        label: its name for people.
        n: responses that both scored.
        leniency: mean scores of judge and raters.
        spread: how far the judge's scores and a single rater's lie apart.
        verbosity: how both go with length.
    """

    criterion: str
    label: str
    n: int
    leniency: BiasEstimate
    spread: BiasEstimate
    verbosity: Verbosity


Having = TypeVar("Having", bound=JudgeHabits)


def habits_of_units(criterion: str, label: str, units: JudgeUnits, draws: ItemDraws) -> JudgeHabits:
    """Measure the habits on the units that both scored; p-values are not yet corrected."""
    n = int(units.known.sum())
    level = use = undefined_bias(OTHER_SCALE, n=n)
    if units.same_scale:
        scale, table = units.scale, units.table
        level = leniency(units.human, units.score, item=units.item, ends=(scale.low, scale.high))
        rated = table.humans.where(units.known[table.humans.unit])
        use = spread(units.score, rated, item=units.item, unit_item=table.item, draws=draws)
    wordy = verbosity(
        units.human, units.score, units.words, item=units.item, draws=draws, same_scale=units.same_scale
    )
    return JudgeHabits(criterion, label, n, level, use, wordy)


def judge_habits(
    store: Store, data: ProjectScores, judge: str, *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, JudgeHabits]:
    """Return the habits of a judge by criterion, p-values corrected as on *Trust*."""
    words = snapshots.word_counts(store, data.project.id)
    found = {}
    for one in data.project.criteria:
        units = judge_units(data, words, judge, one.key, same_scale=judge not in data.own_scale)
        if units is not None:
            draws = item_draws(units.table.items, resamples, seed)
            found[one.key] = habits_of_units(one.key, one.label, units, draws)
    return corrected_habits(found)


def corrected_habits(found: Mapping[str, Having]) -> dict[str, Having]:
    """Return the habits with the p-values of each kind corrected over the criteria (Holm)."""
    lengths, levels, uses = (
        with_correction([pick.test for pick in picked], CORRECTION)
        for picked in (
            [one.verbosity for one in found.values()],
            [one.leniency for one in found.values()],
            [one.spread for one in found.values()],
        )
    )
    return {
        key: replace(
            one,
            verbosity=replace(one.verbosity, test=length),
            leniency=replace(one.leniency, test=level),
            spread=replace(one.spread, test=use),
        )
        for (key, one), length, level, use in zip(found.items(), lengths, levels, uses, strict=True)
    }
