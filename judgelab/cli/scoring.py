"""`score`: scores responses with metrics."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.options import split_pairs
from judgelab.runs.metrics.scoring import MetricReport, score_project


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score_command)


def score_command(
    project: str,
    metrics: Annotated[list[str], typer.Argument(help="rouge1, rougeL, exact_match, length ...")],
    option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE, for example stemmer=true; bleu.NAME=VALUE for one metric."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Score every response with each metric; exit code 2 if some get no score.

    If the command is interrupted, run it again to continue.
    """
    options = split_pairs(option or ())
    report = score_project(shared.store(), project, metrics, options=options, tell=_progress())
    shared.emit(report.to_json(), as_json=as_json, text="\n".join(map(_metric_text, report.metrics)))
    if report.missing:
        raise typer.Exit(shared.INCOMPLETE)


def _progress() -> Callable[[int, int], None] | None:
    if not sys.stderr.isatty():
        return None

    def tell(done: int, total: int) -> None:
        end = "\n" if done == total else ""
        print(f"\r{done:,} of {shared.counted(total, 'score')}  ", end=end, file=sys.stderr, flush=True)

    return tell


def _metric_text(metric: MetricReport) -> str:
    left_out = "; ".join(f"{count:,} without a score: {reason}" for reason, count in metric.reasons.items())
    scored = f"{metric.metric}: {shared.counted(metric.scored, 'response')} scored"
    return f"{scored}; {left_out}" if left_out else scored
