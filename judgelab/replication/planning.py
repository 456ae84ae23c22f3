"""All missing runs of a study or a grid, planned for one model with one estimate, and started together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import PurePath

from judgelab.errors import InvalidInput, UserError
from judgelab.protocols.examples.example_options import OURS
from judgelab.replication.study_judges import ModelSource, WantedJudge, wanted_judges
from judgelab.runs.estimate import Range, RunEstimate, estimate
from judgelab.runs.plan.run_builder import RunDraft, build_run
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.service import create_run
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judged_responses import responses_of_judge
from judgelab.store.judging.judges import list_judges
from judgelab.store.prepared.derived import rated_responses
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import sentence


@dataclass(frozen=True)
class PlannedRun:
    """One missing run: its judge, selection and estimate, or why it cannot be started.

    `existing_judge` names the one that already has the other responses, "" if none has.
    """

    title: str
    spec: JudgeSpec
    selection: Selection = Selection()
    estimate: RunEstimate | None = None
    refused: str = ""
    existing_judge: str = ""


@dataclass(frozen=True)
class PlanTotal:
    """What all runs together would take; `unpriced` counts those whose cost is unknown."""

    runs: int
    units: int
    calls: Range
    completions: int
    cached: int
    prompt_tokens: Range
    completion_tokens: Range
    cost: Range | None
    seconds: Range
    unpriced: int = 0


@dataclass(frozen=True)
class StudyPlan:
    """Missing runs, refused runs, and judges that exist already (title and name)."""

    missing: tuple[PlannedRun, ...]
    refused: tuple[PlannedRun, ...]
    existing_judges: tuple[tuple[str, str], ...]
    total: PlanTotal | None


def plan_study(
    store: Store,
    slug: str,
    source: ModelSource,
    *,
    study: str | None = None,
    rated: str | None = None,
    examples: str = OURS,
) -> StudyPlan:
    """Return the study's missing runs for one model, with one estimate for all.

    Args:
        store: the database.
        slug: the project.
        source: where replies come from.
        study: another study than the project's.
        rated: a criterion; only responses that have a human score under it are judged, and only under it.
        examples: whose examples few-shot judges show that bring their own: "ours", "rated" or "saved".

    Raises:
        UserError: no such project, study or criterion, or nobody rated under it.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        wanted = wanted_judges(session, project, study or project.study, source, examples=examples)
        chosen = chosen_by(session, project, rated)
    return plan(store, slug, wanted, chosen)


def chosen_by(session: Session, project: ProjectInfo, criterion: str | None) -> Selection:
    """Return the responses with a human score under a criterion, to be judged under it alone; None: all.

    Raises:
        UserError: no such criterion, or nobody rated under it.
    """
    if criterion is None:
        return Selection()
    key = project.criterion(criterion).key
    responses = rated_responses(session, project.id, key)
    if not responses:
        raise InvalidInput(
            sentence("there are no ratings under '{criterion}'; choose another.", criterion=key)
        )
    return Selection(responses=responses, criteria=(key,) if len(project.criteria) > 1 else ())


def plan(store: Store, slug: str, wanted_judges: Sequence[WantedJudge], chosen: Selection) -> StudyPlan:
    """Return which wanted judges exist for the chosen responses, and what the others would take."""
    missing: list[PlannedRun] = []
    refused: list[PlannedRun] = []
    judges_present: list[tuple[str, str]] = []
    planned: list[JudgeInfo] = []
    for wanted in wanted_judges:
        if any(wanted.serves(judge) for judge in planned):
            continue
        if wanted.impossible:
            refused.append(PlannedRun(wanted.title, wanted.spec, refused=wanted.impossible))
            continue
        try:
            planned_run, judge = _missing_run(store, slug, wanted, chosen)
        except UserError as error:
            refused.append(PlannedRun(wanted.title, wanted.spec, refused=error.args[0]))
            continue
        if planned_run is None:
            judges_present.append((wanted.title, judge.name))
            continue
        planned.append(judge)
        missing.append(planned_run)
    estimates = [run.estimate for run in missing if run.estimate is not None]
    return StudyPlan(
        tuple(missing), tuple(refused), tuple(judges_present), _total(estimates) if estimates else None
    )


def start(
    store: Store, slug: str, planned: Sequence[PlannedRun], *, person_id: int | None = None
) -> list[int]:
    """Start the runs in a person's name and return their ids; what was refused stays out.

    Raises:
        UserError: one cannot be started any more; those before it run.
    """
    return [
        create_run(store, slug, run.spec, run.selection, person_id=person_id)
        for run in planned
        if not run.refused
    ]


def _missing_run(
    store: Store, slug: str, wanted_judge: WantedJudge, chosen: Selection
) -> tuple[PlannedRun | None, JudgeInfo]:
    """Return the missing run of a wanted judge (None: nothing is missing) and its existing or new judge."""
    with store.reading() as session:
        project = find_project(session, slug)
        others = list_judges(session, project.id)
        serving = [judge for judge in others if wanted_judge.serves(judge)]
        draft = build_run(session, project, wanted_judge.spec, chosen)
        judged = {judge.name: responses_of_judge(session, judge.id) for judge in serving}
    to_judge = _responses(draft)
    present = max(serving, key=lambda judge: len(judged[judge.name] & to_judge), default=None)
    if present is None or not judged[present.name] & to_judge:
        spec = replace(
            wanted_judge.spec,
            name=wanted_judge.spec.name or _free_name(wanted_judge, draft.judge_config.judge, others),
        )
        return _estimated(store, slug, PlannedRun(wanted_judge.title, spec, chosen)), draft.judge_config.judge
    remaining = to_judge - judged[present.name]
    if not remaining:
        return None, present
    spec = _spec_of_judge(present, wanted_judge.spec)
    selection = replace(chosen, responses=tuple(sorted(remaining)))
    return _estimated(
        store, slug, PlannedRun(wanted_judge.title, spec, selection, existing_judge=present.name)
    ), present


def _free_name(wanted: WantedJudge, judge: JudgeInfo, others: Sequence[JudgeInfo]) -> str:
    """Return a name that says which of the paper's judges it is; numbered if another judge has it."""
    definitions = {other.name: other.definition() for other in others}
    plain = f"{wanted.title}, {PurePath(judge.model).name}"
    number, name = 1, plain
    while definitions.get(name, judge.definition()) != judge.definition():
        number += 1
        name = f"{plain} {number}"
    return name


def _spec_of_judge(judge: JudgeInfo, spec: JudgeSpec) -> JudgeSpec:
    """Return the specification of an existing judge, so that the rest is judged in the same way."""
    return replace(
        spec,
        options=judge.options,
        parameters=judge.parameters,
        samples=judge.samples,
        aggregation=judge.aggregation,
        name=judge.name,
    )


def _estimated(store: Store, slug: str, planned: PlannedRun) -> PlannedRun:
    return replace(planned, estimate=estimate(store, slug, planned.spec, planned.selection))


def _responses(draft: RunDraft) -> set[int]:
    responses: set[int] = set()
    for unit in draft.units:
        responses.add(unit.response_id)
        responses.update(unit.members)
    return responses


def _total(estimates: Sequence[RunEstimate]) -> PlanTotal:
    costs = [estimate.cost for estimate in estimates if estimate.cost is not None]
    return PlanTotal(
        runs=len(estimates),
        units=sum(estimate.units for estimate in estimates),
        calls=_sum([estimate.calls for estimate in estimates]),
        completions=sum(estimate.completions for estimate in estimates),
        cached=sum(estimate.cached for estimate in estimates),
        prompt_tokens=_sum([estimate.prompt_tokens for estimate in estimates]),
        completion_tokens=_sum([estimate.completion_tokens for estimate in estimates]),
        cost=_sum(costs) if costs else None,
        seconds=_sum([estimate.seconds for estimate in estimates]),
        unpriced=len(estimates) - len(costs),
    )


def _sum(ranges: Sequence[Range]) -> Range:
    return reduce(lambda a, b: Range(a.low + b.low, a.high + b.high), ranges, Range(0.0, 0.0))
