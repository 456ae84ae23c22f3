"""`answers`: what raters answered to a project's questions beside the scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgelab.analysis.raters.question_answers import AnsweredQuestion, project_answers
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.metaeval.core.result import Estimate, printed_ends


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("answers")(answers)


def answers(
    project: Annotated[str, typer.Argument(help="The project.")],
    table: Annotated[
        Path | None, typer.Option(help="Write every answer to this CSV file, one row per answer.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show raters' answers to the project's questions: means, counts of options, agreement, free texts."""
    found = project_answers(shared.store(), project)
    if table is not None:
        table.write_text(found.to_csv(), encoding="utf-8")
    lines = [line for question in found.questions for line in _lines(question)]
    shared.emit(
        {"project": project, **found.to_json()},
        as_json=as_json,
        text="\n".join(lines) or "This project asks raters no questions beside the scores.",
    )


def _lines(asked: AnsweredQuestion) -> list[str]:
    question, found = asked.question, asked.statistics
    counts = f"n={found.n:,}, raters={found.raters:,}"
    lines = [f"{question.key} ({question.kind}): {question.text}  [{counts}]"]
    if found.not_fitting:
        lines.append(f"  {found.not_fitting:,} left out: given to a question of another kind")
    if found.mean is not None and found.median is not None:
        lines.append(f"  mean {found.mean:.4g}, median {found.median:.4g}")
    for option in found.options:
        alpha = f"  alpha (nominal) {_alpha(option.alpha)}" if option.alpha is not None else ""
        share = f"{option.share:.1%}" if found.n else "-"
        lines.append(f"  {option.option:<30} {option.n:>6,} {share:>7}{alpha}")
    if found.alpha is not None:
        level = "interval" if question.kind == "number" else "nominal"
        lines.append(f"  alpha ({level}) {_alpha(found.alpha)}")
    lines += [f"  {unit.item}, {unit.rater}: {unit.answers[question.key]}" for unit in asked.texts]
    return lines


def _alpha(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    return f"{estimate.value:z.4f}{printed_ends(estimate.ci, 2)}  n={estimate.n:,}"
