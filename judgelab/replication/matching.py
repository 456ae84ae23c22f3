"""Which of a project's judges and metrics match which row or column of a paper's table.

A judge is recognised by its protocol and options, never by its name. Only an imported judge, of which nothing
else is known, is recognised by the name under which its scores were published.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from judgelab.metrics.base import metric_of
from judgelab.protocols.examples.example_options import uses_project_examples
from judgelab.protocols.meta import evaluators_in
from judgelab.replication.material import Material
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.studies import Study
from judgelab.studies.base import JudgePreset
from judgelab.studies.tables import CellRecipe, PublishedTable
from judgelab.wording import sentence

OF_LISTS = ("list_source", "list_pattern", "draw")
OF_JUDGE = "judge:"
TUNED = re.compile(r"^ft:|lora|tuned|adapter", re.IGNORECASE)


@dataclass(frozen=True)
class MatchedRater:
    """The rater matched to a row or column, or the reason why there is none; `others` match equally well.

    `other_settings` says that the project has the metric, but not computed as in the paper.
    """

    rater: str = ""
    kind: str = ""
    reason: str = ""
    others: tuple[str, ...] = ()
    other_settings: bool = False


def matches_slot(
    judge: JudgeInfo,
    preset: JudgePreset,
    extra: Mapping[str, Any] | None = None,
    lists: Mapping[str, tuple[str, str]] | None = None,
    evidence: Collection[frozenset[str]] = (),
) -> bool:
    """Return whether the judge matches the preset: its protocol, options and other distinguishing settings.

    Args:
        judge: the project's judge.
        preset: the paper's.
        extra: options that it must have beside the preset's own, or in their place.
        lists: source and pattern of the project's sets of reference lists by name.
        evidence: raters whose scores the judge may be shown (`evidence_of`), if the preset shows any.
    """
    if preset.shown and frozenset(evaluators_in(judge.options)) not in evidence:
        return False
    if judge.protocol != preset.protocol or bool(TUNED.search(judge.model)) != preset.tuned:
        return False
    source, pattern = (lists or {}).get(str(judge.options.get("list", "")), ("", ""))
    judge_options = {**judge.options, "list_source": source, "list_pattern": pattern}
    required = {**preset.options, **(extra or {})}
    if "list" not in judge.options:
        # For a judge that sees no list, options about lists do not matter.
        required = {name: value for name, value in required.items() if name not in OF_LISTS}
    if any(not _same(judge_options.get(name), value) for name, value in required.items()):
        return False
    return all(_distinct(judge, preset, name) for name in preset.distinct)


def evidence_of(preset: JudgePreset, study: Study, judges: Iterable[JudgeInfo]) -> list[tuple[str, ...]]:
    """Return the raters whose scores the preset's judge is shown, once per judge that matches the paper's.

    Empty if the paper's judge is shown the scores of one that the project does not have.
    """
    project_judges = list(judges)
    choices = []
    for name in preset.shown:
        shown_judge = study.judge(name.removeprefix(OF_JUDGE)) if name.startswith(OF_JUDGE) else None
        choices.append(
            [name]
            if shown_judge is None
            else [judge.name for judge in project_judges if matches_slot(judge, shown_judge)]
        )
    return list(product(*choices))


def _distinct(judge: JudgeInfo, preset: JudgePreset, name: str) -> bool:
    if name == "samples":
        return judge.samples == preset.samples
    return bool((judge.parameters.get(name) or 1) == (preset.parameters.get(name) or 1))


def _same(value: Any, allowed: Any) -> bool:
    if isinstance(allowed, list | tuple):
        return value in allowed
    return bool(value == allowed)


def model_of(judge: JudgeInfo) -> str:
    """Return the judge's model; "" for an imported one without a protocol."""
    return "" if judge.origin == "imported" and not judge.protocol else judge.model


def is_model(table: PublishedTable, name: str, model: str) -> bool:
    """Return whether a project's model is the one that the paper calls `name`."""
    pattern = table.models.get(name)
    return bool(pattern and re.search(pattern, model, re.IGNORECASE))


def slots(table: PublishedTable) -> list[CellRecipe]:
    """Return the recipes of the table's rows or columns that name a rater."""
    parts = [*(row.recipe for row in table.rows), *(column.recipe for column in table.columns)]
    return [table.recipe.merged_with(part) for part in parts if part.names_rater]


def models_in(table: PublishedTable, study: Study, material: Material) -> list[str]:
    """Return the models of the project that match a row or column of the table, most matches first.

    An imported judge of unknown model counts as "".
    """
    count: dict[str, int] = {}
    for slot in slots(table):
        for judge in _candidates(slot, study, material):
            count[model_of(judge)] = count.get(model_of(judge), 0) + 1
    return sorted(count, key=lambda model: (-count[model], model))


def find_rater(
    recipe: CellRecipe, table: PublishedTable, study: Study, material: Material, model: str | None
) -> MatchedRater:
    """Return the rater that matches a recipe in the block of one model; None if there is no judge at all."""
    if recipe.human:
        return MatchedRater("", "human")
    named = _by_name(recipe, material, model)
    if recipe.metric:
        return _metric(recipe, material, named)
    if not recipe.judge:
        return named or MatchedRater(reason=sentence("this project has nothing to put there"))
    judges = [judge for judge in _candidates(recipe, study, material) if model_of(judge) == model]
    if recipe.model and any(is_model(table, name, model or "") for name in _models_of(table)):
        judges = [judge for judge in judges if is_model(table, recipe.model, judge.model)]
        if not judges and named is None:
            return MatchedRater(reason=sentence("another model's row"))
    if not judges:
        return named or MatchedRater(reason=_nobody(recipe, study))
    preset = study.judge(recipe.judge)
    order = sorted(
        judges,
        key=lambda judge: (
            preset is None or not _as_asked(judge, preset),
            uses_project_examples(judge.options),
            -judge.id,
        ),
    )
    return MatchedRater(order[0].name, "judge", others=tuple(judge.name for judge in order[1:]))


def _as_asked(judge: JudgeInfo, preset: JudgePreset) -> bool:
    """Return whether the judge has all settings that the preset names."""
    return judge.samples == preset.samples and all(
        judge.options.get(name) == value for name, value in preset.all_options().items()
    )


def _models_of(table: PublishedTable) -> set[str]:
    return {slot.model for slot in slots(table) if slot.model}


def _candidates(recipe: CellRecipe, study: Study, material: Material) -> list[JudgeInfo]:
    preset = study.judge(recipe.judge)
    if preset is None:
        return [scored for scored in _scored(material) if is_named(scored.name, recipe.names)]
    evidence = {frozenset(names) for names in evidence_of(preset, study, material.judges.values())}
    return [
        judge
        for judge in _scored(material)
        if matches_slot(judge, preset, recipe.judge_options, material.lists, evidence)
        or is_named(judge.name, recipe.names)
    ]


def _scored(material: Material) -> list[JudgeInfo]:
    return [judge for judge in material.judges.values() if material.raters.get(judge.name) == "judge"]


def _by_name(recipe: CellRecipe, material: Material, model: str | None) -> MatchedRater | None:
    for name, kind in material.raters.items():
        if not is_named(name, recipe.names):
            continue
        judge = material.judges.get(name)
        # A learned judge has no model: it is shown with the judges of every model.
        if judge is None or model is None or judge.origin == "learned" or model_of(judge) == model:
            return MatchedRater(name, kind)
    return None


def _metric(recipe: CellRecipe, material: Material, named: MatchedRater | None) -> MatchedRater:
    options_wanted, options_by_name = recipe.metric_options, material.metric_options
    scored = [
        name
        for name, kind in material.raters.items()
        if kind == "metric"
        and (name if not options_wanted else metric_of(name)).casefold() == recipe.metric.casefold()
    ]
    # The plain name first; for numbers from a file only the name is known.
    for name in sorted(scored, key=len):
        if all(
            options_by_name.get(name, {}).get(option, value) == value
            for option, value in options_wanted.items()
        ):
            return MatchedRater(name, "metric")
    if named is not None:
        return named
    if not scored:
        return MatchedRater(reason=sentence("not computed yet: {metric}", metric=recipe.metric))
    options = " ".join(f"--option {name}={_word(value)}" for name, value in options_wanted.items())
    return MatchedRater(
        reason=sentence(
            "'{metric}' was computed with other options than the paper's; compute it again with `judgelab "
            "score PROJECT {metric} {options}`",
            metric=recipe.metric,
            options=options,
        ),
        other_settings=True,
    )


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nobody(recipe: CellRecipe, study: Study) -> str:
    preset = study.judge(recipe.judge)
    title = preset.title if preset else recipe.judge
    return sentence("this project has no judge that matches {judge}", judge=title)


def is_named(name: str, names: Sequence[str]) -> bool:
    """Return whether a judge has one of these names, ignoring case."""
    return name.casefold() in {known_name.casefold() for known_name in names}


def place_of(names: Iterable[str], published_names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the project's names that match a published name, ignoring spelling and case."""
    plain = {_plain(published) for published in published_names}
    return tuple(published for published in names if _plain(published) in plain)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()


def dataset_groups(table: PublishedTable, material: Material) -> Mapping[str, tuple[str, ...]]:
    """Return which of the project's groups are which of the paper's data sets."""
    groups_by_dataset = {name: place_of(material.groups, names) for name, names in table.datasets.items()}
    return {name: groups for name, groups in groups_by_dataset.items() if groups}
