"""Agreement of judges and metrics with the raters, and of the raters with one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from judgelab.analysis.agreement.measured_agreement import measure_agreement
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.agreement_table import AgreementTable
from judgelab.api.arguments import names_listed, one_each, whole_numbers
from judgelab.api.confidence import with_confidence
from judgelab.api.judges import check_sides, unrated_note
from judgelab.api.scores import of_criterion, scores_of
from judgelab.api.tables import Row, intervals_of
from judgelab.api.words import default_level, heading
from judgelab.errors import InvalidInput
from judgelab.metaeval.agreement.agreement import AgreementRow
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow, verdict
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.metaeval.core.confidence import interval_tail
from judgelab.metaeval.core.result import Estimate

KEYS = ("rater", "kind", "criterion", "level", "coefficient")
RATERS = "raters"  # the row of the raters themselves
TARGETS = ("all", "leave_one_out")


@overload
def agreement(
    data: Any,
    /,
    *,
    human: None = None,
    judge: None = None,
    level: str | None = None,
    coefficient: str | Sequence[str] | None = None,
    criterion: str | None = None,
    targets: str | None = None,
    filter: FilterPolicy | None = None,
    constant_groups: str = "zero",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    scale: Any = None,
) -> AgreementTable: ...
@overload
def agreement(
    data: None = None,
    /,
    *,
    human: Any,
    judge: Any,
    level: str | None = None,
    coefficient: str | Sequence[str] | None = None,
    criterion: str | None = None,
    targets: str | None = None,
    filter: FilterPolicy | None = None,
    constant_groups: str = "zero",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    scale: Any = None,
) -> Estimate: ...
@with_confidence
def agreement(
    data: Any = None,
    /,
    *,
    human: Any = None,
    judge: Any = None,
    level: str | None = None,
    coefficient: str | Sequence[str] | None = None,
    criterion: str | None = None,
    targets: str | None = None,
    filter: FilterPolicy | None = None,
    constant_groups: str = "zero",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    scale: Any = None,
) -> AgreementTable | Estimate:
    """Return how far each judge and metric agrees with the raters, beside the raters themselves.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        human: instead of `data`, the scores of one rater, with those of `judge`: one `Estimate` comes out.
        judge: the scores of one judge.
        level: "none" pools all responses; "item", "sys" and "group" average within items, systems and groups;
            "system" compares means of systems; "system_paired" on items that every system has. The default is
            "item" if raters rated three or more responses to some item, else "none".
        coefficient: one or more of pearson, spearman, kendall, qwk, kappa, kappa_linear, alpha, exact, mae,
            acc_eq, somers, tau_c, weighted_tau, ccc. The default suits the scale: spearman, or kappa for
            yes/no and labels.
        criterion: this criterion only.
        targets: "leave_one_out" compares judge and rater with the same raters, all but one, for each in turn;
            "all" compares the judge with all raters, and a rater with the others. The default is the former
            if any response has two ratings.
        filter: a quality filter, applied first.
        constant_groups: "zero" counts a group in which only the judge is constant as 0, "drop" leaves it out.
        confidence: level of the intervals, 0.95 for 95 %.
        n_resamples: resamples of the items for the intervals; 0 for none.
        seed: seed of the resampling.
        scale: with `human` and `judge`, their scale; inferred if not given.

    Returns:
        A table with one row a judge, metric and baseline, criterion and coefficient; with several criteria
        also their average. With "leave_one_out" each row has the raters' agreement on the same responses, the
        difference and, beside a trivial baseline, a verdict; of most scales that is the length of responses,
        for which their texts are needed. Correlations are from -1 to 1; ties count as the coefficient says;
        missing scores are left out and counted. An undefined value has a reason.

    Raises:
        InvalidInput: there is no judge or no rater, or an argument is unknown.

    Example:
        >>> import judgelab as jl
        >>> e = jl.agreement(human=[3, 1, 2, 5, 4], judge=[3, 2, 2, 4, 4], coefficient="pearson")
        >>> round(e.value, 3)
        0.949
    """
    if human is not None or judge is not None:
        others = {"data": data, "criterion": criterion, "targets": targets, "filter": filter}
        if name := next((name for name, value in others.items() if value is not None), None):
            raise InvalidInput(f"{name} does not go with human= and judge=; give these to jl.scores first.")
        return _of_two(
            human, judge, level=level, coefficient=coefficient, constant_groups=constant_groups,
            confidence=confidence, n_resamples=n_resamples, seed=seed, scale=scale,
        )  # fmt: skip
    given = scores_of(data, filter)
    check_sides(given)
    _check(targets)
    whole_numbers(n_resamples=n_resamples, seed=seed)
    one_each(level=level, criterion=criterion)
    part = of_criterion(given, criterion)
    tables = given._unit_tables(part)
    chosen = tuple(names_listed(coefficient, "coefficient", "pearson"))
    options: dict[str, Any] = {
        "level": level or given._data.level,
        "coefficients": chosen or given._data.defaults.coefficients[:1],
        "constant_groups": constant_groups,
        "seed": seed,
        "resamples": n_resamples,
    }
    scored = part.groupby("rater", observed=True)["score"].count()
    without = [name for name in given.judges if not scored.get(name, 0)]
    notes = [f"Left out, as they have no score: {', '.join(without)}."] if without else []
    notes += [*unrated_note(given, criterion), *default_level(level, options["level"])]
    comparable = any(len(table.humans.unit) > len(set(table.humans.unit)) for table in tables)
    if (targets or ("leave_one_out" if comparable else "all")) == "all":
        found = measure_agreement(given._data, part, tables, **options)
        return _table(given._data, found.rows, found.ceiling, "mean of all raters", options, notes)
    compared = compare_with_ceiling(
        part,
        scales=given._data.project.scales,
        aggregation=given._data.aggregation,
        own_scale=given._data.own_scale,
        tables=tables,
        **options,
    )
    target = "mean of all raters but one"
    return _table(given._data, compared.rows, compared.ceiling(), target, options, notes)


def _table(
    data: ProjectScores,
    rows: Sequence[AgreementRow | VsCeilingRow],
    ceiling: Sequence[AgreementRow],
    target: str,
    options: dict[str, Any],
    left_out: Sequence[str],
) -> AgreementTable:
    made = [Row(_names(row), row.estimate, _more(row, data)) for row in rows]
    made += [Row((RATERS, "human", *_names(row)[2:]), row.estimate) for row in ceiling]
    if data.aggregation.method != "mean":
        target = target.replace("mean", data.aggregation.method)
    filtered = "" if data.policy is None else ", after the filter"
    return AgreementTable(
        KEYS,
        tuple(made),
        heading(options["coefficients"][0], options["level"])
        if len(options["coefficients"]) == 1
        else "Agreement",
        (
            f"Judges are compared with the {target}{filtered}; {intervals_of(made)}.",
            *left_out,
            *map(str, left_out_of_rows(((row.rater, row.estimate) for row in rows), level=options["level"])),
        ),
        {"rows": _compared(rows), "ceiling": list(ceiling)},
    )


def _names(row: AgreementRow | VsCeilingRow) -> tuple[str, ...]:
    return row.rater, row.rater_kind, row.criterion, row.level, row.coefficient


def _more(row: AgreementRow | VsCeilingRow, data: ProjectScores) -> dict[str, Any]:
    if not isinstance(row, VsCeilingRow):
        return {}
    more: dict[str, Any] = {"raters": row.raters, "difference": row.difference}
    if row.baseline is not None and interval_tail() == 0.025:  # a verdict is on 95 % intervals
        scale = data.project.scales.get(row.criterion)
        found = verdict(row, width=1.0 if scale is None else scale.high - scale.low)
        more |= {"baseline": row.baseline.estimate, "verdict": found.replace("_", " ")}
    return more


def _compared(rows: Sequence[AgreementRow | VsCeilingRow]) -> list[VsCeilingRow]:
    from judgelab.metaeval.core.result import undefined

    none = undefined("no response has two ratings")
    return [
        row
        if isinstance(row, VsCeilingRow)
        else VsCeilingRow(
            row.rater, row.rater_kind, row.criterion, row.level, row.coefficient, row.estimate, none, none
        )
        for row in rows
    ]


def _check(targets: str | None) -> None:
    if targets is not None and targets not in TARGETS:
        raise InvalidInput(f"targets is '{targets}', but must be {' or '.join(TARGETS)}.")


def _of_two(
    human: Any, judge: Any, *, coefficient: Any, scale: Any, level: str | None, **options: Any
) -> Estimate:
    from judgelab.api.scores import scores

    if human is None or judge is None:
        raise InvalidInput("give both: jl.agreement(human=[…], judge=[…]).")
    if isinstance(judge, Mapping):
        raise InvalidInput("give one judge; for several call jl.agreement(jl.scores(human=…, judge={…})).")
    if coefficient is not None and not isinstance(coefficient, str):
        raise InvalidInput("with human and judge, name one coefficient.")
    table = agreement(
        scores(human=human, judge=judge, scale=scale),
        coefficient=coefficient,
        level=level or "none",
        targets="all",
        **options,
    )
    return table["judge"]
