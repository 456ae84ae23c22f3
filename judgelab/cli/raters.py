"""`raters`: pace, agreement and bias of each rater, and agreement among raters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from judgelab.analysis.agreement.inter_rater import inter_rater_agreement
from judgelab.analysis.agreement.measured_inter_rater import InterRaterAgreement
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.filter_info import FilterInfo, ratings_text
from judgelab.analysis.data.scores import IN_USE, NO_FILTER
from judgelab.analysis.raters.marked_errors import agreement_on_errors
from judgelab.analysis.raters.measured_kappas import RaterKappas, kappas_by_criterion
from judgelab.analysis.raters.rater_table import RaterRow, RaterTable, rater_table
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.raters.criterion_report import CriterionReport
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.core.result import Estimate, printed_ends
from judgelab.metaeval.raters.marked_errors import TITLES, ErrorAgreement
from judgelab.metaeval.raters.spamming import hardly_identified, not_converged

MISSING = "-"


class ComparedWith(StrEnum):
    """Which raters each rater is compared with."""

    KEPT = "kept"
    ALL = "all"


class Weights(StrEnum):
    """How much two points of the scale that differ still agree."""

    IDENTITY = "identity"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("raters")(raters)


def raters(
    project: Annotated[str, typer.Argument(help="The project.")],
    beside: Annotated[
        ComparedWith,
        typer.Option(help="Compare with the raters that the quality filter in use keeps, or with all."),
    ] = ComparedWith.KEPT,
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            help="Show the agreement among raters instead: fleiss, gwet, alpha_ordinal, icc_a, ... or `all`."
        ),
    ] = None,
    weights: Annotated[
        Weights, typer.Option(help="With --coefficient: weights of kappas and AC.")
    ] = Weights.IDENTITY,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs", help="Show kappa for each pair of raters instead; quadratic from three points on."
        ),
    ] = False,
    errors: Annotated[
        bool,
        typer.Option("--errors", help="Show the agreement about marked errors (MQM) instead."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show each rater's pace, agreement, bias, equal scores in a row, checks, repeats and oddities."""
    store = shared.store()
    policy = IN_USE if beside is ComparedWith.KEPT else NO_FILTER
    if pairs:
        scores = scores_or_comparisons(store, project, comparisons=None, policy=policy)
        kappas = list(kappas_by_criterion(scores).values())
        data = {"project": project, "criteria": [kappa.to_json() for kappa in kappas]}
        shared.emit(data, as_json=as_json, text=_pairs_text(kappas, scores.policy))
        return
    if errors:
        found = agreement_on_errors(store, project, policy=policy)
        marked = {key: agreement.to_json() for key, agreement in found.items()}
        shared.emit({"project": project, "criteria": marked}, as_json=as_json, text=_errors_text(found))
        return
    if coefficient:
        names = list(INTER_RATER_COEFFICIENTS) if coefficient == ["all"] else coefficient
        result = inter_rater_agreement(
            store, project, coefficients=names, weights=weights.value, policy=policy
        )
        shared.emit(
            {"project": project, **result.to_json()}, as_json=as_json, text=_coefficients_text(result)
        )
        return
    table = rater_table(store, project, compared_with=beside.value)
    shared.emit({"project": project, **table.to_json()}, as_json=as_json, text=_table_text(table))


def _coefficients_text(result: InterRaterAgreement) -> str:
    lines = []
    for criterion, estimates in result.criteria.items():
        for name, estimate in estimates.items():
            notes = "; ".join(left_out(estimate))
            note = f"  ({notes})" if notes else ""
            lines.append(f"{criterion:<16} {name:<18} {_value_text(estimate)}  n={estimate.n:,}{note}")
    methods = {e.ci_method for estimates in result.criteria.values() for e in estimates.values() if e.ci}
    return "\n".join([*lines, *_interval_lines(methods)]) or "There are no ratings yet."


def _pairs_text(kappas: Sequence[RaterKappas], policy: FilterInfo | None) -> str:
    lines = []
    for criterion in kappas:
        lines.append(f"{criterion.criterion}: kappa, {criterion.weights} weights")
        for pair in criterion.pairs:
            names = f"{pair.first} - {pair.second}"
            lines.append(f"  {names:<40} {_value_text(pair.estimate)}  n={pair.estimate.n:,}")
    if not lines:
        return "There are no ratings yet."
    methods = {
        pair.estimate.ci_method for criterion in kappas for pair in criterion.pairs if pair.estimate.ci
    }
    return "\n".join([*lines, *_interval_lines(methods), f"Ratings: {ratings_text(policy)}."])


def _errors_text(found: Mapping[str, ErrorAgreement]) -> str:
    lines = []
    for key, agreement in found.items():
        lines.append(f"{key}: {shared.counted(agreement.ratings, 'rating')}")
        lines += [f"  {kind}, {severity}: {n:,}" for (kind, severity), n in agreement.errors.items()]
        lines += [
            f"  F1 of marked characters, {TITLES[name].lower():<24} {_value_text(estimate)}  n={estimate.n:,}"
            for name, estimate in agreement.f1.items()
        ]
    methods = {e.ci_method for agreement in found.values() for e in agreement.f1.values() if e.ci}
    nothing = "No criterion has marked errors."
    return "\n".join([*lines, *_interval_lines(methods)]) or nothing


def _interval_lines(methods: Iterable[str]) -> list[str]:
    return [f"95 % intervals: {method}." for method in sorted(methods)]


def _table_text(table: RaterTable) -> str:
    if not table.rows:
        return "There are no ratings yet."
    head = f"{'rater':<20} {'criterion':<16} {'n':>5} {'r':>6} {'95 % interval':>15} {'offset':>7} {'s':>6}"
    has_spam = any(_spam(report) for line in table.rows for report in line.report.criteria.values())
    spam = f" {'P(spam), n':>12}" if has_spam else ""
    lines = [f"{head}{spam}  to check"]
    for line in table.rows:
        lines += _rater_lines(line, table.policy, with_spam=has_spam)
    lines += [_state_text(line) for line in table.rows if line.state not in ("active", "")]
    lines += _cohort_lines(table)
    beside = (
        "all raters"
        if table.filter_title is None
        else (f"the raters kept by {table.filter_title}; responses that it removes are included")
    )
    pairwise = table.policy.method == "pairwise"
    r = (
        "the mean of the correlations with the other raters, as in `quality`"
        if pairwise
        else "the correlation with the mean of the others"
    )
    lines.append(
        f"n counts ratings; r is {r}, on responses that both rated; offset is from the mean of the others. "
        f"Compared with {beside}. Warnings "
        "never remove a rater."
    )
    if has_spam:
        lines.append(
            "P(spam) is the probability that a rater gives a label without regard to the response (MACE), "
            "from all responses (or pairs) that two or more raters labelled; n counts the rater's labels."
        )
    reports = [report for line in table.rows for report in line.report.criteria.values()]
    for caution in (hardly_identified, not_converged):
        if note := caution(report.spamming for report in reports):
            lines.append(str(note))
    return "\n".join(lines)


def _rater_lines(line: RaterRow, rule: FilterPolicy, *, with_spam: bool) -> list[str]:
    report, lines = line.report, []
    pace = _number_text(report.pace.median.value, 0)
    for key, criterion in report.criteria.items():
        r = criterion.agreement(rule)
        words = [flag.word for flag in line.flags if flag.criterion in (None, key)]
        lines.append(
            f"{line.rater:<20} {key:<16} {criterion.ratings:>5} {_number_text(r.value, 2):>6} "
            f"{_interval_text(r):>15} {_number_text(criterion.offset.value, 2):>7} {pace:>6}"
            f"{f' {_spam(criterion) or MISSING:>12}' if with_spam else ''}  {', '.join(words)}"
        )
    return lines


def _spam(criterion: CriterionReport) -> str:
    """Return P(spam) and its n, or "" where MACE gives none."""
    found = criterion.spamming
    return "" if found.value is None else f"{found.value:.2f}, {found.n:,}"


def _cohort_lines(table: RaterTable) -> list[str]:
    cohorts: dict[str, list[str]] = {}
    for line in table.rows:
        if line.cohort:
            cohorts.setdefault(line.cohort, []).append(line.rater)
    return [f"Cohort {cohort}: {', '.join(names)}." for cohort, names in sorted(cohorts.items())]


def _state_text(line: RaterRow) -> str:
    since = f" since {line.over_since.isoformat(timespec='seconds')}" if line.over_since else ""
    return f"{line.rater}: {line.state.replace('_', ' ')}{since}."


def _value_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    return f"{estimate.value:z.4f} {_interval_text(estimate)}"


def _number_text(value: float | None, places: int) -> str:
    return MISSING if value is None else f"{value:.{places}f}"


def _interval_text(estimate: Estimate) -> str:
    return printed_ends(estimate.ci, 2).lstrip() or MISSING
