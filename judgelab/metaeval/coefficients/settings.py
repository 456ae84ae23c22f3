"""The settings of a call: which statistics, on which scales, with which resamples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.registry import coefficient
from judgelab.metaeval.core.pairing import LEVELS
from judgelab.metaeval.core.resampling import ItemDraws, item_draws
from judgelab.metaeval.core.units import UnitTable
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

CORRELATIONS = ("pearson", "spearman", "kendall")


class StatisticKey(NamedTuple):
    """One statistic: a coefficient at a level."""

    level: str
    coefficient: str


@dataclass(frozen=True)
class CoefficientSettings:
    """The settings that all rows of one call share.

    Args:
        scales: scale by criterion.
        statistics: the statistics, one row each.
        constant_groups: "zero" or "drop".
        draws: the resampled items.
        joint: whether values of several criteria or humans are averaged, so that their draws must match.
        targets: "all" or "leave_one_out".
    """

    scales: Mapping[str, Scale]
    statistics: Sequence[StatisticKey]
    constant_groups: str
    draws: ItemDraws
    joint: bool
    targets: str

    def params(self, level: str) -> dict[str, Any]:
        """Return the part of the settings that belongs in a result of this level."""
        grouped = {"constant_groups": self.constant_groups} if level in ("item", "sys", "group") else {}
        return {"targets": self.targets, **grouped}


def settings_for(
    tables: Sequence[UnitTable],
    scales: Mapping[str, Scale],
    *,
    levels: Sequence[str],
    coefficients: Sequence[str],
    constant_groups: str,
    resamples: int,
    seed: int,
    targets: str,
) -> CoefficientSettings:
    """Return the checked settings of a call; raises `InvalidInput` or `NotFound` for an unknown name."""
    for level in levels:
        check_known(level, LEVELS, mark("level"))
    for name in coefficients:
        coefficient(name)
    check_known(constant_groups, ("zero", "drop"), mark("rule for constant groups"))
    return CoefficientSettings(
        scales,
        [StatisticKey(level, name) for level in levels for name in coefficients],
        constant_groups,
        item_draws(tables[0].items if tables else 0, resamples, seed),
        len(tables) > 1 or targets != "all",
        targets,
    )


def check_known(word: str, known: Collection[str], kind: str) -> None:
    """Raise `InvalidInput` with the allowed names, unless `word` is one of them."""
    if word not in known:
        said = sentence(
            "no {kind} named '{name}'; known: {names}.",
            kind=sentence(kind),
            name=word,
            names=", ".join(known),
        )
        if word == "pooled" and "none" in known:  # as the app calls this level
            said = sentence("{said} Did you mean '{near}'?", said=said, near="none")
        raise InvalidInput(said)
