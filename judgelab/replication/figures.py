"""The data of the papers' figures, from a project's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.human_scores import human_scores
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import MEAN
from judgelab.metaeval.core.result import Estimate
from judgelab.replication.cells import Block, ReplayedTable
from judgelab.replication.material import Material
from judgelab.replication.measures import MeasureRequest
from judgelab.replication.measures.systems import system_mean
from judgelab.scales import Scale
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts
from judgelab.studies.tables import CellRecipe
from judgelab.wording import mark, sentence

PEOPLE = mark("Raters")
MANY_BINS = 12
ROUNDING_NOTE = mark("A mean of several ratings or replies is rounded to the nearest point, halves up.")
FILTER_NOTE = mark("The counts of judges and metrics include responses without a kept rating.")
EQUAL_MEANS = mark(
    "On the line, the two means are equal. Each mean uses all responses that the raters, or the judge or "
    "metric, scored."
)


@dataclass(frozen=True)
class ScoreShares:
    """The distribution of one rater's scores: share of each bin, 0 to 1, over `n` responses.

    `lost` counts a judge's judgments without a score.
    """

    name: str
    kind: str
    shares: tuple[float, ...]
    n: int
    lost: UnscoredCounts = NONE_MISSING

    def to_json(self) -> dict[str, Any]:
        """Return the row of `judgelab spread --json`."""
        fields = {name: getattr(self, name) for name in ("name", "kind", "shares", "n")}
        return {**fields, **self.lost.to_json()}


@dataclass(frozen=True)
class Spread:
    """Distributions over the same bins (ELECT figures 1 and 2), under the criterion with this key."""

    bins: tuple[str, ...]
    raters: tuple[ScoreShares, ...]
    criterion: str
    filtered: bool = False  # whether a filter leaves out people's ratings, but no judge's scores

    @property
    def notes(self) -> list[str]:
        """Return how scores become points, and what a filter leaves out, as sentences to translate."""
        return [ROUNDING_NOTE, *([FILTER_NOTE] if self.filtered else [])]


@dataclass(frozen=True)
class SystemDot:
    """A system with its means by the people and by one judge (QA-eval figure 2), each with its n."""

    system: str
    human: float
    judge: float
    human_n: int
    judge_n: int


@dataclass(frozen=True)
class Systems:
    """Every system with a mean on both sides under one criterion; `without` names the others."""

    dots: tuple[SystemDot, ...]
    without: tuple[str, ...]
    criterion: str


@dataclass(frozen=True)
class SettingPoint:
    """One value of a varied setting: the agreement there, and the printed number if any."""

    at: str
    estimate: Estimate
    published: float | None = None


@dataclass(frozen=True)
class DrawPoint:
    """A method over several draws of its reference lists: mean and standard deviation (LINKAGE figure 2)."""

    method: str
    mean: float | None
    deviation: float | None
    published_mean: float | None
    published_deviation: float | None
    draws: int = 0


def spread(material: Material, raters: Sequence[str], *, criterion: str = "", group: str = "") -> Spread:
    """Return the distribution of the people's and some judges' scores over the points of the scale.

    `group` limits it to the items of one group. Means fall into the bin of the nearest point, half up. Scales
    with more than 12 points are divided into ten bins.

    Raises:
        InvalidInput: no single response has a score.
    """
    if not criterion and not material.criteria:
        raise InvalidInput(
            sentence("nobody scored single responses in this project, so no scores can be shown.")
        )
    key = criterion or material.criteria[0]
    scale = material.project.scales[key]
    edges, names = _bins(scale)
    limited = material.of_groups([group]) if group else material
    of_criterion = limited.scores[limited.scores["criterion"] == key]
    aggregation = material.aggregation if material.aggregation.on_scale else MEAN
    people = human_scores(of_criterion, aggregation, scales=material.project.scales)["human"].dropna()
    shares = [_shares(PEOPLE, "human", people, edges)]
    for rater in raters:
        kind = material.raters.get(rater, "judge")
        of_rater = of_criterion[(of_criterion["rater"] == rater) & (of_criterion["rater_kind"] == kind)]
        means = of_rater.groupby("response")["score"].mean()
        if len(means):
            lost = limited.without_score(rater, key) if kind == "judge" else NONE_MISSING
            shares.append(replace(_shares(rater, kind, means, edges), lost=lost))
    return Spread(tuple(names), tuple(shares), key, filtered=material.policy is not None)


def systems(material: Material, rater: str) -> Systems:
    """Return every system's mean by the people and by one judge, on the responses each has scored."""
    kind = material.raters.get(rater, "judge")
    criterion = next(iter(material.criteria), material.project.criteria[0].key)
    dots, without = [], []
    for system in material.systems:
        recipe = CellRecipe(system=(system,))
        human = system_mean(material, MeasureRequest(recipe, "", "human"))
        judge = system_mean(material, MeasureRequest(recipe, rater, kind))
        if human.value is not None and judge.value is not None:
            dots.append(SystemDot(system, human.value, judge.value, human.n, judge.n))
        else:
            without.append(system)
    return Systems(tuple(dots), tuple(without), criterion)


def by_setting(block: Block, label: str) -> dict[str, list[SettingPoint]]:
    """Return a row's numbers by the header above their columns, one point per column (DRPE figure 6)."""
    line = next((candidate for candidate in block.lines if candidate.label == label), None)
    if line is None:
        return {}
    points: dict[str, list[SettingPoint]] = {}
    for head, cell in zip(block.columns, line.cells, strict=True):
        setting = head.label.rpartition("=")[2].strip()
        points.setdefault(head.group_heading, []).append(SettingPoint(setting, cell.estimate, cell.published))
    return points


def draws(table: ReplayedTable) -> list[tuple[str | None, list[DrawPoint]]]:
    """Return mean and standard deviation of each method by block of a table of draws (LINKAGE 9 and 10)."""
    blocks = []
    for block in table.blocks:
        column_by_label = {head.label: k for k, head in enumerate(block.columns)}
        if "Mean" not in column_by_label:
            continue
        mean, deviation = column_by_label["Mean"], column_by_label["Standard deviation"]
        blocks.append(
            (
                block.model,
                [
                    DrawPoint(
                        line.label,
                        line.cells[mean].value,
                        line.cells[deviation].value,
                        line.cells[mean].published,
                        line.cells[deviation].published,
                        line.cells[mean].estimate.n,
                    )
                    for line in block.lines
                ],
            )
        )
    return blocks


def _bins(scale: Scale) -> tuple[np.ndarray, list[str]]:
    points = scale.points()
    if points and len(points) <= MANY_BINS:
        values = [float(point.value) for point in points]
        middle = [(a + b) / 2 for a, b in zip(values, values[1:], strict=False)]
        return np.array([-np.inf, *middle, np.inf]), [f"{value:g}" for value in values]
    ends = np.linspace(scale.low, scale.high, 11)
    names = [f"{a:g}–{b:g}" for a, b in zip(ends, ends[1:], strict=False)]
    return np.array([-np.inf, *ends[1:-1], np.inf]), names


def _shares(name: str, kind: str, scores: pd.Series, edges: np.ndarray) -> ScoreShares:
    place = np.searchsorted(edges, scores.to_numpy(dtype=float), side="right") - 1
    counts = np.bincount(place, minlength=len(edges) - 1)
    n = int(counts.sum())
    return ScoreShares(name, kind, tuple(float(c) / n for c in counts) if n else (0.0,) * len(counts), n)
