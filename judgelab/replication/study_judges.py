"""The judges that a study's tables need from one model: its presets and their variations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgelab.protocols import protocols
from judgelab.protocols.examples.example_options import EXAMPLES_OPTION, OURS
from judgelab.protocols.meta import evaluators_in
from judgelab.replication.matching import OF_JUDGE, OF_LISTS, TUNED, evidence_of, matches_slot
from judgelab.runs.plan.parameter_mapping import map_parameters
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Session
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judges import list_judges
from judgelab.store.prepared.reference_lists import ListSet, list_sets
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.studies import Study, studies
from judgelab.studies.base import JudgePreset
from judgelab.studies.tables import published_tables
from judgelab.wording import sentence

NEEDS_LIST = "reference_list"


@dataclass(frozen=True)
class ModelSource:
    """The source of replies: a backend, its endpoint if it needs one, a model."""

    backend: str
    endpoint: str | None
    model: str


@dataclass(frozen=True)
class WantedJudge:
    """A judge that a table or grid needs; `serves` tells whether another judge is equivalent.

    `impossible` says why this source cannot be asked in that way, "" if it can.
    """

    title: str
    spec: JudgeSpec
    serves: Callable[[JudgeInfo], bool]
    impossible: str = ""


def wanted_judges(
    session: Session, project: ProjectInfo, study: str, source: ModelSource, *, examples: str = OURS
) -> list[WantedJudge]:
    """Return every judge of the study for one model, the most specific first.

    A judge that needs a list of references is wanted once per set of lists and draw, with a table's
    variations only for the lists of that table. One that is shown the scores of another judge is wanted once
    per judge of the project that matches that one. `examples` says whose examples few-shot judges show that
    bring their own: "ours", "rated" responses of the project, or a "saved" set.
    """
    chosen, sets = studies.get(study), list_sets(session, project.id)
    judges = list_judges(session, project.id)
    tuned = bool(TUNED.search(source.model))
    presets = [
        candidate
        for candidate in chosen.judges
        if candidate.tuned == tuned and candidate.protocol in protocols.names()
    ]
    presets.sort(key=lambda candidate: -len(candidate.distinct))
    wanted = []
    for preset in presets:
        evidence = evidence_of(preset, chosen, judges) if preset.shown else []
        reason = _impossible(preset, chosen, source, has_evidence=bool(evidence))
        for extra in _choices(preset, sets, evidence):
            wanted.append(_wanted_judge(preset, source, extra, several=len(evidence) > 1, reason=reason))
    for preset in presets:
        for extra in _varied(preset, chosen, sets):
            wanted.append(
                _wanted_judge(
                    preset, source, extra, reason=_impossible(preset, chosen, source, has_evidence=True)
                )
            )
    return [_with_examples(candidate, examples) for candidate in wanted]


def takes_examples(study: Study) -> bool:
    """Return whether a judge of the study brings examples that a project's own can replace."""
    return any(_shows_examples(preset.protocol, preset.all_options()) for preset in study.judges)


def _shows_examples(protocol: str, options: Mapping[str, Any]) -> bool:
    options_known = protocol in protocols.names() and protocols.get(protocol).options
    return any(option.name == EXAMPLES_OPTION for option in options_known or ()) and bool(
        options.get("shots")
    )


def _with_examples(wanted: WantedJudge, examples: str) -> WantedJudge:
    """Return the wanted judge with examples of the project, if it shows any."""
    if not _shows_examples(wanted.spec.protocol, wanted.spec.options):
        return wanted

    def serves(judge: JudgeInfo) -> bool:
        return judge.options.get(EXAMPLES_OPTION, OURS) == examples and wanted.serves(judge)

    if examples == OURS:
        return replace(wanted, serves=serves)
    (option,) = (
        option for option in protocols.get(wanted.spec.protocol).options if option.name == EXAMPLES_OPTION
    )
    reason = wanted.impossible
    if examples not in option.choices:
        reason = reason or sentence("it accepts only rated responses as examples from the project")
    spec = replace(wanted.spec, options={**wanted.spec.options, EXAMPLES_OPTION: examples})
    title = sentence("{judge}, {examples} examples", judge=wanted.title, examples=examples)
    return replace(wanted, title=title, spec=spec, serves=serves, impossible=reason)


def _choices(
    preset: JudgePreset, sets: Sequence[ListSet], evidence: Sequence[Sequence[str]]
) -> list[dict[str, Any]]:
    """Return what a preset leaves open: the list it is shown, or the raters whose scores it is shown."""
    if evidence:
        return [{"evidence": ",".join(names)} for names in evidence]
    if NEEDS_LIST in protocols.get(preset.protocol).needs and sets:
        return [_shown(list_set) for list_set in sets]
    return [{}]


def _shown(list_set: ListSet) -> dict[str, Any]:
    return {"list": list_set.name, "draw": list_set.draw}


def _varied(preset: JudgePreset, study: Study, sets: Sequence[ListSet]) -> Iterator[dict[str, Any]]:
    """Yield what the study's tables vary in a preset besides the lists: numbers of examples or roles."""
    choices: list[dict[str, Any]] = []
    for table in published_tables(study.name):
        for recipe in (table.recipe_of(row, column) for row in table.rows for column in table.columns):
            varied = {
                name: value
                for name, value in recipe.judge_options.items()
                if name not in OF_LISTS and not isinstance(value, tuple)
            }
            if recipe.judge != preset.key or not varied or _is_preset(study, preset, varied):
                continue
            shown: list[dict[str, Any]] = [{}]
            if NEEDS_LIST in protocols.get(preset.protocol).needs:
                shown = [_shown(list_set) for list_set in sets if _is_of(list_set, recipe.judge_options)]
            for list_set in shown:
                if (choice := {**varied, **list_set}) not in choices:
                    choices.append(choice)
                    yield choice


def _is_preset(study: Study, preset: JudgePreset, varied: Mapping[str, Any]) -> bool:
    """Return whether a preset with variations equals itself or another of the study's presets."""
    options = {**preset.all_options(), **varied}
    return any(other.protocol == preset.protocol and other.all_options() == options for other in study.judges)


def _is_of(list_set: ListSet, required: Mapping[str, Any]) -> bool:
    """Return whether a table's judges see this set of lists."""
    values = {"list_source": list_set.source, "list_pattern": list_set.pattern, "draw": list_set.draw}
    return all(values[name] == required[name] for name in OF_LISTS if name in required)


def _wanted_judge(
    preset: JudgePreset, source: ModelSource, extra: Mapping[str, Any], *, several: bool = False, reason: str
) -> WantedJudge:
    """Return one wanted judge; `extra` holds what is left open or varied in the preset."""
    words = [f"{name} {value}" for name, value in extra.items() if name not in ("list", "draw", "evidence")]
    if "list" in extra:
        words.append(f"{extra['list']} {extra['draw']}")
    if several:
        words.append(str(extra["evidence"]))
    spec = JudgeSpec(
        protocol=preset.protocol,
        model=source.model,
        backend=source.backend,
        endpoint=source.endpoint,
        options={**preset.all_options(), **extra},
        parameters=map_parameters(source.backend, preset.parameters),
        samples=preset.samples,
        aggregation=preset.aggregation or None,
    )
    evidence = {frozenset(evaluators_in(extra))}
    # The order of the raters whose scores are shown does not matter.
    extra_options = {name: value for name, value in extra.items() if name != "evidence"}

    def serves(judge: JudgeInfo) -> bool:
        return judge.model == source.model and matches_slot(judge, preset, extra_options, evidence=evidence)

    return WantedJudge(", ".join([preset.title, *words]), spec, serves, reason)


def _impossible(preset: JudgePreset, study: Study, source: ModelSource, *, has_evidence: bool) -> str:
    """Return why this source cannot be asked as the preset was, "" if it can."""
    if preset.shown and not has_evidence:
        presets = [study.judge(name.removeprefix(OF_JUDGE)) for name in preset.shown]
        return sentence(
            "the paper's judge also sees the scores of the judge '{judge}', which this project does not "
            "have; fine-tune a model on *Preparation* or with `judgelab prepare PROJECT fine-tuning`, and "
            "run it as a judge first",
            judge=", ".join(preset_shown.title for preset_shown in presets if preset_shown),
        )
    # What tells it apart is a setting of other backends (beams): asked here, it would be another judge.
    parameters = map_parameters(source.backend, preset.parameters)
    lost = [name for name in preset.distinct if name in preset.parameters and name not in parameters]
    return sentence("{setting} needs a local model", setting=", ".join(lost)) if lost else ""
