"""`grid`: ablations, that is one judge with some of its settings varied."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.cli.study import plan_json, plan_lines
from judgelab.errors import InvalidInput, NotFound
from judgelab.options import split_pairs
from judgelab.replication.ablations import (
    AblationRow,
    common_words,
    delete_grid,
    format_settings,
    from_preset,
    grid_table,
    list_grids,
    of_own,
    plan_grid,
    save_grid,
    settings_of,
)
from judgelab.replication.material import load
from judgelab.replication.planning import start
from judgelab.replication.study_judges import ModelSource
from judgelab.store.projects.projects import find_project
from judgelab.studies import studies
from judgelab.wording import mark

Rated = Annotated[str | None, typer.Option(help="Run only on responses rated under this criterion.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Ablations: one judge with some of its settings varied.", no_args_is_help=True)
    group.command("add")(add)
    group.command("list")(list_command)
    group.command("show")(show)
    group.command("drop")(drop)
    app.add_typer(group, name="grid")


def add(
    project: str,
    ablation: Annotated[str, typer.Argument(help="An ablation of the paper, such as shots, or a protocol.")],
    model: Annotated[str, typer.Option(help="The model's name.")],
    endpoint: Annotated[str | None, typer.Option(help="The model's endpoint.")] = None,
    backend: Annotated[str | None, typer.Option(help="The backend, for judges without an endpoint.")] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE,VALUE; NAME: an option of the protocol, samples, or parameters.NAME."),
    ] = None,
    name: Annotated[str, typer.Option(help="The ablation's name. Default: made from the model's name.")] = "",
    as_json: Json = False,
) -> None:
    """Store an ablation of the project's paper, or your own with --vary."""
    store = shared.store()
    source = ModelSource(backend or "openai_api", endpoint, model)
    with store.reading() as session:
        study = find_project(session, project).study
    if vary:
        axes = {setting: _parse_values(values) for setting, values in split_pairs(vary).items()}
        grid = of_own(ablation, axes, source, name=name)
    elif study not in studies.names():
        raise InvalidInput(
            "this project follows no paper; name a protocol and what to vary: --vary NAME=1,2."
        )
    else:
        grid = from_preset(study, ablation, source, name=name)
    judges = len(settings_of(grid))
    saved = save_grid(store, project, grid)
    data = {"grid": saved.name, "judges": judges}
    shared.emit(data, as_json=as_json, text=f"{saved.name}: {shared.counted(judges, 'judge')}")


def list_command(project: str, as_json: Json = False) -> None:
    """List the project's ablations."""
    grids = list_grids(shared.store(), project)
    data = [
        {"grid": grid.name, "protocol": grid.protocol, "model": grid.model, "axes": dict(grid.axes)}
        for grid in grids
    ]
    lines = [
        f"{grid.name}: {grid.protocol}, {grid.model}; "
        + "; ".join(f"{setting} {', '.join(map(str, values))}" for setting, values in grid.axes)
        for grid in grids
    ]
    shared.emit(data, as_json=as_json, text="\n".join(lines) or "There are no ablations yet.")


def show(
    project: str,
    grid: Annotated[str, typer.Argument(help="The ablation's name, see `grid list`.")],
    level: Annotated[str, typer.Option(help="none, item, system, sys or group.")] = "",
    coefficient: Annotated[str, typer.Option(help="Default: the study's.")] = "",
    criterion: Annotated[str, typer.Option(help="Default: the only one, or the average.")] = "",
    missing: Annotated[bool, typer.Option("--missing", help="Estimate the missing runs.")] = False,
    begin: Annotated[bool, typer.Option("--start", help="Start all missing runs.")] = False,
    rated: Rated = None,
    as_json: Json = False,
) -> None:
    """Show each judge of an ablation and its agreement, on the responses that all of them scored.

    With --missing, estimate its missing runs; with --start, start them all.
    """
    store = shared.store()
    grids = {ablation.name: ablation for ablation in list_grids(store, project)}
    if grid not in grids:
        raise NotFound(mark("grid"), grid, list(grids))
    ablation = grids[grid]
    if missing or begin:
        plan = plan_grid(store, project, ablation, rated=rated)
        runs = start(store, project, plan.missing) if begin else []
        lines = plan_lines(plan)
        if begin:
            lines.append(f"  started: {', '.join(f'run {run}' for run in runs) or 'nothing'}")
        shared.emit({**plan_json(plan), "started": runs}, as_json=as_json, text="\n".join(lines))
        return
    material = load(store, project)
    study = studies.get(material.project.study) if material.project.study in studies.names() else None
    default_level = next((level for level in study.levels if level != "group"), "none") if study else "none"
    rows = grid_table(
        material,
        ablation,
        level=level or default_level,
        coefficient=coefficient or (study.coefficients[0] if study and study.coefficients else "spearman"),
        criterion=criterion,
    )
    text = "\n".join(filter(None, [*map(_row_text, rows), common_words(rows)]))
    shared.emit([row.to_json() for row in rows], as_json=as_json, text=text)


def drop(project: str, grid: str, as_json: Json = False) -> None:
    """Delete an ablation; its judges and their scores are kept."""
    delete_grid(shared.store(), project, grid)
    shared.emit({"dropped": grid}, as_json=as_json, text=f"deleted: {grid}")


def _parse_values(text: str) -> tuple[Any, ...]:
    """Return the comma-separated values, as numbers or booleans if they can be read so."""
    return tuple(_parse_value(part.strip()) for part in text.split(",") if part.strip())


def _parse_value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool) else text


def _row_text(row: AblationRow) -> str:
    estimate = row.estimate
    start = f"{format_settings(row.settings)}: "
    if estimate.value is None:
        return f"{start}{estimate.reason}"
    interval = shared.interval(estimate.ci, digits=3)
    notes = "; ".join([f"n = {estimate.n:,}", *row.left_out])
    return f"{start}{estimate.value:z.3f}{interval} ({notes}), {row.judge}"
