"""`trust`: whether a judge can replace raters, in sentences; `choices`, `strengths`: from comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from judgelab.analysis.comparison.choice_agreement import (
    ACCURACY,
    KAPPA,
    BaselineOfPairs,
    ChoiceAgreement,
    JudgeOfPairs,
    choice_agreement,
)
from judgelab.analysis.comparison.stored_margin_notes import stored_margin_notes
from judgelab.analysis.comparison.system_strengths import strength_table
from judgelab.analysis.data.compared_pairs import compared_criteria
from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.scored_raters import template_versions
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.analysis.trust.statements import meaning_of_as_good
from judgelab.analysis.trust.trust_table import QUESTIONS, TrustCell, table_json, trust_table
from judgelab.cli import shared
from judgelab.cli.analysis import COEFFICIENT_HELP, Coefficient, Level
from judgelab.cli.shared import Decisions, Json
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL
from judgelab.metaeval.core.result import Estimate


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("trust")(trust)
    app.command("choices")(choices)
    app.command("strengths")(strengths)


def trust(
    project: Annotated[str, typer.Argument(help="The project.")],
    judge: Annotated[str, typer.Argument(help="A judge, jury or metric.")],
    level: Annotated[Level | None, typer.Option(help="As in `agreement`.")] = None,
    coefficient: Annotated[Coefficient | None, typer.Option(help=COEFFICIENT_HELP)] = None,
    epsilon: Annotated[
        float, typer.Option(help="Lead allowed to a rater: 0.2 for experts, 0.1 for a crowd.")
    ] = 0.2,
    own_system: Annotated[
        list[str] | None, typer.Option(help="A system from the judge's own model family.")
    ] = None,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    comparisons: Annotated[
        bool, typer.Option(help="Measure choices between two responses, not scores.")
    ] = False,
    decisions: Decisions = False,
    as_json: Json = False,
) -> None:
    """Say whether a judge can replace the raters: its agreement, its biases and more.

    If nobody rated single responses, choices between two are measured.
    """
    store = shared.store()
    result = measure_trust(
        store,
        project,
        judge,
        level=shared.value_of(level),
        coefficient=shared.value_of(coefficient),
        epsilon=epsilon,
        own_systems=own_system or (),
        policy=policy,
        decisions=decisions,
        comparisons=comparisons or None,
    )
    table = trust_table(result)
    statements = trust_statements(result)
    margins = stored_margin_notes(store, project, result.criteria if result.of_pairs else (), judges={judge})
    lines = [
        f"{statement.text} ({statement.count_text})" if statement.n else statement.text
        for statement in statements
    ]
    data = {
        "answer": [statement.to_json() for statement in statements],
        "table": table_json(table),
        **result.to_json(),
        "margin_notes": list(margins),
        "template_versions": template_versions(store, project),
    }
    shared.emit(
        data,
        as_json=as_json,
        text="\n".join(
            [
                *lines,
                *_table_lines(table, result.labels),
                *([meaning_of_as_good(of_pairs=bool(result.of_pairs))] if table else []),
                shared.ROUNDED_DIFFERENCES,
                *margins,
                "All comparisons are used (no filter)."
                if result.of_pairs and result.policy is None
                else f"Ratings: {ratings_text(result.policy)}.",
                *shared.decided_lines(result.n_decided, of_pairs=result.of_pairs),
            ]
        ),
    )


def _table_lines(table: Mapping[str, Mapping[str, TrustCell]], labels: Mapping[str, str]) -> list[str]:
    """Return an empty line, then each criterion with its answers, one question a line."""
    lines = []
    for criterion, cells in table.items():
        lines.append(labels[criterion])
        for cell in cells.values():
            n = f" ({cell.count_text})" if cell.count_text else ""
            lines.append(f"  {QUESTIONS[cell.question]:<34} {cell.mark}{n}")
    return ["", *lines] if lines else []


def choices(
    project: Annotated[str, typer.Argument(help="The project.")],
    criterion: Annotated[str | None, typer.Option(help="Only this criterion.")] = None,
    decisions: Decisions = False,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    as_json: Json = False,
) -> None:
    """Show how often each judge makes the raters' majority choice, and each rater that of the others.

    A judge of single responses prefers the higher score. Scores within a margin are a tie; the margin is
    chosen on the pairs of the group `examples`, which are then left out.
    """
    store = shared.store()
    keys = (criterion,) if criterion else compared_criteria(store, project)
    tables = [
        choice_agreement(store, project, criterion=key, decisions=decisions, policy=policy)
        for key in keys or (None,)
    ]
    lines = [line for table in tables for line in _choice_lines(table)]
    data = {"project": project, "criteria": [table.to_json() for table in tables]}
    shared.emit(data, as_json=as_json, text="\n".join(lines))


def _choice_lines(table: ChoiceAgreement) -> Iterator[str]:
    raters = shared.counted(len(table.raters), "rater")
    yield f"{table.criterion}: {table.choices:,} choices in {table.pairs:,} pairs by {raters}"
    if table.policy is not None:
        yield f"  Raters' choices: {ratings_text(table.policy)}"
    if table.undecided:
        yield f"  {table.undecided:,} pairs have no majority of all raters and are left out against all"
    if table.n_decided is not None:
        decided = "pair is" if table.n_decided == 1 else "pairs are"
        yield f"  {table.n_decided:,} {decided} decided by adjudicators instead of the raters' majority"
    yield f"  {'':<40} exact agreement and kappa with all raters; exact agreement with all but one"
    yield _choice_line("raters (leave one out)", None, None, table.ceiling.get(ACCURACY))
    for judge in table.judges:
        name = f"{judge.name} (by its scores)" if judge.implied else judge.name
        yield _figures_line(name, judge)
        if judge.order is not None:
            yield (
                f"    first response preferred {_share(judge.order.first_rate)}, "
                f"same choice in both orders {_share(judge.order.consistency)}"
            )
            yield (
                f"    exact agreement where the raters' choice was shown first "
                f"{_share(judge.order.winner_first)}, second {_share(judge.order.winner_second)}"
            )
    for note in table.margin_notes:
        yield f"  {note}"
    for baseline in table.baselines:
        yield _figures_line(baseline.name, baseline)
    if any(table.accuracy(baseline).ci is not None for baseline in table.baselines):
        yield f"  {OWN_INTERVAL}"


def _figures_line(name: str, judge: JudgeOfPairs | BaselineOfPairs) -> str:
    found, beside = judge.with_majority, judge.vs_raters.get(ACCURACY)
    return _choice_line(name, found[ACCURACY], found[KAPPA], None if beside is None else beside.estimate)


def _choice_line(
    name: str, accuracy: Estimate | None, kappa: Estimate | None, beside: Estimate | None
) -> str:
    figures = [_share(accuracy), "" if kappa is None or kappa.value is None else f"{kappa.value:.2f}"]
    return f"  {name:<40} {figures[0]:<28} {figures[1]:<6} {_share(beside)}".rstrip()


def _share(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    return f"{estimate.value:.3f}{shared.interval(estimate.ci, digits=3)} n={estimate.n:,}"


def strengths(
    project: Annotated[str, typer.Argument(help="The project.")],
    criterion: Annotated[str | None, typer.Option(help="Only this criterion.")] = None,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    decisions: Decisions = False,
    as_json: Json = False,
) -> None:
    """Show systems' strengths (Bradley-Terry) from the raters' and from each judge's comparisons."""
    result = strength_table(shared.store(), project, criterion=criterion, policy=policy, decisions=decisions)
    lines = [] if result.policy is None else [f"Raters' choices: {ratings_text(result.policy)}"]
    lines += shared.decided_lines(result.n_decided, of_pairs=True)
    for row in result.rows:
        lines.append(f"{row.criterion}, {row.rater}: {row.comparisons:,} comparisons")
        by_strength = sorted(row.strengths.strength.items(), key=lambda pair: -(pair[1].value or 0.0))
        for name, estimate in by_strength:
            if estimate.value is None:
                lines.append(f"  {name:<32} undefined: {estimate.reason}")
                continue
            value = f"{estimate.value:6.2f}{shared.interval(estimate.ci)}"
            lines.append(f"  {name:<32} {value}  n={estimate.n:,}")
    text = (
        "\n".join(lines) if result.rows else "There are no comparisons of responses from different systems."
    )
    shared.emit(result.to_json(), as_json=as_json, text=text)
