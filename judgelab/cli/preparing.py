"""The command that prepares what a study needs before judging."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from judgelab.analysis.disagreement.failure_modes import large_disagreements
from judgelab.cli import shared
from judgelab.options import split_pairs
from judgelab.preparation.step import prepare

MISSING = 2  # exit code: something could not be had


def register(app: typer.Typer) -> None:
    """Add `prepare`."""
    app.command("prepare")(prepare_command)


def prepare_command(
    project: str,
    what: Annotated[
        str,
        typer.Argument(
            help="references, labels, roles, demonstrations, steps, responses, tags or fine-tuning; some of "
            "several kinds (--option kind=...)."
        ),
    ],
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE: model, endpoint and those of the step.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write, choose or draw what judges need; exit code 2 if some of it could not be had."""
    outcome = prepare(
        shared.store(),
        project,
        what,
        split_pairs(option or ()),
        progress=_progress(),
        differences=large_disagreements,
    )
    shared.emit(dict(outcome.data), as_json=as_json, text="\n".join(outcome.lines))
    if outcome.missing:
        raise typer.Exit(MISSING)


def _progress() -> Any:
    if not sys.stderr.isatty():
        return None
    return lambda done, of: print(f"\r{done} of {of}  ", end="", file=sys.stderr, flush=True)
