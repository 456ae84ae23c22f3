"""`agreement`: how far judges, metrics and raters agree, as on the page *Agree*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.agreement.label_sets import SetsOfCriterion
from judgelab.analysis.agreement.measured_agreement import AgreementTable
from judgelab.analysis.agreement.vs_ceiling import vs_ceiling_table
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.filter_info import AGGREGATION_LABELS, aggregate_name, ratings_text
from judgelab.analysis.data.scored_raters import template_versions
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.data.to_json import json_values
from judgelab.cli import shared
from judgelab.cli.quality import Aggregate
from judgelab.cli.shared import Decisions, Json
from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.agreement import AgreementRow
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.coefficients.left_out import left_out, units_of_n
from judgelab.metaeval.core.pairing import SYSTEM_LEVELS
from judgelab.metaeval.core.resampling import no_variation_reason, resamples_lost
from judgelab.metaeval.core.result import Estimate, no_interval_reason
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts

LEVEL_HELP = (
    "Default: `item` if raters rated three or more responses to some item, otherwise `none` (all pooled). "
    "Always pooled if all criteria are yes/no."
)
COEFFICIENTS_HELP = (
    "One or more. Default: spearman, pearson, kendall; if all criteria are yes/no, kappa before these."
)
COEFFICIENT_HELP = "Default: `spearman`, or `kappa` if all criteria are yes/no."
OWN_INTERVAL_BESIDE = (
    "A baseline's row gives the interval of that baseline; that of a difference from a baseline is of the "
    "best one, chosen anew in each resample, as on the page “Trust”."
)
TARGETS_NOTE = (
    "Judges are compared with the {aggregate} of all raters, raters with the {aggregate} of the other raters "
    "(--beside: judges too)"
)


class Level(StrEnum):
    """Levels of agreement."""

    NONE = "none"
    ITEM = "item"
    SYSTEM = "system"
    SYSTEM_PAIRED = "system_paired"
    SYS = "sys"
    GROUP = "group"


class Coefficient(StrEnum):
    """Coefficients of agreement."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    KENDALL = "kendall"
    QWK = "qwk"
    KAPPA = "kappa"
    ALPHA = "alpha"
    EXACT = "exact"
    MAE = "mae"
    ACC_EQ = "acc_eq"
    SOMERS = "somers"
    TAU_C = "tau_c"
    WEIGHTED_TAU = "weighted_tau"
    CCC = "ccc"
    KAPPA_LINEAR = "kappa_linear"


class ConstantGroups(StrEnum):
    """How a group in which the judge is constant counts."""

    ZERO = "zero"
    DROP = "drop"


class _RepeatCoefficientOption(TyperCommand):
    """Takes `--coefficient pearson spearman` for the option given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its values."""
        spread: list[str] = []
        inside = False
        for word in args:
            inside = word == "--coefficient" or (inside and word in set(Coefficient))
            if inside and word != "--coefficient" and spread[-1] != "--coefficient":
                spread.append("--coefficient")
            spread.append(word)
        return super().parse_args(ctx, spread)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("agreement", cls=_RepeatCoefficientOption)(agreement)


def agreement(
    project: Annotated[str, typer.Argument(help="The project.")],
    level: Annotated[Level | None, typer.Option(help=LEVEL_HELP)] = None,
    criterion: Annotated[str, typer.Option(help="Only this criterion, or `each`.")] = "each",
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    aggregate: Annotated[
        Aggregate | None, typer.Option(help="How ratings become one score. Default: as in the filter.")
    ] = None,
    decisions: Decisions = False,
    constant_groups: Annotated[
        ConstantGroups, typer.Option(help="Count a group in which a judge is constant as 0, or drop it.")
    ] = (ConstantGroups.ZERO),
    coefficient: Annotated[list[Coefficient] | None, typer.Option(help=COEFFICIENTS_HELP)] = None,
    beside: Annotated[
        bool,
        typer.Option(
            "--beside", help="Also compare judges with the score of all raters but one, as raters are."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show how far each judge and metric agrees with the raters, and the raters with each other."""
    store = shared.store()
    options: dict[str, Any] = {
        "policy": policy,
        "aggregate": shared.value_of(aggregate),
        "decisions": decisions,
        "criterion": None if criterion == "each" else criterion,
        "constant_groups": constant_groups.value,
    }
    table = agreement_table(
        store,
        project,
        level=shared.value_of(level),
        coefficients=[choice.value for choice in coefficient or ()],
        **options,
    )
    coefficients = dict.fromkeys(row.coefficient for row in table.ceiling if beside)
    vs_ceiling = [
        row
        for name in coefficients
        for row in vs_ceiling_table(store, project, level=table.ceiling[0].level, coefficient=name, **options)
    ]
    sets = table.label_sets
    rows = [*table.rows, *table.ceiling]
    note = saved_filters.lock_note(store, project)
    data = {
        "project": project,
        "filter": None if table.policy is None else table.policy.to_json(),
        "rows": [{**row.to_json(), **table.unscored_in(row).to_json()} for row in rows],
        "filter_note": note,
        "aggregate": table.aggregation.method,
        "decisions": table.n_decided,
        "unscored": {judge: missing.unscored for judge, missing in table.unscored.items()},
        "failed": {judge: missing.failed for judge, missing in table.unscored.items()},
        "cannot_judge": {
            "raters": dict(table.cannot_judge),
            "judges": {judge: missing.cannot_judge for judge, missing in table.unscored.items()},
        },
        "template_versions": template_versions(store, project),
        **({"beside": [row.to_json() for row in vs_ceiling]} if beside else {}),
        **({"label_sets": [json_values(found) for found in sets]} if sets else {}),
    }
    if all(row.rater_kind == BASELINE for row in table.rows):
        shared.say(_nothing_compared_note(table))
    if table.too_few_to_rank:
        shared.say(
            f"note: items have at most {table.rated_per_item} responses, so coefficients within an item can "
            "only be -1, 0 or 1; --level none pools all responses, as the page does"
        )
    shared.emit(
        data, as_json=as_json, text="\n".join([_agreement_text(table, note, vs_ceiling), *_sets_text(sets)])
    )


def _nothing_compared_note(table: AgreementTable) -> str:
    note = "note: no judge can be compared: a judge or metric and raters must have scored the same responses"
    if table.policy is not None:
        note += f", and the quality filter '{table.policy.name}' must keep the ratings (or use --policy none)"
    return note


def _agreement_text(table: AgreementTable, note: str, beside: Sequence[VsCeilingRow]) -> str:
    rule, compared_with = ratings_text(table.policy), aggregate_name(table.aggregation)
    lines = [_row_text(row, table.unscored_in(row)) for row in [*table.rows, *table.ceiling]]
    if beside:
        lines += ["", f"Compared with the {compared_with} of all raters but one, as raters are:"]
        lines += [f"{_row_text(row)}  {_difference_text(row)}" for row in beside]
    default = "mean" if table.policy is None else table.policy.policy.aggregate
    aggregation = (
        "" if table.aggregation.method == default else f", {AGGREGATION_LABELS[table.aggregation.method]}"
    )
    ties = "; ties are left out" if table.aggregation.leaves_ties_out else ""
    rows = [*table.rows, *table.ceiling]
    summed = any(row.criterion == AVERAGE and row.level in SYSTEM_LEVELS for row in rows)
    partly = any(row.criterion == AVERAGE and row.rater_kind == BASELINE for row in rows)
    shown = any(row.rater_kind == BASELINE and row.estimate.ci is not None for row in rows)
    own_interval = OWN_INTERVAL_BESIDE if beside else OWN_INTERVAL
    footer = [
        *(["Average: n counts each system or response once under each criterion."] if summed else []),
        *(["A baseline's average is over all criteria, also those with another best one."] if partly else []),
        *([] if beside or not table.ceiling else [f"{TARGETS_NOTE.format(aggregate=compared_with)}{ties}."]),
        *([own_interval] if shown else []),
        *([shared.ROUNDED_DIFFERENCES] if beside else []),
        f"Ratings: {rule}{aggregation}{_decisions_text(table.n_decided)}.",
        *([_passed_text(table.cannot_judge)] if table.cannot_judge else []),
        *([f"Quality filter: {note}."] if note else []),
    ]
    return "\n".join([*lines, *footer] if lines else lines)


def _sets_text(sets: Sequence[SetsOfCriterion]) -> list[str]:
    """Return a line for each judge and each label of its sets beside the raters' majority."""
    lines = []
    for found in sets:
        alpha = "undefined" if found.alpha is None else f"{found.alpha:z.4f}"
        lines += ["", f"Sets of labels, {found.criterion}: alpha of the raters (MASI) {alpha}"]
        for judge in found.judges:
            alike = f"Jaccard {_printed(judge.jaccard)}  equal {_printed(judge.exact)}"
            lines.append(f"{judge.judge:<32} {alike}  n={judge.n}")
            lines += [
                f"  {label.label:<30} kappa {_printed(label.kappa)}  F1 {_printed(label.f1)}  accuracy "
                f"{_printed(label.accuracy)}  TPR {_printed(label.true_positive_rate)}"
                for label in judge.labels
            ]
    return lines


def _printed(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    return f"{estimate.value:z.4f}{shared.interval(estimate.ci, digits=4)}"


def _passed_text(counts: Mapping[str, int]) -> str:
    """Return how many ratings say "cannot judge", by criterion."""
    named = ", ".join(f"{criterion} {n:,}" for criterion, n in counts.items())
    return f"Raters said “cannot judge” instead of giving a score: {named}. These are no ratings here."


def _decisions_text(count: int | None) -> str:
    return "" if count is None else f", {shared.counted(count, 'adjudicated score')} in place of ratings"


def _difference_text(row: VsCeilingRow) -> str:
    """Return the ceiling and the best baseline on the same responses, and the differences from them."""
    if row.difference.value is None:
        return f"difference from the raters undefined: {row.difference.reason}"
    difference = _signed_text(row.minus_raters(4), row.difference)
    text = f"raters on the same responses {row.raters.value:z.4f}, difference {difference}"
    best = row.baseline
    if best is None or best.difference.value is None:
        return text
    difference = _signed_text(row.minus_baseline(4), best.difference)
    return f"{text}; {best.rater} {best.estimate.value:z.4f}, difference {difference}"


def _signed_text(printed: float | None, difference: Estimate) -> str:
    return f"{printed:+z.4f}{shared.interval(difference.ci, sign='+')}"


def _row_text(row: AgreementRow | VsCeilingRow, unscored: UnscoredCounts = NONE_MISSING) -> str:
    estimate = row.estimate
    if estimate.value is None:
        value = f"undefined: {estimate.reason}"
    else:
        value = f"{estimate.value:z.4f}{shared.interval(estimate.ci)}"
    phrases = left_out(estimate, unscored.phrases(), level=row.level)
    if estimate.value is not None and (why := no_interval_reason(estimate)) is not None:
        phrases += [] if no_variation_reason(estimate) else [f"no interval: {why}"]
    if estimate.ci is not None and (lost := resamples_lost(estimate)):
        phrases.append(f"{lost:,} resamples without a value left out of the interval")
    notes = "; ".join(phrases)
    note = f"  ({notes})" if notes else ""
    start = f"{row.rater:<32} {row.criterion:<16} {row.level:<7} {row.coefficient:<9}"
    return f"{start} {value}  n={units_of_n(row.level, estimate)}{note}"
