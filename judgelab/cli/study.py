"""`study`: the tables of a paper with its numbers and those of a project."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.analysis.data.scores import IN_USE
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import InvalidInput
from judgelab.protocols.examples.example_options import OURS, RATED, SAVED_SET
from judgelab.replication import export
from judgelab.replication.cells import Block, Line, ReplayedTable, count_replicated
from judgelab.replication.planning import StudyPlan, plan_study, start
from judgelab.replication.study_judges import ModelSource
from judgelab.replication.tables import study_tables


class ExampleSource(StrEnum):
    """Where the examples of few-shot judges come from."""

    OURS = OURS
    RATED = RATED
    SAVED = SAVED_SET


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("study")(study)


def study(
    project: Annotated[list[str], typer.Argument(help="The project, or one for each data set of the paper.")],
    paper: Annotated[str | None, typer.Option("--study", help="A study other than the project's.")] = None,
    table: Annotated[
        list[str] | None, typer.Option(help="Only this table, by its number in the paper.")
    ] = None,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    to: Annotated[
        Path | None, typer.Option("--export", help="Folder for all tables as CSV, Markdown and LaTeX.")
    ] = None,
    missing: Annotated[bool, typer.Option("--missing", help="Estimate the missing runs.")] = False,
    begin: Annotated[bool, typer.Option("--start", help="Start all missing runs.")] = False,
    endpoint: Annotated[str | None, typer.Option(help="The model's endpoint, for these runs.")] = None,
    backend: Annotated[str | None, typer.Option(help="The backend, for judges without an endpoint.")] = None,
    model: Annotated[str, typer.Option(help="The model for these runs.")] = "",
    rated: Annotated[
        str | None, typer.Option(help="Run only on responses rated under this criterion.")
    ] = None,
    examples: Annotated[
        ExampleSource | None,
        typer.Option(
            help="Source of the examples in the prompts of QA-eval's and LINKAGE's few-shot judges."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the paper's tables: printed numbers next to this project's, with intervals and n.

    With --missing, estimate the study's missing runs with one model; with --start, start them all.
    """
    if missing or begin:
        given: dict[str, object] = {"--table": table, "--policy": policy != IN_USE, "--export": to}
        _refuse_options(given, "applies to the tables, not to --missing or --start")
        source = ModelSource(backend or "openai_api", endpoint, model)
        chosen = OURS if examples is None else examples.value
        _show_plan(project, paper, source, rated=rated, examples=chosen, begin=begin, as_json=as_json)
        return
    given = {
        "--endpoint": endpoint,
        "--backend": backend,
        "--model": model,
        "--rated": rated,
        "--examples": examples,
    }
    _refuse_options(given, "applies to runs; add --missing or --start")
    tables = study_tables(shared.store(), project, study=paper, numbers=table or (), policy=policy)
    if to is not None:
        with shared.explain_write_errors(to):
            paths = export.write(tables, to)
        for path in paths:
            shared.say(f"Written: {path}")
    data = {"projects": project, "study": tables[0].study, "tables": [table.to_json() for table in tables]}
    shared.emit(data, as_json=as_json, text="\n\n".join(_table_text(table) for table in tables))


def _refuse_options(given: Mapping[str, object], reason: str) -> None:
    """Raise `InvalidInput` with the reason if one of the options is given."""
    misplaced = next((option for option, value in given.items() if value), None)
    if misplaced is not None:
        raise InvalidInput(f"{misplaced} {reason}.")


def _show_plan(
    projects: list[str],
    paper: str | None,
    source: ModelSource,
    *,
    rated: str | None,
    examples: str,
    begin: bool,
    as_json: bool,
) -> None:
    if not source.model or (source.backend == "openai_api" and not source.endpoint):
        raise InvalidInput("name the model of the runs: --model M with --endpoint NAME or --backend NAME.")
    store = shared.store()
    data = []
    lines = []
    for project in projects:
        plan = plan_study(store, project, source, study=paper, rated=rated, examples=examples)
        runs = start(store, project, plan.missing) if begin else []
        data.append({"project": project, **plan_json(plan), "started": runs})
        lines += [f"{project}:", *plan_lines(plan)]
        if begin:
            lines.append(f"  started: {', '.join(f'run {run}' for run in runs) or 'nothing'}")
    shared.emit(data, as_json=as_json, text="\n".join(lines))


def plan_json(plan: StudyPlan) -> dict[str, Any]:
    """Return a plan as plain JSON values."""
    total = plan.total
    return {
        "missing": [
            {
                "judge": run.title,
                "protocol": run.spec.protocol,
                "options": dict(run.spec.options),
                "units": run.estimate.units if run.estimate else None,
            }
            for run in plan.missing
        ],
        "refused": [{"judge": run.title, "reason": run.refused} for run in plan.refused],
        "there": [{"judge": title, "name": name} for title, name in plan.existing_judges],
        "estimate": None
        if total is None
        else {
            "runs": total.runs,
            "units": total.units,
            "calls": list(total.calls),
            "cached": total.cached,
            "prompt_tokens": list(total.prompt_tokens),
            "completion_tokens": list(total.completion_tokens),
            "cost": None if total.cost is None else list(total.cost),
            "unpriced": total.unpriced,
            "seconds": list(total.seconds),
        },
    }


def plan_lines(plan: StudyPlan) -> list[str]:
    """Return a plan as lines of text."""
    lines = [f"  present: {title} ({name})" for title, name in plan.existing_judges]
    lines += [
        f"  missing: {run.title}, {shared.counted(run.estimate.units, 'judgment')}"
        for run in plan.missing
        if run.estimate
    ]
    lines += [f"  cannot be run: {run.title}: {run.refused}" for run in plan.refused]
    total = plan.total
    if total is None:
        return [*lines, "  This model has no missing runs."]
    cost = "unknown: no price given"
    if total.cost is not None:
        cost = f"{shared.number_range(*total.cost, digits=2)} USD"
    return [
        *lines,
        f"  total: {shared.counted(total.units, 'judgment')}, {shared.number_range(*total.calls)} calls, "
        f"{shared.number_range(*total.prompt_tokens)} tokens in, "
        f"{shared.number_range(*total.completion_tokens)} tokens out, cost {cost}, "
        f"{shared.number_range(*total.seconds)} s",
    ]


def _table_text(table: ReplayedTable) -> str:
    counts = count_replicated(table)
    lines = [
        f"{table.printed_name}: {table.title}",
        f"{counts.compared} of {counts.published} printed numbers can be compared; "
        f"{counts.outside} are outside this project's interval (marked *).",
    ]
    if counts.stand_ins:
        lines.append(
            f"{shared.counted(counts.stand_ins, 'number')} from demo, scripted or imported scores instead of "
            "a model's: not compared."
        )
    for block in table.blocks:
        if block.model:
            lines.append(f"  {block.model}")
        for line in block.lines:
            lines += _row_lines(block, line)
    common = dict.fromkeys(note for block in table.blocks for note in export.common_words(block))
    notes = [*([table.note] if table.note else []), *common]
    return "\n".join([*lines, *(f"Note: {note}" for note in notes)])


def _row_lines(block: Block, line: Line) -> list[str]:
    """Return the lines of a table row: its name, then its numbers, or why there are none."""
    columns = zip(block.columns, line.cells, strict=True)
    cells = [(column, cell) for column, cell in columns if cell.value is not None]
    if not cells:
        reasons = dict.fromkeys(cell.estimate.reason or "" for cell in line.cells)
        return [f"  {line.label}: {next(iter(reasons))}"]
    width = max(len(f"{column.group_heading} {column.label}") for column, _ in cells)
    lines = [f"  {line.label}"]
    for column, cell in cells:
        printed = export.printed(cell.published, cell.decimals) or "-"
        name = f"{column.group_heading} {column.label}".strip()
        left_out_note = f"  ({'; '.join(cell.left_out)})" if cell.left_out else ""
        lines.append(
            f"    {name:<{width}}  printed {printed:>7}  here {export.format_result(cell)}{left_out_note}"
        )
    return lines
