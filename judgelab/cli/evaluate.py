"""`judgelab eval`: one command judges a JSONL file of candidate answers and prints the accuracy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.cli import shared
from judgelab.cli.judging import split_options
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.errors import ImportProblems
from judgelab.imports.answer_lines import AnswerLine, read_answer_lines
from judgelab.imports.service import import_files
from judgelab.runs import service
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.waiting import wait_for_run
from judgelab.store.db.engine import Store
from judgelab.store.judging.run_verdicts import RunVerdict, run_verdicts
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import create_project, list_projects
from judgelab.studies import studies

MAX_PROBLEMS_SHOWN = 20  # problems listed in a terminal
PROTOCOL = STUDY = "qa_eval"


def register(app: typer.Typer) -> None:
    """Add `eval`."""
    app.command("eval")(evaluate)


def evaluate(
    file: Annotated[Path, typer.Argument(help="JSON lines with question, answer (gold) and prediction.")],
    model: Annotated[str, typer.Option(help="The model's name.")],
    endpoint: Annotated[str | None, typer.Option(help="The model's endpoint.")] = None,
    backend: Annotated[str | None, typer.Option(help="The backend, for judges without an endpoint.")] = None,
    samples: Annotated[int, typer.Option(help="Number of replies that vote on each answer.")] = 3,
    temperature: Annotated[float | None, typer.Option()] = None,
    top_p: Annotated[float | None, typer.Option()] = None,
    max_tokens: Annotated[int | None, typer.Option()] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE, an option of qa_eval or the backend: turns=two, shots=0."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the verdicts to this file, one per line.")] = None,
    as_json: Json = False,
) -> None:
    """Judge candidate answers against reference answers and print their accuracy.

    Each file gets its own project, which is reused when the command is repeated; cached replies are not paid
    for twice.
    """
    kind = shared.backend_name(backend, endpoint)
    lines = _read_lines(file, as_json=as_json)
    options, parameters = split_options(
        PROTOCOL, kind, option or [], temperature=temperature, top_p=top_p, max_tokens=max_tokens
    )
    spec = JudgeSpec(
        protocol=PROTOCOL,
        model=model,
        backend=kind,
        endpoint=endpoint,
        options=options,
        parameters=parameters,
        samples=samples,
    )
    store = shared.store()
    run_id = service.create_run(store, _find_or_create_project(store, file, lines), spec)
    progress = shared.progress_line(lambda run: f"{run.units - run.waiting} of {run.units} judged")
    status = wait_for_run(
        store, run_id, engine_url=settings().job_engine_url, progress=progress, say=shared.say
    )
    with store.reading() as session:
        verdicts = run_verdicts(session, run_id)
    if out is not None:
        _write_verdicts(out, lines, verdicts)
    data = _summary_json(lines, verdicts, run_id, status.state)
    shared.emit(data, as_json=as_json, text="\n".join(_summary_lines(data, status.reason)))
    if status.state != "done" or data["unscored"] or data["failed"]:
        raise typer.Exit(shared.INCOMPLETE)


def _read_lines(file: Path, *, as_json: bool) -> list[AnswerLine]:
    try:
        return read_answer_lines(file)
    except ImportProblems as error:
        if as_json:
            problems = [asdict(problem) for problem in error.problems]
            shared.emit({"problems": problems, "error": str(error)}, as_json=True, text="")
        for problem in error.problems[:MAX_PROBLEMS_SHOWN]:
            shared.say(f"{error.source}: {problem.sentence()}")
        if len(error.problems) > MAX_PROBLEMS_SHOWN:
            shared.say(f"and {len(error.problems) - MAX_PROBLEMS_SHOWN:,} more lines; nothing was judged.")
        raise typer.Exit(shared.USER_MISTAKE) from error


def _find_or_create_project(store: Store, file: Path, lines: Sequence[AnswerLine]) -> str:
    """Return the slug of the file's project, created if it is new."""
    records = "".join(json.dumps(line.to_record(), ensure_ascii=False) + "\n" for line in lines)
    name = f"eval {file.stem[:40]} {hashlib.sha256(records.encode()).hexdigest()[:8]}"
    study = studies.get(STUDY)
    with store.writing() as session:
        existing = {project.name: project.slug for project in list_projects(session)}
        if name in existing:
            return existing[name]
        created = create_project(
            session,
            name=name,
            study=STUDY,
            task=study.task,
            criteria=study.criteria,
            settings=study.settings,
            guidelines=study.guidelines,
        )
    try:
        import_files(store, created.slug, [(f"{file.stem}.jsonl", records.encode())], kind="items")
    except BaseException:
        # The next attempt finds projects by name and would take an empty one for the file.
        with store.writing() as session:
            delete_project(session, created.slug)
        raise
    return created.slug


def _summary_json(
    lines: Sequence[AnswerLine], verdicts: Sequence[RunVerdict], run: int, state: str
) -> dict[str, Any]:
    score_by_line = {verdict.response: verdict.score for verdict in verdicts if verdict.score is not None}
    systems: dict[str, list[float]] = {}
    for line in lines:
        if str(line.number) in score_by_line:
            systems.setdefault(line.system, []).append(score_by_line[str(line.number)])
    states = [verdict.state for verdict in verdicts]
    return {
        "run": run,
        "state": state,
        "lines": len(lines),
        "scored": len(score_by_line),
        "unscored": states.count("unscored"),
        "failed": states.count("failed"),
        "accuracy": sum(score_by_line.values()) / len(score_by_line) if score_by_line else None,
        "systems": {
            name: {"accuracy": sum(scores) / len(scores), "scored": len(scores)}
            for name, scores in systems.items()
            if name
        },
    }


def _summary_lines(data: dict[str, Any], reason: str) -> list[str]:
    accuracy = data["accuracy"]
    accuracy_text = "unknown: no line was scored" if accuracy is None else f"{100 * accuracy:z.1f} %"
    lines = [
        f"Accuracy: {accuracy_text} ({data['scored']:,} of {shared.counted(data['lines'], 'line')} scored)"
    ]
    lines += [
        f"  {name}: {100 * system['accuracy']:z.1f} % of {system['scored']:,}"
        for name, system in data["systems"].items()
        if len(data["systems"]) > 1
    ]
    if data["unscored"] or data["failed"]:
        lines.append(f"Without a verdict: {data['unscored']:,} unscored, {data['failed']:,} failed")
    return [*lines, reason] if reason else lines


def _write_verdicts(out: Path, lines: Sequence[AnswerLine], verdicts: Sequence[RunVerdict]) -> None:
    by_line = {verdict.response: verdict for verdict in verdicts}
    with shared.explain_write_errors(out), out.open("w", encoding="utf-8") as file:
        for line in lines:
            record = _verdict_json(line, by_line.get(str(line.number)))
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _verdict_json(line: AnswerLine, verdict: RunVerdict | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "line": line.number,
        **({"system": line.system} if line.system else {}),
        "question": line.question,
        "answer": list(line.gold),
        "prediction": line.candidate,
        "verdict": None,
        "state": "waiting",
    }
    if verdict is None:
        return data
    if verdict.score is not None:
        data["verdict"] = "yes" if verdict.score else "no"
        data["explanation"] = verdict.rationale
        if "votes" in verdict.detail:
            data["votes"] = verdict.detail["votes"]
    return {**data, "state": verdict.state, **({"reason": verdict.reason} if verdict.reason else {})}
