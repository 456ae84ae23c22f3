"""The command that scores responses with metrics."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.options import split_pairs
from judgelab.runs.scoring import MetricReport, score_project

LEFT_OUT = 2


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score_command)


def score_command(
    project: str,
    metrics: Annotated[list[str], typer.Argument(help="rouge1, rougeL, exact_match, length ...")],
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE, for example stemmer=true.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Give every response a number of each metric; exit code 2 if some could get none."""
    report = score_project(shared.store(), project, metrics, options=split_pairs(option or ()))
    shared.emit(report.to_json(), as_json=as_json, text="\n".join(map(_sentence, report.metrics)))
    if report.missing:
        raise typer.Exit(LEFT_OUT)


def _sentence(one: MetricReport) -> str:
    left_out = "; ".join(f"{count:,} without: {reason}" for reason, count in one.reasons.items())
    scored = f"{one.metric}: {shared.counted(one.scored, 'response')} scored"
    return f"{scored}; {left_out}" if left_out else scored
