"""A project's findings as sentences, computed from the same rows as the charts next to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgelab.analysis.trust.agreement_statements import baseline_phrase, baseline_row_phrase
from judgelab.domain import BASELINE
from judgelab.languages import _, _n
from judgelab.metaeval.agreement import vs_ceiling_rows
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import AgreementRow, Estimate, no_interval_reason
from judgelab.ui.kit import text
from judgelab.wording import mark

SYMBOLS = {
    "pearson": "r",
    "spearman": "ρ",
    "kendall": "τ-b",
    "qwk": mark("weighted κ"),
    "kappa": "κ",
    "alpha": "α",
    "exact": mark("exact agreement"),
    "mae": mark("mean error"),
    "acc_eq": mark("pair accuracy"),
    "somers": "D",
    "tau_c": "τ-c",
    "weighted_tau": mark("top-weighted τ"),
    "ccc": mark("concordance"),
    "kappa_linear": mark("linear κ"),
}
CHANCE = {
    0: mark("The difference, {difference}, could be chance; n = {n}."),
    -1: mark("The difference, {difference}, is significant: it is below the raters; n = {n}."),
    1: mark("The difference, {difference}, is significant: it is above the raters; n = {n}."),
}
# Whether the rater agrees significantly better than the best trivial baseline; and, if it matches the
# raters, whether a baseline matches them as well.
BASELINES = {
    "better": mark("It is measurably better than {baseline}: {difference}."),
    "as_good": mark(
        "However, {baseline} agrees with the raters as well as they agree with one another: {difference}."
    ),
    "no_better": mark("It is not measurably better than {baseline}: {difference}."),
}
VERDICTS = {
    vs_ceiling_rows.AS_GOOD: mark("not distinguishable"),
    vs_ceiling_rows.UNCLEAR: mark("not distinguishable"),
    vs_ceiling_rows.BELOW: mark("below"),
    vs_ceiling_rows.ABOVE: mark("above"),
    vs_ceiling_rows.NO_BETTER: mark("no better than a baseline"),
}


ONLY = {
    ("judge", True): mark("the only judge"),
    ("judge", False): mark("the only judge that can be compared"),
    ("metric", True): mark("the only metric"),
    ("metric", False): mark("the only metric that can be compared"),
}


def symbol(coefficient: str) -> str:
    """Return the symbol of a coefficient: `ρ`."""
    return _(SYMBOLS.get(coefficient, coefficient))


def rank_order(rows: Sequence[VsCeilingRow] | Sequence[AgreementRow]) -> list[int]:
    """Return the indices of the rows from best to worst, undefined ones last."""
    sign = 1 if rows and rows[0].coefficient in ERRORS else -1

    def key(place: int) -> tuple[bool, float, str]:
        value = rows[place].estimate.value
        return value is None, sign * (value or 0.0), rows[place].rater

    return sorted(range(len(rows)), key=key)


def agreement_answer(
    rows: Sequence[VsCeilingRow], ceiling: Estimate | None, *, marks: Mapping[str, str] | None = None
) -> str:
    """Return the page's answer as markdown: the best judge compared with the raters' own agreement.

    Args:
        rows: judges and metrics under one criterion, or on average, compared with the ceiling; if the raters
            cannot be compared with one another, the estimates against the mean of all raters.
        ceiling: the agreement among the raters.
        marks: "scripted" or "imported" by name, for judges that were not run here with a model.
    """
    kind = "judge" if any(row.rater_kind == "judge" for row in rows) else "metric"
    candidates = [row for row in rows if row.rater_kind == kind]
    if not candidates:
        return _("No judge or metric has scored the responses that raters rated.")
    order = rank_order(candidates)
    best = candidates[order[0]]
    if best.estimate.value is None:
        reason = text.plain(_(best.estimate.reason or mark("no value")))
        if kind == "judge":
            return _("The judges' agreement with the raters can't be computed: {why}.", why=reason)
        return _("The metrics' agreement with the raters can't be computed: {why}.", why=reason)
    judge_mark = (marks or {}).get(best.rater)
    name = (
        f"**{text.plain(best.rater)}** ({_(judge_mark)})" if judge_mark else f"**{text.plain(best.rater)}**"
    )
    opening = _(
        "{name}, {place}, **agrees with the raters at {value}** {interval}",
        name=name,
        place=_place(candidates, order),
        value=f"{symbol(best.coefficient)} {text.number(best.estimate.value)}",
        interval=text.interval(best.estimate.ci),
    )
    return _compared_with_raters(opening, best, ceiling, rows)


def verdict(row: VsCeilingRow) -> str:
    """Return how a rater compares with the ceiling: "below", "above", or why that is unknown.

    The English words are for comparison; translate them with `_` for display.
    """
    if row.difference.value is None:
        return mark("no data")
    if row.difference.ci is None:
        return mark("no interval")
    if row.rater_kind == BASELINE:
        return mark("baseline")
    return VERDICTS[vs_ceiling_rows.verdict(row)]


def groups_used(estimate: Estimate) -> str:
    """Return how many groups were used for the estimate, `98 of 100`; a dash if nothing was grouped.

    A group in which only the judge is constant counts as used if its value is set to 0. The estimate must be
    against a single target: with each rater left out in turn, every group would be counted once per rater.
    """
    if estimate.groups_used is None:
        return text.MISSING
    undefined = dict(estimate.groups_undefined)
    as_zero = undefined.get("judge_constant", 0) if estimate.params.get("constant_groups") == "zero" else 0
    return _(
        "{part} of {whole}",
        part=estimate.groups_used + as_zero,
        whole=estimate.groups_used + sum(undefined.values()),
    )


def matrix_finding(rater: str, *, same: Estimate, near: Estimate | None) -> str:
    """Return how often the rater gave the people's score, as plain text for a chart's description.

    `near` is None for a scale with two points, where every score is within one point.
    """
    if near is None:
        return _(
            "{rater}: the raters' answer (that of most, the upper of a tie) on {same}, n = {total}.",
            rater=rater,
            same=text.share_with_interval(same.value, same.ci),
            total=same.n,
        )
    return _(
        "{rater}: same score as the raters' rounded mean on {same}, within one point on {near}, n = {total}.",
        rater=rater,
        same=text.share_with_interval(same.value, same.ci),
        near=text.share_with_interval(near.value, near.ci),
        total=same.n,
    )


def recipe(
    estimates: Sequence[Estimate], *, level: str, coefficient: str, ratings: str, constant_groups: str
) -> str:
    """Return the line under the table that says how the figures were computed, by the first of them."""
    estimate, counts = estimates[0], [estimate.n for estimate in estimates]
    low, high = text.count(min(counts)), text.count(max(counts))
    parts = [
        f"{text.coefficient(coefficient)}, {text.level(level)}",
        _("ties kept"),
        ratings,
        _("responses without a score of the rater excluded from its row"),
        f"n = {low}" if low == high else _("n = {low} to {high}", low=low, high=high),
    ]
    if level in ("item", "sys", "group"):
        parts.append(
            _("a group in which all of the judge's scores are equal counts as 0")
            if constant_groups == "zero"
            else _("groups with constant scores excluded")
        )
    why = no_interval_reason(estimate)
    method = _(estimate.ci_method) if why is None else _("no interval: {why}", why=_(why))
    if estimate.seed is None:
        parts.append(method)
    else:
        parts.append(_("{method}, seed {seed}", method=method, seed=str(estimate.seed)))
    return "; ".join(parts)


def _place(rows: Sequence[VsCeilingRow], order: Sequence[int]) -> str:
    """Return the best rater's position among its kind, without ranking overlapping intervals."""
    comparable = [place for place in order if rows[place].estimate.value is not None]
    group = _among(rows[order[0]].rater_kind, len(comparable), every=len(comparable) == len(rows))
    if len(comparable) == 1:
        return group
    best_interval = rows[order[0]].estimate.ci
    overlapping = [
        rows[place] for place in comparable[1:] if _overlap(best_interval, rows[place].estimate.ci)
    ]
    if not overlapping:
        return _("the best of {among}", among=group)
    names = text.plain(text.listing([row.rater for row in overlapping], limit=2))
    return _("the highest of {among}, its interval overlapping {names}", among=group, names=names)


def _among(kind: str, count: int, *, every: bool) -> str:
    """Return how many raters can be compared, `3 judges`, or that there is only one."""
    if count == 1:
        return _(ONLY[kind, every])
    if kind == "judge":
        if every:
            return _n("{n} judge", "{n} judges", count)
        return _n("{n} judge that can be compared", "{n} judges that can be compared", count)
    if every:
        return _n("{n} metric", "{n} metrics", count)
    return _n("{n} metric that can be compared", "{n} metrics that can be compared", count)


def _overlap(first: tuple[float, float] | None, second: tuple[float, float] | None) -> bool:
    return first is not None and second is not None and first[0] <= second[1] and second[0] <= first[1]


def _compared_with_raters(
    opening: str, best: VsCeilingRow, ceiling: Estimate | None, rows: Sequence[VsCeilingRow]
) -> str:
    """Return the opening followed by the comparison with the raters' own agreement."""
    n = best.estimate.n
    if ceiling is None or ceiling.value is None:
        reason = ceiling.reason if ceiling and ceiling.reason else mark("no response has two raters")
        return _(
            "{first}; n = {n}. The raters' own agreement can't be computed: {why}.",
            first=opening,
            n=text.count(n),
            why=text.plain(_(reason)),
        ) + _baseline_against_all(rows)
    answer = _(
        "{first}; the raters agree with one another at **{ceiling}** {interval}.",
        first=opening,
        ceiling=text.number(ceiling.value),
        interval=text.interval(ceiling.ci),
    )
    difference = best.difference
    if difference.value is None or difference.ci is None:
        return f"{answer} {_('N = {n}.', n=text.count(n))}"
    raters_value = best.raters_elsewhere(ceiling, digits=2)
    if raters_value is not None:
        answer = _(
            "{first}; on these responses, the raters agree with one another at **{there}** (on all at "
            "{ceiling} {interval}).",
            first=opening,
            ceiling=text.number(ceiling.value),
            interval=text.interval(ceiling.ci),
            there=text.number(raters_value),
        )
    chance = _(CHANCE[_side(best)], difference=_written(best.minus_raters(2), difference), n=text.count(n))
    return f"{answer} {chance}{_compared_with_baseline(best)}"


def _side(row: VsCeilingRow) -> int:
    """Return 1 if a rater is significantly above the raters, -1 if below, 0 if it could be chance."""
    if row.difference.ci is None:
        return 0
    sign = -1 if row.coefficient in ERRORS else 1
    return sign * (int(row.difference.ci[0] > 0) - int(row.difference.ci[1] < 0))


def _compared_with_baseline(best: VsCeilingRow) -> str:
    """Return the comparison with the best trivial baseline after a space; empty without one."""
    baseline = best.baseline
    name = None if baseline is None else baseline_phrase(baseline)
    if baseline is None or name is None or baseline.difference.value is None:
        return ""
    if vs_ceiling_rows.beats_baseline(best):
        comparison = "better"
    else:
        matches_raters = vs_ceiling_rows.verdict(
            best
        ) == vs_ceiling_rows.NO_BETTER and vs_ceiling_rows.baseline_matches_raters(best)
        comparison = "as_good" if matches_raters else "no_better"
    difference = _written(best.minus_baseline(2), baseline.difference)
    return f" {_(BASELINES[comparison], baseline=_(name), difference=difference)}"


def _baseline_against_all(rows: Sequence[VsCeilingRow]) -> str:
    """Return the best trivial baseline's agreement with the mean of all raters, after a space."""
    baselines = [row for row in rows if row.rater_kind == BASELINE and row.estimate.value is not None]
    if not baselines:
        return ""
    best = baselines[rank_order(baselines)[0]]
    return " " + _("For comparison: {baseline}.", baseline=_(baseline_row_phrase(best.rater, best.estimate)))


def _written(printed: float | None, difference: Estimate) -> str:
    return f"{text.signed(printed, 2)} {text.interval(difference.ci)}"
