"""The setup of a study: task, criteria, guidelines and settings, with its paper's question and judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from judgelab.domain import Criterion
from judgelab.registry import Registry
from judgelab.wording import mark


@dataclass(frozen=True)
class JudgePreset:
    """A judge as used in a paper, without its model.

    Args:
        key: the key used in tables.
        title: the paper's name for it.
        protocol: the protocol's name.
        options: the options that define the judge (a tuple means any of these values).
        settings: further options as set in the paper; with others it is still the same judge.
        samples: the number of replies per unit; None for the protocol's default.
        aggregation: how they become one score; empty for the protocol's default.
        parameters: sampling parameters.
        models: the models used in the paper, for display.
        distinct: what distinguishes it from another preset, apart from protocol and options: "samples" or the
            name of a sampling parameter.
        tuned: whether its model was trained on human ratings first.
        shown: the only scores it is shown: names of metrics, and "judge:KEY" for the study's judges.
    """

    key: str
    title: str
    protocol: str
    options: Mapping[str, Any] = field(default_factory=dict)
    samples: int | None = None
    aggregation: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    models: str = ""
    distinct: tuple[str, ...] = ()
    tuned: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    shown: tuple[str, ...] = ()

    def all_options(self) -> dict[str, Any]:
        """Return all options as set in the paper."""
        single = {name: v[-1] if isinstance(v, tuple) else v for name, v in self.options.items()}
        return {**single, **self.settings}


@dataclass(frozen=True)
class GridPreset:
    """An ablation in a paper: one judge with some of its settings varied.

    Args:
        key: a unique key within the study.
        title: what is varied, for display.
        judge: the key of the preset that is varied.
        axes: the values of each setting; a setting is an option of the protocol, "samples", or a sampling
            parameter as "parameters.NAME".
        shape: "product" for every combination, "one_at_a_time" for the preset and single changes of it.
    """

    key: str
    title: str
    judge: str
    axes: Mapping[str, tuple[Any, ...]]
    shape: Literal["product", "one_at_a_time"] = "product"


@dataclass(frozen=True)
class Study:
    """A ready-made setup of a project.

    Args:
        name: the name on the command line ("elect").
        title: the name on the screen ("ELECT, review-based product questions").
        summary: one sentence about what is rated.
        task: "qa" or "summarisation".
        criteria: the criteria in the order shown.
        guidelines: Markdown for raters.
        settings: settings that differ from the default ones.
        source: authors, place and year of publication.
        question: the paper's question.
        finding: the paper's finding.
        needs: what a project needs before its tables can be filled.
        judges: the judges in the paper.
        metrics: names of the metrics compared with them.
        metric_settings: options of the metrics, as far as given in the paper.
        levels: the levels of its statistics, the main one first.
        coefficients: its coefficients, the main one first.
        grids: its ablations.
    """

    name: str
    title: str
    summary: str
    task: str
    criteria: tuple[Criterion, ...]
    guidelines: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    question: str = ""
    finding: str = ""
    needs: str = ""
    judges: tuple[JudgePreset, ...] = ()
    metrics: tuple[str, ...] = ()
    metric_settings: Mapping[str, Any] = field(default_factory=dict)
    levels: tuple[str, ...] = ()
    coefficients: tuple[str, ...] = ()
    grids: tuple[GridPreset, ...] = ()

    def judge(self, key: str) -> JudgePreset | None:
        """Return the preset with this key, or None."""
        return next((preset for preset in self.judges if preset.key == key), None)

    def uses(self, protocol: str) -> bool:
        """Return whether a judge of the paper used this protocol."""
        return any(preset.protocol == protocol for preset in self.judges)

    def worded(self, criteria: Sequence[Criterion]) -> list[Criterion]:
        """Return the project's criteria that still have the study's wording."""
        ours = {criterion.key: _words(criterion) for criterion in self.criteria}
        return [criterion for criterion in criteria if ours.get(criterion.key) == _words(criterion)]


def _words(criterion: Criterion) -> tuple[Any, ...]:
    scale = criterion.scale
    return criterion.label, criterion.question, scale.get("labels"), scale.get("anchors")


studies: Registry[Study] = Registry(mark("study"), "judgelab.studies")
