"""`jury`: combines judges and metrics into one rater."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.analysis.data.juries import make_jury
from judgelab.analysis.data.scores import NO_FILTER, project_scores
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.metrics import metrics
from judgelab.store.judging.unscored_counts import NONE_MISSING


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("jury")(jury)


def jury(
    project: str,
    name: Annotated[str, typer.Argument(help="The jury's name as a rater.")],
    members: Annotated[
        str, typer.Option(help='Judges, metrics or single runs ("run 3"), separated by commas.')
    ],
    way: Annotated[str, typer.Option(help="mean, median, majority or weights.")] = "mean",
    as_json: Json = False,
) -> None:
    """Combine judges and metrics into one rater; exit code 2 if some responses got no score."""
    names = [member.strip() for member in members.split(",") if member.strip()]
    stored = make_jury(shared.store(), project, name, members=names, way=way, metrics=metrics.names())
    data = project_scores(shared.store(), project, policy=NO_FILTER)
    scored = int((data.scores["rater"] == stored.name).sum())
    unscored = data.unscored.get(stored.name, NONE_MISSING).total
    output = {
        "jury": stored.name,
        "members": list(stored.members),
        "way": stored.combination,
        "own_scale": stored.own_scale,
        "scored": scored,
        "unscored": unscored,
    }
    line = f"{stored.name}: {way} of {', '.join(stored.members)}; {shared.counted(scored, 'score')}"
    shared.emit(output, as_json=as_json, text=f"{line}, {unscored:,} unscored" if unscored else line)
    if unscored:
        raise typer.Exit(shared.INCOMPLETE)
