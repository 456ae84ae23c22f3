"""What a study sets up: task, criteria, guidelines, what raters see; and what its paper asked and used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from judgelab.domain import Criterion
from judgelab.registry import Registry
from judgelab.wording import mark


@dataclass(frozen=True)
class JudgePreset:
    """A judge as a paper used it, the model left open.

    Args:
        key: the word by which tables speak of it.
        title: the paper's name of it.
        protocol: the protocol's name.
        options: the options that make it what it is (a tuple: any of these values).
        settings: further options as the paper set them; with others it is still the same judge.
        samples: replies for each unit; None as the protocol has it.
        aggregation: how they become one score; empty as the protocol has it.
        parameters: sampling parameters.
        models: the models the paper asked, for a person.
        distinct: what beside protocol and options tells it from another preset: "samples", or the name of a
            sampling parameter.
        tuned: whether its model was trained on human ratings first.
        shown: whose scores it is shown and no others': names of metrics, and "judge:KEY" for the study's own.
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
        """Return all options as the paper set them."""
        single = {name: v[-1] if isinstance(v, tuple) else v for name, v in self.options.items()}
        return {**single, **self.settings}


@dataclass(frozen=True)
class GridPreset:
    """An ablation of a paper: one judge with some of its settings varied.

    Args:
        key: a word of its own within the study.
        title: what is varied, for a person.
        judge: the preset it starts from, by its key.
        axes: the values of each setting; a setting is an option of the protocol, "samples", or a sampling
            parameter as "parameters.NAME".
        shape: "product" for every combination, "one_at_a_time" for the preset and one change at a time.
    """

    key: str
    title: str
    judge: str
    axes: Mapping[str, tuple[Any, ...]]
    shape: Literal["product", "one_at_a_time"] = "product"


@dataclass(frozen=True)
class Study:
    """A ready-made set-up of a project.

    Args:
        name: the word on the command line ("elect").
        title: what a person reads ("ELECT, review-based product questions").
        summary: one sentence about what is rated.
        task: "qa" or "summarisation".
        criteria: the criteria in the order shown.
        guidelines: Markdown for raters.
        settings: settings that differ from a plain project's.
        source: who published it, where and when.
        asked: what the paper asked.
        found: what it found.
        needs: what a project must bring before its tables can be filled.
        judges: the judges it used.
        metrics: names of the metrics it set beside them.
        metric_settings: their options as the paper set them, where it says so.
        levels: levels of its statistics, the main one first.
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
        """Return the preset of that key, or None where the study has none."""
        return next((preset for preset in self.judges if preset.key == key), None)

    def uses(self, protocol: str) -> bool:
        """Return whether a judge of the paper used this protocol."""
        return any(preset.protocol == protocol for preset in self.judges)

    def worded(self, criteria: Sequence[Criterion]) -> list[Criterion]:
        """Return those of a project's criteria that raters and judges still read in the study's words."""
        ours = {criterion.key: _words(criterion) for criterion in self.criteria}
        return [criterion for criterion in criteria if ours.get(criterion.key) == _words(criterion)]


def _words(criterion: Criterion) -> tuple[Any, ...]:
    scale = criterion.scale
    return criterion.label, criterion.question, scale.get("labels"), scale.get("anchors")


studies: Registry[Study] = Registry(mark("study"), "judgelab.studies")
