"""`project criterion`: changing the scale of a criterion."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.imports.widening import widen_scale
from judgelab.scales import may_pass, scale_from_json
from judgelab.store.db import audit
from judgelab.store.projects.projects import find_project


def register(projects: typer.Typer) -> None:
    """Add the commands to those of `project`."""
    criteria = typer.Typer(no_args_is_help=True, help="Change criteria.")
    criteria.command("widen")(widen_command)
    criteria.callback()(_group_callback)
    projects.add_typer(criteria, name="criterion")


def _group_callback() -> None:
    """Change criteria."""


def widen_command(
    project: str,
    criterion: str,
    low: Annotated[float | None, typer.Option(help="The new lowest score.")] = None,
    high: Annotated[float | None, typer.Option(help="The new highest score.")] = None,
    cannot_judge: Annotated[
        bool, typer.Option("--cannot-judge", help="Let raters say that they cannot judge.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Extend a criterion's scale at its ends, or by "cannot judge"; existing scores are unchanged."""
    store = shared.store()
    widened = widen_scale(store, project, criterion, low=low, high=high, cannot_judge=cannot_judge)
    scale = dict(widened.criterion.scale)
    with store.writing() as session:
        info = find_project(session, project)
        detail = {"criterion": criterion, "scale": scale}
        audit.record(session, "changed_settings", project_id=info.id, detail=detail)
    for run in widened.runs:
        shared.say(f"run {run} has unscored replies; read them again with: judgelab run reparse {run}")
    reread = shared.counted(widened.read, "imported judgment")
    ends = f"{scale['low']:g} to {scale['high']:g}" if "low" in scale else scale_from_json(scale).describe()
    ends += ', or "cannot judge"' if may_pass(scale) else ""
    shared.emit(
        {"criterion": asdict(widened.criterion), "read": widened.read, "runs": list(widened.runs)},
        as_json=as_json,
        text=f"{criterion} now allows {ends}; {reread} without a score read again",
    )
