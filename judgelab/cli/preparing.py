"""`prepare`: what judges need before they run, such as references or panels of roles."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.analysis.disagreement.failure_modes import large_disagreements
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.options import split_pairs
from judgelab.preparation.step import prepare


def register(app: typer.Typer) -> None:
    """Add `prepare`."""
    app.command("prepare")(prepare_command)


def prepare_command(
    project: str,
    what: Annotated[
        str,
        typer.Argument(
            help="references, labels, roles, demonstrations, steps, responses, tags or fine-tuning; some "
            "have several kinds (--option kind=...)."
        ),
    ],
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE: model, endpoint and options of the step.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Generate, select or draw what judges need; exit code 2 if some of it could not be made."""
    outcome = prepare(
        shared.store(),
        project,
        what,
        split_pairs(option or ()),
        progress=shared.progress_line(lambda done, total: f"{done} of {total}"),
        differences=large_disagreements,
    )
    shared.emit(dict(outcome.data), as_json=as_json, text="\n".join(outcome.lines))
    if outcome.missing:
        raise typer.Exit(shared.INCOMPLETE)
