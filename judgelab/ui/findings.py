"""The findings of a project as sentences, computed from the same rows as the charts beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgelab.metaeval.beside import BesideRow
from judgelab.metaeval.result import AgreementRow, Estimate
from judgelab.ui import text

ERRORS = ("mae",)  # coefficients of which less is better
SYMBOLS = {
    "pearson": "r",
    "spearman": "ρ",
    "kendall": "τ-b",
    "qwk": "weighted κ",
    "kappa": "κ",
    "alpha": "α",
    "exact": "exact agreement",
    "mae": "mean error",
    "acc_eq": "pair accuracy",
}


def ranked(rows: Sequence[BesideRow] | Sequence[AgreementRow]) -> list[int]:
    """Return the places of the rows from the best to the worst, undefined ones last."""
    sign = 1 if rows and rows[0].coefficient in ERRORS else -1

    def key(place: int) -> tuple[bool, float, str]:
        value = rows[place].estimate.value
        return value is None, sign * (value or 0.0), rows[place].rater

    return sorted(range(len(rows)), key=key)


def agreement_answer(
    rows: Sequence[BesideRow], ceiling: Estimate | None, *, marks: Mapping[str, str] | None = None
) -> str:
    """Return the page's answer: the best judge beside the raters among themselves, as markdown.

    Args:
        rows: judges and metrics of one criterion, or of the average, beside the ceiling; where the raters
            cannot be compared with one another, the estimates against the mean of all raters.
        ceiling: how far the raters agree among themselves.
        marks: "scripted" or "imported" by the name of a judge that was not run here with a model.
    """
    kind = "judge" if any(row.rater_kind == "judge" for row in rows) else "metric"
    candidates = [row for row in rows if row.rater_kind == kind]
    if not candidates:
        return "No judge and no metric has scored what the raters scored."
    order = ranked(candidates)
    best = candidates[order[0]]
    if best.estimate.value is None:
        reason = text.plain(best.estimate.reason or "no value")
        return f"How far the {kind}s agree with the raters cannot be told: {reason}."
    mark = (marks or {}).get(best.rater)
    name = f"**{text.plain(best.rater)}** ({mark})" if mark else f"**{text.plain(best.rater)}**"
    said = f"{name}, {_place(candidates, order)}, "
    said += f"**agrees with the raters at {_value(best)}** {text.interval(best.estimate.ci)}"
    return f"{said}{_beside(best, ceiling)}"


def verdict(row: BesideRow) -> str:
    """Return where a rater stands beside the ceiling: "below", "above", or that it cannot be told."""
    ci = row.difference.ci
    if row.difference.value is None:
        return "no data"
    if ci is None:
        return "no interval"
    if ci[0] <= 0 <= ci[1]:
        return "not distinguishable"
    worse = ci[0] > 0 if row.coefficient in ERRORS else ci[1] < 0
    return "below" if worse else "above"


def groups_used(estimate: Estimate) -> str:
    """Return `98 of 100`: the groups that made the estimate; a dash where nothing was grouped.

    A group in which only the judge is constant is used where it counts as 0. Give an estimate against one
    target: against each rater left out in turn, every group would be counted once for each of them.
    """
    if estimate.groups_used is None:
        return text.MISSING
    lost = dict(estimate.groups_undefined)
    as_zero = lost.get("judge_constant", 0) if estimate.params.get("constant_groups") == "zero" else 0
    return f"{estimate.groups_used + as_zero:,} of {estimate.groups_used + sum(lost.values()):,}"


def matrix_finding(rater: str, *, same: int, near: int, total: int) -> str:
    """Return how often the rater gave the people's score; the name as it is, for an alternative text."""
    return (
        f"{rater}: same score as the raters' rounded mean on {text.share(same, total)}, "
        f"within one point on {text.share(near, total)}, n = {text.count(total)}."
    )


def recipe(estimate: Estimate, *, level: str, coefficient: str, ratings: str, constant_groups: str) -> str:
    """Return the line under the table: what the figures are made of."""
    grouped = level in ("item", "sys", "group")
    parts = [
        f"{text.COEFFICIENTS[coefficient]}, {text.LEVELS[level]}",
        "ties kept",
        f"{ratings}",
        "responses without a score of the rater left out of its row",
        f"n = {text.count(estimate.n)}",
    ]
    if grouped:
        parts.append(
            "a group in which only the judge is constant counts as 0"
            if constant_groups == "zero"
            else "groups with constant scores left out"
        )
    parts.append(
        estimate.ci_method if estimate.seed is None else f"{estimate.ci_method}, seed {estimate.seed}"
    )
    return "; ".join(parts)


def _value(row: BesideRow) -> str:
    return f"{SYMBOLS.get(row.coefficient, row.coefficient)} {text.number(row.estimate.value)}"


def _place(rows: Sequence[BesideRow], order: Sequence[int]) -> str:
    """Return how the first stands among its kind, without ranking those whose intervals overlap."""
    kind = rows[order[0]].rater_kind
    known = [place for place in order if rows[place].estimate.value is not None]
    among = f"{text.counted(len(known), kind)}{'' if len(known) == len(rows) else ' that can be compared'}"
    if len(known) == 1:
        return f"the only {among.removeprefix('1 ')}"
    first = rows[order[0]].estimate.ci
    close = [rows[place] for place in known[1:] if _overlap(first, rows[place].estimate.ci)]
    if not close:
        return f"the best of {among}"
    names = text.plain(text.listing([row.rater for row in close], limit=2))
    return f"the highest of {among}, its interval overlapping {names}"


def _overlap(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def _beside(best: BesideRow, ceiling: Estimate | None) -> str:
    n = f"n = {text.count(best.estimate.n)}"
    if ceiling is None or ceiling.value is None:
        why = ceiling.reason if ceiling and ceiling.reason else "no response has two raters"
        return f"; {n}. The raters cannot be compared with one another: {text.plain(why)}."
    among = f"; they among themselves at **{text.number(ceiling.value)}** {text.interval(ceiling.ci)}. "
    difference = best.difference
    if difference.value is None or difference.ci is None:
        return f"{among}{n.capitalize()}."
    written = f"{text.signed(difference.value, 2)} {text.interval(difference.ci)}"
    said = "could be chance" if verdict(best) == "not distinguishable" else f"is {verdict(best)} the raters"
    return f"{among}The difference, {written}, {said}; {n}."
