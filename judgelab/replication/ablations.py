"""Ablation grids: made from a paper's preset or from any judge, planned at once, shown as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.protocols import protocols
from judgelab.replication.material import Material
from judgelab.replication.measures import MeasureRequest
from judgelab.replication.measures.agreement import criterion_of, plain_agreement
from judgelab.replication.planning import StudyPlan, chosen_by, plan
from judgelab.replication.study_judges import ModelSource, WantedJudge
from judgelab.runs.plan.parameter_mapping import map_parameters
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts
from judgelab.store.projects import ablations as stored
from judgelab.store.projects.ablations import AblationInfo
from judgelab.store.projects.projects import find_project
from judgelab.studies import studies
from judgelab.studies.tables import CellRecipe
from judgelab.wording import sentence

SAMPLES, PARAMETER = "samples", "parameters."
MOST = 60  # judges per grid


@dataclass(frozen=True)
class AblationRow:
    """One judge of a grid: its settings and its agreement; `judge` is "" if there is none.

    `lost` counts its judgments without a score. `common` is the number of rated responses that every judge of
    the grid has scored, which the agreement is based on, and of those that any has scored.
    """

    settings: Mapping[str, Any]
    judge: str
    estimate: Estimate
    lost: UnscoredCounts = NONE_MISSING
    common: tuple[int, int] | None = None

    @property
    def left_out(self) -> list[str]:
        """Return a phrase for every count of left-out data, missing scores first."""
        return left_out(self.estimate, self.lost.phrases()) if self.estimate.value is not None else []

    def to_json(self) -> dict[str, Any]:
        """Return the row of `judgelab grid show --json`."""
        return {
            "settings": dict(self.settings),
            "judge": self.judge,
            **self.estimate.to_json(),
            **self.lost.to_json(),
            "left_out": self.left_out,
            "scored_by_all": None if self.common is None else self.common[0],
            "scored_by_any": None if self.common is None else self.common[1],
        }


def from_preset(study: str, key: str, source: ModelSource, *, name: str = "") -> AblationInfo:
    """Return a paper's ablation for one model; raises `InvalidInput` if the study has none of that key."""
    study_info = studies.get(study)
    published = next((grid for grid in study_info.grids if grid.key == key), None)
    preset = study_info.judge(published.judge) if published else None
    if published is None or preset is None:
        names = ", ".join(grid.key for grid in study_info.grids) or sentence("none")
        raise InvalidInput(
            sentence("the study '{study}' has no ablation '{key}'; it has {known}.", study=study, key=key,
                     known=names)
        )  # fmt: skip
    return AblationInfo(
        name=name or f"{published.key} {source.model.rsplit('/', 1)[-1]}".strip(),
        protocol=preset.protocol,
        shape=published.shape,
        axes=tuple((setting, tuple(values)) for setting, values in published.axes.items()),
        options=preset.all_options(),
        parameters=map_parameters(source.backend, preset.parameters),
        samples=preset.samples,
        aggregation=preset.aggregation,
        backend=source.backend,
        endpoint=source.endpoint,
        model=source.model,
    )


def of_own(
    protocol: str, axes: Mapping[str, tuple[Any, ...]], source: ModelSource, *, name: str = ""
) -> AblationInfo:
    """Return a custom ablation: some settings of a protocol varied, all others at their defaults.

    Raises:
        InvalidInput: a setting is unknown, or one of its values cannot be taken.
    """
    protocol_info = protocols.get(protocol)
    for setting, values in axes.items():
        for value in values:
            if setting != SAMPLES and not setting.startswith(PARAMETER):
                protocol_info.settle({setting: value})
    varied = " ".join(axes)
    return AblationInfo(
        name=name or f"{varied} {protocol} {source.model.rsplit('/', 1)[-1]}".strip(),
        protocol=protocol,
        shape="product",
        axes=tuple(axes.items()),
        options={},
        parameters={},
        samples=None,
        aggregation="",
        backend=source.backend,
        endpoint=source.endpoint,
        model=source.model,
    )


def settings_of(grid: AblationInfo) -> list[dict[str, Any]]:
    """Return the settings of each judge of the grid.

    Raises:
        InvalidInput: nothing is varied, or more than 60 judges would come of it.
    """
    if not grid.axes or not all(values for _, values in grid.axes):
        raise InvalidInput(sentence("a grid must vary at least one setting, with at least one value each."))
    names = [setting for setting, _ in grid.axes]
    if grid.shape == "one_at_a_time":
        base = {setting: _base(grid, setting) for setting in names}
        settings = [base]
        for setting, values in grid.axes:
            settings += [{**base, setting: value} for value in values if value != base[setting]]
    else:
        settings = [
            dict(zip(names, values_chosen, strict=True))
            for values_chosen in product(*(v for _, v in grid.axes))
        ]
    if len(settings) > MOST:
        raise InvalidInput(
            sentence(
                "{n} judges are too many for one grid; remove values until there are at most {most}.",
                n=len(settings),
                most=MOST,
            )
        )
    return settings


def list_grids(store: Store, slug: str) -> list[AblationInfo]:
    """Return the project's grids."""
    with store.reading() as session:
        return stored.list_ablations(session, find_project(session, slug).id)


def save_grid(store: Store, slug: str, grid: AblationInfo) -> AblationInfo:
    """Store a grid and return it as stored; raises `InvalidInput` for one that cannot be planned."""
    settings_of(grid)
    with store.writing() as session:
        return stored.save_ablation(session, find_project(session, slug).id, grid)


def delete_grid(store: Store, slug: str, name: str) -> None:
    """Forget a grid; its judges and their scores stay. Raises `NotFound`."""
    with store.writing() as session:
        stored.delete_ablation(session, find_project(session, slug).id, name)


def spec_of(grid: AblationInfo, settings: Mapping[str, Any]) -> JudgeSpec:
    """Return the judge with these settings."""
    options, parameters, samples = dict(grid.options), dict(grid.parameters), grid.samples
    for setting, value in settings.items():
        if setting == SAMPLES:
            samples = int(value)
        elif setting.startswith(PARAMETER):
            parameters[setting.removeprefix(PARAMETER)] = value
        else:
            options[setting] = value
    return JudgeSpec(
        protocol=grid.protocol,
        model=grid.model,
        backend=grid.backend,
        endpoint=grid.endpoint,
        options=options,
        parameters=parameters,
        samples=samples,
        aggregation=grid.aggregation or None,
    )


def plan_grid(store: Store, slug: str, grid: AblationInfo, *, rated: str | None = None) -> StudyPlan:
    """Return the grid's missing runs, with one estimate for all.

    `rated` is a criterion: only responses that have a human score under it are judged, and only under it.
    """
    with store.reading() as session:
        chosen = chosen_by(session, find_project(session, slug), rated)
    title = protocols.get(grid.protocol).title
    wanted = [
        WantedJudge(f"{title}, {format_settings(settings)}", spec_of(grid, settings), _serves(grid, settings))
        for settings in settings_of(grid)
    ]
    return plan(store, slug, wanted, chosen)


def grid_table(
    material: Material,
    grid: AblationInfo,
    *,
    level: str,
    coefficient: str,
    criterion: str = "",
) -> list[AblationRow]:
    """Return every judge of the grid with its agreement, in the order of the grid.

    Only responses that all scored judges of the grid have in common count, so that only the settings differ.
    """
    recipe = CellRecipe(level=level, coefficient=coefficient, criterion=criterion)
    judge_of_settings: list[tuple[Mapping[str, Any], str, str]] = []
    for settings in settings_of(grid):
        serves = _serves(grid, settings)
        judges = [judge for judge in material.judges.values() if serves(judge)]
        scored = [judge for judge in judges if judge.name in material.raters]
        reason = (
            "" if scored else sentence("its run has no scores yet") if judges else sentence("not run yet")
        )
        judge = max(scored or judges, key=lambda judge_info: judge_info.id, default=None)
        judge_of_settings.append((settings, judge.name if judge else "", reason))
    # Compared on common responses only: with lists of other sizes, other responses are left to judge.
    common = material.of_common({name for _settings, name, reason in judge_of_settings if not reason})
    return [
        AblationRow(
            settings, name,
            undefined(reason) if reason else plain_agreement(common, MeasureRequest(recipe, name, "judge")),
            common.without_score(name, criterion_of(common, recipe)), common.common,
        )
        for settings, name, reason in judge_of_settings
    ]  # fmt: skip


def common_words(rows: Sequence[AblationRow]) -> str:
    """Return the number of responses that all judges of a grid are compared on; empty if none has scores."""
    common = next((row.common for row in rows if row.common is not None), None)
    if common is None:
        return ""
    return sentence(
        "All judges are compared on the same {used} of the {scored} rated responses that at least one of "
        "them has scored.",
        used=common[0],
        scored=common[1],
    )


def format_settings(settings: Mapping[str, Any]) -> str:
    """Return settings as they are read: `shots 2, samples 3`.

    >>> format_settings({"shots": 2, "parameters.temperature": 0.7})
    'shots 2, temperature 0.7'
    """
    return ", ".join(f"{name.removeprefix(PARAMETER)} {value}" for name, value in settings.items())


def _serves(grid: AblationInfo, settings: Mapping[str, Any]) -> Any:
    spec = spec_of(grid, settings)
    protocol = protocols.get(grid.protocol)
    options = protocol.settle(spec.options)
    samples = protocol.samples if spec.samples is None else spec.samples
    usual = {option.name: option.default for option in protocol.options}
    varied = {name: value for name, value in settings.items() if name.startswith(PARAMETER)}

    def serves(judge: JudgeInfo) -> bool:
        return (
            (judge.protocol, judge.model, judge.samples) == (grid.protocol, grid.model, samples)
            and all({**usual, **judge.options}.get(name) == value for name, value in options.items())
            and all(judge.parameters.get(n.removeprefix(PARAMETER)) == value for n, value in varied.items())
        )

    return serves


def _base(grid: AblationInfo, setting: str) -> Any:
    if setting == SAMPLES:
        return grid.samples
    if setting.startswith(PARAMETER):
        return grid.parameters.get(setting.removeprefix(PARAMETER))
    return protocols.get(grid.protocol).settle(grid.options)[setting]
