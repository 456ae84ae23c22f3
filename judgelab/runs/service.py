"""Runs as pages and command line use them: create, watch, pause, resume, cancel, mend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from judgelab.domain import Reading, Task
from judgelab.errors import InvalidInput, NotFound
from judgelab.metrics import metrics
from judgelab.protocols import Call, protocols
from judgelab.runs.batch.mode import Mode, change_mode, check_mode, has_open_batches
from judgelab.runs.plan.budgeting import check_budget
from judgelab.runs.plan.code_version import code_version
from judgelab.runs.plan.judge_config import JudgeConfig, demonstrations_to_json
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.prompt_templates import with_versions
from judgelab.runs.plan.run_builder import RunDraft, build_run
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.plan.worker_kinds import Kind
from judgelab.runs.status import RunStatus as RunStatus
from judgelab.runs.status import status_of
from judgelab.store.db import audit, workers
from judgelab.store.db.engine import Session, Store
from judgelab.store.db.workers import WorkerInfo
from judgelab.store.judging import run_counts, runs
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judge_names import refuse_name_of_another
from judgelab.store.judging.judges import add_judge, judge_by_id, list_judges
from judgelab.store.judging.judgments import unit_of
from judgelab.store.judging.runs import CandidateResponse
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark, sentence


def create_run(
    store: Store,
    slug: str,
    spec: JudgeSpec,
    selection: Selection | None = None,
    *,
    budget: float | None = None,
    cache: bool = True,
    mode: Mode = "live",
    person_id: int | None = None,
) -> int:
    """Store a run and its waiting judgments in one transaction; a worker takes it up by itself.

    It goes out call by call (`live`), or as files to the endpoint's Batch API (`batch`). Without `cache`
    every reply is asked for anew; what comes is kept for later runs all the same. The audit log names the
    person, if one is given.

    Returns its id.

    Raises:
        UserError: the judge, the selection or the budget cannot be taken; nothing was stored.
    """
    selection = selection or Selection()
    with store.writing() as session:
        project = find_project(session, slug)
        draft = build_run(session, project, spec, selection)
        check_budget(draft, budget)
        check_mode(spec.backend, mode)
        versioned_judge = with_versions(session, project.id, draft.judge_config.judge)
        judge = _stored_judge(session, project.id, versioned_judge, named=bool(spec.name.strip()))
        run_id = runs.add_run(
            session,
            project.id,
            judge.id,
            selection={
                **selection.to_json(),
                "excluded": list(draft.excluded),
                "demonstrations": demonstrations_to_json(draft.judge_config.demonstrations),
                **({} if draft.split is None else {"split": list(draft.split)}),
            },
            units=draft.units,
            budget=budget,
            code_version=code_version(),
            cache=cache,
            mode=mode,
        )
        if person_id is not None:
            detail = {"run": run_id}
            audit.record(session, "started_run", project_id=project.id, person_id=person_id, detail=detail)
        return run_id


class PromptPreview(NamedTuple):
    """One unit as a judge would see it, with the calls for it as they would be sent."""

    judge_config: JudgeConfig
    task: Task
    calls: Sequence[Call]

    def read(self, place: int, reply: str) -> Reading:
        """Return what would be read in a reply to one of the calls; nothing is sent."""
        return self.judge_config.read(self.calls[place], reply, (), self.task)


def responses_to_judge(store: Store, slug: str) -> list[CandidateResponse]:
    """Return the responses of the project's data, for who drafts several judges of the same data."""
    with store.reading() as session:
        return runs.candidates(session, find_project(session, slug).id)


def preview_calls(
    store: Store,
    slug: str,
    spec: JudgeSpec,
    response_id: int,
    *,
    criterion: str | None = None,
    all_responses: Sequence[CandidateResponse] | None = None,
) -> Sequence[Call]:
    """Return the calls of `preview_prompt`; `all_responses` may be what `responses_to_judge` returned."""
    draft = build_draft(store, slug, spec, criterion=criterion, all_responses=all_responses)
    return preview_prompt(store, slug, spec, response_id, criterion=criterion, draft=draft).calls


def build_draft(
    store: Store,
    slug: str,
    spec: JudgeSpec,
    *,
    criterion: str | None = None,
    all_responses: Sequence[CandidateResponse] | None = None,
) -> RunDraft:
    """Return what a run of the judge on every response would do.

    Raises:
        UserError: as `preview_prompt` does.
    """
    with store.reading() as session:
        selection = Selection(criteria=(criterion,) if criterion else ())
        return build_run(session, find_project(session, slug), spec, selection, all_responses=all_responses)


def preview_prompt(
    store: Store,
    slug: str,
    spec: JudgeSpec,
    response_id: int,
    *,
    criterion: str | None = None,
    draft: RunDraft | None = None,
) -> PromptPreview:
    """Return the unit of one response, or of its item as a whole, under the first criterion or the named one.

    `draft` may be what `build_draft` returned for the same judge and criterion, for a look at many responses.

    Raises:
        UserError: the judge cannot be taken, or would not judge this response.
    """
    draft = draft or build_draft(store, slug, spec, criterion=criterion)
    with store.reading() as session:
        members = draft.units.members_with(response_id)
        unit = unit_of(session, response_id, draft.units[0].criteria, members)
        if unit is None:
            raise NotFound(mark("response"), str(response_id))
        _refuse_if(
            response_id in draft.excluded,
            sentence(
                "the judge sees this response, or one with the same text, as an example, so it is not "
                "judged; choose another response."
            ),
        )
        _refuse_if(
            bool(draft.units[0].members) and not members,
            sentence("the item has no other response to compare with; choose another response."),
        )
        (supplied,) = with_inputs(session, draft.judge_config, [unit])
        task = draft.judge_config.task(supplied)
        return PromptPreview(draft.judge_config, task, draft.judge_config.calls(task))


def run_status(store: Store, run_id: int) -> RunStatus:
    """Return a run's current status; raises `NotFound`."""
    with store.reading() as session:
        run = runs.find_run(session, run_id)
        return status_of(session, run, judge_by_id(session, run.judge_id))


def list_runs(store: Store, slug: str) -> list[RunStatus]:
    """Return the status of every run of a project, newest first."""
    with store.reading() as session:
        project = find_project(session, slug)
        judges = {judge.id: judge for judge in list_judges(session, project.id)}
        return [status_of(session, run, judges[run.judge_id]) for run in runs.runs_of(session, project.id)]


def live_workers(store: Store, kind: Kind | None = None) -> list[WorkerInfo]:
    """Return the worker processes that live, of all kinds or of one; none means `NO_WORKER`."""
    with store.reading() as session:
        return [worker for worker in workers.live_workers(session) if kind in (None, worker.kind)]


def pause(store: Store, run_id: int) -> None:
    """Pause the run: start no further call, await and store the answers in flight."""
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        _refuse_if(
            run.state in ("done", "cancelled", "stopped"),
            sentence("run {run} is {state}; nothing to pause.", run=str(run_id), state=sentence(run.state)),
        )
        run.wanted = "pause"
        if run.state == "waiting":
            runs.end_run(run, "paused")


def resume(store: Store, run_id: int, *, mode: Mode | None = None) -> None:
    """Resume with the open units, live or as a batch as `mode` says; no request is repeated."""
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        if mode is not None:
            change_mode(session, run, mode)
        _refuse_cancelled(run_id, run.state)
        _refuse_if(
            run.state == "done",
            sentence("run {run} is done; `retry-failed` retries the failed judgments.", run=str(run_id)),
        )
        if run.state in ("paused", "stopped"):
            run.attempt += 1
            run.state = "waiting"
        run.wanted, run.reason, run.mishaps = "run", "", {}


def cancel(store: Store, run_id: int) -> None:
    """End a run for good; what is judged is kept.

    Raises:
        InvalidInput: the run has ended, or it rests while a batch of it is at the endpoint.
    """
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        _refuse_if(
            run.state in ("done", "cancelled"),
            sentence("run {run} is already {state}.", run=str(run_id), state=sentence(run.state)),
        )
        _refuse_if(
            run.state != "running" and has_open_batches(run),
            sentence(
                "a batch of run {run} has not returned its replies yet; resume the run and cancel it "
                "while it is running, so that the batch is cancelled too and its replies are kept.",
                run=str(run_id),
            ),
        )
        run.wanted = "cancel"
        if run.state != "running":
            runs.end_run(run, "cancelled")


def retry_failed(store: Store, run_id: int) -> int:
    """Ask again what got no answer, and only that; return how many units."""
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        _refuse_cancelled(run_id, run.state)
        _refuse_if(
            run.state == "running",
            sentence("run {run} is running; pause it first, or wait until it is done.", run=str(run_id)),
        )
        count = run_counts.reset_unanswered(session, run_id)
        _refuse_if(
            not count and run.state == "done", sentence("run {run} has no failed judgments.", run=str(run_id))
        )
        if run.state != "waiting":
            run.attempt += 1
        run.state, run.wanted, run.reason, run.mishaps = "waiting", "run", "", {}
        return count


def _same_judge(stored: JudgeInfo, judge: JudgeInfo) -> bool:
    """Return whether two judges are the same; of options younger than the stored one the default counts."""
    usual = {option.name: option.default for option in protocols.get(judge.protocol).options}
    older = {**stored.definition(), "options": {**usual, **stored.options}}
    return stored.protocol == judge.protocol and older == judge.definition()


def _refuse_if(condition: bool, reason: str) -> None:
    if condition:
        raise InvalidInput(reason)


def _refuse_cancelled(run_id: int, state: str) -> None:
    _refuse_if(state == "cancelled", sentence("run {run} was cancelled; start a new one.", run=str(run_id)))


def _stored_judge(session: Session, project_id: int, judge: JudgeInfo, *, named: bool) -> JudgeInfo:
    """Return the project's judge with this definition, or store it under a free name."""
    stored = {other.name: other for other in list_judges(session, project_id)}
    if named:
        refuse_name_of_another(session, project_id, judge.name, metrics=metrics.names())
    number, name = 1, judge.name
    while name in stored and not _same_judge(stored[name], judge):
        taken = sentence(
            "a judge named '{judge}' with other settings already exists; choose another --name.", judge=name
        )
        _refuse_if(named, taken)
        number += 1
        name = f"{judge.name} {number}"
    return stored.get(name) or add_judge(session, project_id, name, judge.definition())
