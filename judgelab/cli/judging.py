"""`judge`, `runs` and `run`: start a run, list the runs, change one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from judgelab.analysis.trust.position_bias import position_report
from judgelab.backends import backends
from judgelab.cli import shared, spending, unscored
from judgelab.cli.run_text import (
    failure_lines,
    failures_json,
    full_json,
    position_lines,
    show_status,
    status_line,
    status_with_reason,
)
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.errors import InvalidInput
from judgelab.options import split_pairs
from judgelab.protocols import protocols
from judgelab.runs import service
from judgelab.runs.batch.mode import Mode
from judgelab.runs.estimate import estimate
from judgelab.runs.execute.failure_report import report_failures
from judgelab.runs.execute.reparse import reparse
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.plan.suitability import undefined_criteria, undefined_note
from judgelab.runs.waiting import wait_for_run
from judgelab.store.db.engine import Store
from judgelab.store.prepared.derived import rated_responses
from judgelab.store.projects.projects import find_project

run_app = typer.Typer(help="Inspect and change a run.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add `judge`, `runs` and `run`."""
    app.command("judge")(judge)
    app.command("runs")(list_runs)
    unscored.register(run_app)
    spending.register(run_app)
    app.add_typer(run_app, name="run")


def judge(
    project: str,
    protocol: str,
    model: Annotated[str, typer.Option(help="The model's name.")],
    endpoint: Annotated[str | None, typer.Option(help="The model's endpoint.")] = None,
    backend: Annotated[str | None, typer.Option(help="The backend, for judges without an endpoint.")] = None,
    name: Annotated[str, typer.Option(help="The judge's name as a rater.")] = "",
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE, an option of the protocol or the backend.")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(help="Replies per judgment. Default: as in the protocol's study."),
    ] = None,
    aggregation: Annotated[str | None, typer.Option(help="mean, median or majority.")] = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    top_p: Annotated[float | None, typer.Option()] = None,
    max_tokens: Annotated[int | None, typer.Option()] = None,
    seed: Annotated[int | None, typer.Option()] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of responses (of items, if the judge sees all their responses together)."
        ),
    ] = None,
    criterion: Annotated[list[str] | None, typer.Option(help="Only these criteria.")] = None,
    rated: Annotated[str | None, typer.Option(help="Only responses rated under this criterion.")] = None,
    budget: Annotated[
        float | None, typer.Option(help="Budget in US dollars; the run pauses when it is reached.")
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ask the model again, even for cached replies.")
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Send the calls as files to the endpoint's Batch API.")
    ] = False,
    only_estimate: Annotated[
        bool, typer.Option("--estimate", help="Show the estimate; start nothing.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the run has ended.")] = False,
    as_json: Json = False,
) -> None:
    """Score a project's responses with a judge, in the background."""
    kind = shared.backend_name(backend, endpoint)
    if endpoint and not backends.get(kind).needs_endpoint:
        raise InvalidInput(f"--backend {kind} uses no server: give either --endpoint or --backend.")
    if limit is not None and limit < 1:
        raise InvalidInput(f"--limit {limit} is not valid; it must be at least 1.")
    options, parameters = split_options(
        protocol,
        kind,
        option or [],
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
    )
    spec = JudgeSpec(
        protocol=protocol,
        model=model,
        backend=kind,
        endpoint=endpoint,
        options=options,
        parameters=parameters,
        samples=samples,
        aggregation=aggregation,
        name=name,
    )
    store = shared.store()
    responses = _rated_under(store, project, rated) if rated else ()
    selection = Selection(limit=limit, criteria=tuple(criterion or ()), responses=responses)
    if only_estimate:
        cost = estimate(store, project, spec, selection, batch=batch, cache=not no_cache)
        _warn_undefined(store, project, selection)
        spending.show_estimate(cost, as_json=as_json)
        return
    default_samples = protocols.get(protocol).samples
    if samples is None and default_samples > 1:
        shared.say(f"Each judgment takes {default_samples} replies, as in the study; --samples 1 takes one.")
    mode: Mode = "batch" if batch else "live"
    run_id = service.create_run(store, project, spec, selection, budget=budget, cache=not no_cache, mode=mode)
    _warn_undefined(store, project, selection)
    if wait:
        progress = shared.progress_line(status_line)
        status = wait_for_run(
            store, run_id, engine_url=settings().job_engine_url, progress=progress, say=shared.say
        )
    else:
        status = service.run_status(store, run_id)
    show_status(status, as_json=as_json)
    if wait and (status.state != "done" or status.unscored or status.failed):
        raise typer.Exit(shared.INCOMPLETE)


def _warn_undefined(store: Store, project: str, selection: Selection) -> None:
    """Warn of criteria of which the judge reads only the name."""
    with store.reading() as session:
        undefined = undefined_criteria(find_project(session, project), selection.criteria)
    if undefined:
        shared.say(f"note: {undefined_note(undefined)}")


def list_runs(project: str, as_json: Json = False) -> None:
    """List a project's runs, newest first."""
    statuses = service.list_runs(shared.store(), project)
    text = "\n".join(status_with_reason(status) for status in statuses) or "There are no runs yet."
    shared.emit([full_json(status) for status in statuses], as_json=as_json, text=text)


@run_app.command("pause")
def pause(run: int, as_json: Json = False) -> None:
    """Pause a run: no new calls start; replies to open calls are kept."""
    store = shared.store()
    service.pause(store, run)
    show_status(service.run_status(store, run), as_json=as_json)


@run_app.command("resume")
def resume(
    run: int,
    as_json: Json = False,
    batch: Annotated[
        bool | None, typer.Option("--batch/--live", help="Send the remaining calls as a batch, or live.")
    ] = None,
) -> None:
    """Resume a run that was paused or stopped."""
    store = shared.store()
    service.resume(store, run, mode=None if batch is None else "batch" if batch else "live")
    show_status(service.run_status(store, run), as_json=as_json)


@run_app.command("cancel")
def cancel(run: int, as_json: Json = False) -> None:
    """End a run permanently; its judgments are kept."""
    store = shared.store()
    service.cancel(store, run)
    show_status(service.run_status(store, run), as_json=as_json)


@run_app.command("retry-failed")
def retry_failed(run: int, as_json: Json = False) -> None:
    """Ask the model again for judgments without a reply."""
    store = shared.store()
    service.retry_failed(store, run)
    show_status(service.run_status(store, run), as_json=as_json)


@run_app.command("reparse")
def reparse_run(run: int, as_json: Json = False) -> None:
    """Read the stored replies again, without new calls."""
    result = reparse(shared.store(), run)
    units = shared.counted(result.units, "judgment")
    text = (
        f"Read again: {units}; {result.scored_before} had a score before, {result.scored_after} have one now."
    )
    shared.emit({"run": run, **result._asdict()}, as_json=as_json, text=text)


@run_app.command("faults")
def show_faults(run: int, as_json: Json = False) -> None:
    """Show a run's failures: attempts, causes, waits, cost of failed calls, slowest calls."""
    report = report_failures(shared.store(), run)
    shared.emit(failures_json(report), as_json=as_json, text="\n".join(failure_lines(report)))


@run_app.command("position")
def show_position(run: int, as_json: Json = False) -> None:
    """Show whether a judge that sees two texts has a position bias."""
    report = position_report(shared.store(), run)
    if report is None:
        raise InvalidInput(f"the judge of run {run} was not shown two texts side by side.")
    shared.emit(report.to_json(), as_json=as_json, text="\n".join(position_lines(report)))


def _rated_under(store: Store, project: str, criterion: str) -> tuple[int, ...]:
    with store.reading() as session:
        info = find_project(session, project)
        key = info.criterion(criterion).key
        responses = rated_responses(session, info.id, key)
    if not responses:
        raise InvalidInput(f"there are no ratings under '{key}'; name another criterion with --rated.")
    return responses


def split_options(
    protocol: str, backend: str, pairs: list[str], **sampling: float | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the protocol's options and all parameters; unknown names go to the protocol.

    Args:
        protocol: its options are known.
        backend: its own parameters are known.
        pairs: NAME=VALUE for both of them.
        sampling: parameters of the model, None for those not given.
    """
    protocol_options = {option.name for option in protocols.get(protocol).options}
    backend_defaults = backends.get(backend).own_parameters
    options: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    for key, value in split_pairs(pairs).items():
        if key in protocol_options or key not in backend_defaults:
            options[key] = value
        else:
            parameters[key] = _convert_like(backend_defaults[key], key, value)
    return options, parameters | {key: value for key, value in sampling.items() if value is not None}


def _convert_like(default: Any, key: str, value: str) -> Any:
    if isinstance(default, tuple):
        return value.split(",")
    try:
        return type(default)(value)
    except ValueError:
        raise InvalidInput(f"option {key}: '{value}' is not valid; it must be like {default}.") from None
