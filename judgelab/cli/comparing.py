"""`compare`, `means`: judges against one another, and means of systems."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from judgelab.analysis.comparison import random_sampling, system_means
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.analysis.comparison.measured_means import SystemMeans
from judgelab.analysis.comparison.stored_margin_notes import stored_margin_notes
from judgelab.analysis.data.filter_info import FilterInfo, ratings_text
from judgelab.analysis.data.scored_raters import template_versions
from judgelab.analysis.data.scores import IN_USE
from judgelab.cli import shared
from judgelab.cli.analysis import COEFFICIENT_HELP, Coefficient, Level
from judgelab.cli.shared import Decisions, Json
from judgelab.metaeval.coefficients.left_out import left_out, units_of_n
from judgelab.metaeval.core.result import Estimate

Criterion = Annotated[str | None, typer.Option(help="A criterion; required if the project has several.")]
Policy = Annotated[str, typer.Option(help="A saved quality filter, or `none`.")]


class Correction(StrEnum):
    """How p-values of several comparisons are corrected."""

    HOLM = "holm"
    BH = "bh"
    BY = "by"
    BONFERRONI = "bonferroni"
    NONE = "none"


class Significance(StrEnum):
    """Tests of no difference between two judges."""

    PERMUTATION = "permutation"
    PERM_BOTH = "perm_both"
    PERM_INPUTS = "perm_inputs"
    PERM_SYSTEMS = "perm_systems"
    PERM_CELL = "perm_cell"
    WILLIAMS = "williams"
    STEIGER = "steiger"
    MENG = "meng"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("compare")(compare)
    app.command("means")(means)


def compare(
    project: Annotated[str, typer.Argument(help="The project.")],
    raters: Annotated[list[str] | None, typer.Argument(help="Judges or metrics. Default: all.")] = None,
    baseline: Annotated[str | None, typer.Option(help="Compare all others with this one only.")] = None,
    level: Annotated[Level | None, typer.Option(help="As in `agreement`.")] = None,
    coefficient: Annotated[Coefficient | None, typer.Option(help=COEFFICIENT_HELP)] = None,
    criterion: Annotated[str | None, typer.Option(help="Only this criterion.")] = None,
    test: Annotated[
        Significance, typer.Option(help="Significance test of the differences.")
    ] = Significance.PERMUTATION,
    correction: Annotated[
        Correction, typer.Option(help="Correction of p values for several comparisons.")
    ] = Correction.HOLM,
    policy: Policy = IN_USE,
    comparisons: Annotated[
        bool, typer.Option(help="Compare choices between two responses, not scores.")
    ] = False,
    decisions: Decisions = False,
    as_json: Json = False,
) -> None:
    """Compare judges on the responses that all of them scored: differences, intervals, tests, clusters.

    If nobody rated single responses, choices between two are compared.
    """
    store = shared.store()
    result = compare_judges(
        store,
        project,
        raters=raters or None,
        baseline=baseline,
        level=shared.value_of(level),
        coefficient=shared.value_of(coefficient),
        criterion=criterion,
        test=test.value,
        correction=correction.value,
        policy=policy,
        decisions=decisions,
        comparisons=comparisons or None,
    )
    margins = stored_margin_notes(
        store, project, result.criteria if result.of_pairs else (), judges=result.raters
    )
    data = {
        **result.to_json(),
        "margin_notes": list(margins),
        "template_versions": template_versions(store, project),
    }
    shared.emit(data, as_json=as_json, text="\n".join([_comparison_text(result), *margins]))


def means(
    project: Annotated[str, typer.Argument(help="The project.")],
    judge: Annotated[
        str | None, typer.Argument(help="A judge or metric that scored everything. Default: raters only.")
    ] = None,
    criterion: Criterion = None,
    random: Annotated[
        bool | None,
        typer.Option(
            "--random/--not-random",
            help="Whether the items rated under the criterion are a random sample. Stored per criterion.",
        ),
    ] = None,
    policy: Policy = IN_USE,
    comparisons: Annotated[
        bool, typer.Option(help="Show win rates in comparisons of two responses, not means.")
    ] = False,
    decisions: Decisions = False,
    as_json: Json = False,
) -> None:
    """Show system means from raters, from a judge, and from both together (prediction-powered).

    If nobody rated single responses, win rates are shown.
    """
    store = shared.store()
    result = system_means.estimate_means(
        store,
        project,
        judge,
        criterion=criterion,
        at_random=random,
        policy=policy,
        decisions=decisions,
        comparisons=comparisons or None,
    )
    if random is not None:
        random_sampling.record_random_sampling(store, project, result.criterion, at_random=random)
    margins = stored_margin_notes(
        store, project, [result.criterion] if result.of_pairs else (), judges={result.judge}
    )
    data = {
        **result.to_json(),
        "margin_notes": list(margins),
        "template_versions": template_versions(store, project),
    }
    shared.emit(data, as_json=as_json, text="\n".join([_means_text(result), *margins]))


def _means_text(result: SystemMeans) -> str:
    heads = ["raters", *(["raters, judged", "judge alone", "both"] if result.judge else [])]
    units = "pairs" if result.of_pairs else "responses"
    counts = f"{units} rated{', rated and judged, judged only' if result.judge else ''}"
    lines = [f"{'system':<28} {' '.join(f'{head:>22}' for head in heads)}  {counts}"]
    for row in result.systems:
        mean = row.mean
        cells = [row.people, *([mean.human, mean.judge, mean.powered] if mean else [])]
        counts_shown = [
            row.rated_responses,
            *([row.scored_by_both, row.scored_by_judge_only] if mean else []),
        ]
        estimates = " ".join(f"{with_interval(cell):>22}" for cell in cells)
        lines.append(f"{row.system or '(no system)':<28} {estimates}  {', '.join(map(str, counts_shown))}")
    reasons = (row.mean.powered.reason for row in result.systems if row.mean is not None)
    reason = next(filter(None, reasons), None)
    notes = [*([f"Both: {reason}."] if reason else []), *_share_lines(result.share)]
    if result.of_pairs:
        notes.append("Each item counts once: rates are averaged within items. `trust` counts each pair once.")
    decided = shared.decided_lines(result.n_decided, of_pairs=result.of_pairs)
    return "\n".join([*lines, *notes, ratings_line(result.policy), *decided])


def _share_lines(share: Estimate | None) -> list[str]:
    if share is None:
        return []
    value = f"not given, {share.reason}" if share.value is None else with_interval(share)
    return [f"Share of right answers among those judged only (Rogan and Gladen), n={share.n:,}: {value}."]


def _comparison_text(result: Comparison) -> str:
    lines: list[str] = []
    for criterion in result.criteria.values():
        lost = f" ({criterion.lost} rated ones left out, not scored by all of them)" if criterion.lost else ""
        units = "pairs" if result.of_pairs else "responses"
        lines.append(
            f"{criterion.criterion}: {result.coefficient}, {result.level}, n={criterion.n:,} {units}{lost}"
        )
        for row in sorted(criterion.placed, key=lambda row: row.cluster or 99):
            cluster = "-" if row.cluster is None else row.cluster
            phrases = left_out(row.estimate, level=result.level, of_pairs=result.of_pairs)
            notes = "; ".join([f"n={units_of_n(result.level, row.estimate)}", *phrases])
            lines.append(f"  {cluster} {row.rater:<32} {with_interval(row.estimate)}  {notes}")
        for contrast in criterion.contrasts:
            p = contrast.test.adjusted
            p_value = f"p={p:z.4f}" if p is not None else f"not tested: {contrast.test.reason}"
            ahead = f", {contrast.better} is better" if contrast.better else ""
            pair = f"{contrast.first} - {contrast.second}"
            printed = replace(contrast.difference, value=criterion.printed_difference(contrast, 3))
            lines.append(f"    {pair:<44} {with_interval(printed)} {p_value}{ahead}")
        lines += [f"  left out: {name}: {reason}" for name, reason in criterion.left_out.items()]
    if not lines:
        return "No judge or metric has scored the responses that raters scored."
    tests = [f"{result.tests_description}."] if result.family else []
    tests.append(f"Agreement is with the {result.target}, not of all but one.")
    if any(row.cluster is not None for criterion in result.criteria.values() for row in criterion.placed):
        tests.insert(0, "First column: a new cluster starts where every judge above is significantly better.")
    if any(criterion.contrasts for criterion in result.criteria.values()):
        tests.append(shared.ROUNDED_DIFFERENCES)
    ratings = (
        "All comparisons are used (no filter)."
        if result.of_pairs and result.policy is None
        else ratings_line(result.policy)
    )
    decided = shared.decided_lines(result.n_decided, of_pairs=result.of_pairs)
    return "\n".join([*lines, *tests, ratings, *decided])


def ratings_line(policy: FilterInfo | None) -> str:
    """Return which ratings count."""
    return f"Ratings: {ratings_text(policy)}."


def with_interval(estimate: Estimate) -> str:
    """Return a value with its interval, or a dash."""
    if estimate.value is None:
        return "-"
    return f"{estimate.value:z.3f}{shared.interval(estimate.ci, digits=3)}"
