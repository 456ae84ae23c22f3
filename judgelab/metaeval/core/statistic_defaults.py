"""Default coefficient, level, aggregation, baselines and wording, by the scale.

Every page, command and report takes its defaults from here, so that all of them show the same value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from judgelab.metaeval.core.aggregation import MAJORITY, MEAN, Aggregation
from judgelab.scales import Scale

RANKABLE = 3  # with two responses an item a correlation within it can only be -1, 0 or 1
MOST_POINTS = 11  # scales with more points are treated as numbers

ANSWERS, POINTS, NUMBERS, LABELS = "answers", "points", "numbers", "labels"
LENGTH, ONE_ANSWER, PREVALENCE, LONGER = "length", "one_answer", "prevalence", "longer"


@dataclass(frozen=True)
class StatisticDefaults:
    """Default statistics for one scale, or for all scales of a project.

    Args:
        coefficients: those of a table, the leading one first.
        ranks: whether responses to one item are ranked where there are enough of them; two answers tie too
            many for that.
        baselines: what a judge must beat: `LENGTH` in words, or for answers and labels always `ONE_ANSWER`
            and answers drawn by their `PREVALENCE`.
        wording: how scores are described: as `ANSWERS` (yes or no), `LABELS` without an order, `POINTS` of a
            scale, or `NUMBERS`.
        aggregation: how ratings of one response become one score where no quality rule says it.
    """

    coefficients: tuple[str, ...]
    ranks: bool
    baselines: tuple[str, ...]
    wording: str
    aggregation: Aggregation = MEAN

    @property
    def coefficient(self) -> str:
        """Return the leading coefficient."""
        return self.coefficients[0]

    def level(self, rated_per_item: int) -> str:
        """Return "item", or "none" for all responses pooled.

        `rated_per_item` is how many responses people rated in the item that has most of them.
        """
        return "item" if self.ranks and rated_per_item >= RANKABLE else "none"


_CORRELATIONS = ("spearman", "pearson", "kendall")
_TWO = StatisticDefaults(("kappa", *_CORRELATIONS), False, (ONE_ANSWER, PREVALENCE), ANSWERS)
_LABELS = StatisticDefaults(("kappa", "exact"), False, (ONE_ANSWER, PREVALENCE), LABELS, MAJORITY)
_FEW = StatisticDefaults(_CORRELATIONS, True, (LENGTH,), POINTS)
_MANY = StatisticDefaults(_CORRELATIONS, True, (LENGTH,), NUMBERS)


def defaults_for_scale(scale: Scale) -> StatisticDefaults:
    """Return the defaults of one scale: kappa for two answers or labels without order, else Spearman's rho.

    Example: yes or no has ("kappa", "spearman", "pearson", "kendall"), always pooled; 1 to 5 begins with
    "spearman" and is ranked within items of three rated responses or more.
    """
    if not scale.ordered:
        return _LABELS
    points = len(scale.points())
    if points == 2:
        return _TWO
    return _FEW if 0 < points <= MOST_POINTS else _MANY


def defaults_for_scales(scales: Iterable[Scale]) -> StatisticDefaults:
    """Return the defaults of a project: one coefficient for all its criteria, so that they can be averaged.

    Kappa only if all scales have two answers or labels. Otherwise a criterion of two answers gets Spearman's
    rho, which is the phi of its two-by-two table; beside labels without an order, whose rho is undefined, the
    first coefficient is Krippendorff's alpha at the level of each scale. Baselines are those of every scale.
    """
    defaults = list(dict.fromkeys(defaults_for_scale(scale) for scale in scales))
    if len(defaults) == 1:
        return defaults[0]
    baselines = tuple(dict.fromkeys(name for default in defaults for name in default.baselines))
    if set(defaults) == {_TWO, _LABELS}:
        return replace(_LABELS, wording=ANSWERS, aggregation=MEAN)
    wording = NUMBERS if _MANY in defaults or not defaults else POINTS
    if _LABELS in defaults:
        return StatisticDefaults(("alpha", *_CORRELATIONS), False, baselines, wording)
    return StatisticDefaults(_CORRELATIONS, True, baselines or _MANY.baselines, wording)
