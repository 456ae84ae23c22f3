"""The findings of a project as sentences, computed from the same rows as the charts beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgelab.analysis.trust.agreement_statements import alone, alone_of
from judgelab.domain import BASELINE
from judgelab.languages import _, _n
from judgelab.metaeval.agreement import vs_ceiling_rows
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import AgreementRow, Estimate
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
    -1: mark("The difference, {difference}, places it below the raters; n = {n}."),
    1: mark("The difference, {difference}, places it above the raters; n = {n}."),
}
# Whether it surely agrees better than the best trivial baseline; and, of one that would be called as good as
# the raters, whether a baseline would be, too.
BASELINES = {
    "better": mark("It agrees better than {baseline}: {difference}."),
    "as_good": mark(
        "But {baseline} agrees with the raters as well as they do, too; beside it: {difference}."
    ),
    "no_better": mark("It does not measurably agree better than {baseline}: {difference}."),
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
    """Return how a coefficient is written before its value: `ρ`."""
    return _(SYMBOLS.get(coefficient, coefficient))


def ranked(rows: Sequence[VsCeilingRow] | Sequence[AgreementRow]) -> list[int]:
    """Return the places of the rows from the best to the worst, undefined ones last."""
    sign = 1 if rows and rows[0].coefficient in ERRORS else -1

    def key(place: int) -> tuple[bool, float, str]:
        value = rows[place].estimate.value
        return value is None, sign * (value or 0.0), rows[place].rater

    return sorted(range(len(rows)), key=key)


def agreement_answer(
    rows: Sequence[VsCeilingRow], ceiling: Estimate | None, *, marks: Mapping[str, str] | None = None
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
        return _("No judge and no metric has scored what the raters scored.")
    order = ranked(candidates)
    best = candidates[order[0]]
    if best.estimate.value is None:
        reason = text.plain(_(best.estimate.reason or mark("no value")))
        if kind == "judge":
            return _("How far the judges agree with the raters cannot be told: {why}.", why=reason)
        return _("How far the metrics agree with the raters cannot be told: {why}.", why=reason)
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
    return _beside(opening, best, ceiling, rows)


def verdict(row: VsCeilingRow) -> str:
    """Return where a rater stands beside the ceiling: "below", "above", or that it cannot be told.

    The words are English, to be compared; `_` translates them where they are shown.
    """
    if row.difference.value is None:
        return mark("no data")
    if row.difference.ci is None:
        return mark("no interval")
    if row.rater_kind == BASELINE:
        return mark("baseline")
    return VERDICTS[vs_ceiling_rows.verdict(row)]


def groups_used(estimate: Estimate) -> str:
    """Return `98 of 100`: the groups that made the estimate; a dash where nothing was grouped.

    A group in which only the judge is constant is used where it counts as 0. Give an estimate against one
    target: against each rater left out in turn, every group would be counted once for each of them.
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
    """Return how often the rater gave the people's score; the name as it is, for an alternative text.

    Without `near` there are two answers, of which every one is within a point of the other.
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


def recipe(estimate: Estimate, *, level: str, coefficient: str, ratings: str, constant_groups: str) -> str:
    """Return the line under the table: what the figures are made of."""
    parts = [
        f"{text.coefficient(coefficient)}, {text.level(level)}",
        _("ties kept"),
        ratings,
        _("responses without a score of the rater left out of its row"),
        _("n = {total}", total=estimate.n),
    ]
    if level in ("item", "sys", "group"):
        parts.append(
            _("a group in which only the judge is constant counts as 0")
            if constant_groups == "zero"
            else _("groups with constant scores left out")
        )
    method = _(estimate.ci_method)
    if estimate.seed is None:
        parts.append(method)
    else:
        parts.append(_("{method}, seed {seed}", method=method, seed=str(estimate.seed)))
    return "; ".join(parts)


def _place(rows: Sequence[VsCeilingRow], order: Sequence[int]) -> str:
    """Return how the first stands among its kind, without ranking those whose intervals overlap."""
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
    """Return those that can be compared: `3 judges`, and of a single one that it is the only."""
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


def _beside(opening: str, best: VsCeilingRow, ceiling: Estimate | None, rows: Sequence[VsCeilingRow]) -> str:
    """Return the answer: what was said first, and how the raters among themselves compare with it."""
    n = best.estimate.n
    if ceiling is None or ceiling.value is None:
        reason = ceiling.reason if ceiling and ceiling.reason else mark("no response has two raters")
        return _(
            "{first}; n = {n}. The raters cannot be compared with one another: {why}.",
            first=opening,
            n=text.count(n),
            why=text.plain(_(reason)),
        ) + _against_all(rows)
    answer = _(
        "{first}; they among themselves at **{ceiling}** {interval}.",
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
            "{first}; they among themselves at **{ceiling}** {interval}, on what it scored at {there}.",
            first=opening,
            ceiling=text.number(ceiling.value),
            interval=text.interval(ceiling.ci),
            there=text.number(raters_value),
        )
    chance = _(CHANCE[_side(best)], difference=_written(best.minus_raters(2), difference), n=text.count(n))
    return f"{answer} {chance}{_beside_baseline(best)}"


def _side(row: VsCeilingRow) -> int:
    """Return 1 where a rater surely lies above the raters, -1 below, 0 where that could be chance."""
    if row.difference.ci is None:
        return 0
    sign = -1 if row.coefficient in ERRORS else 1
    return sign * (int(row.difference.ci[0] > 0) - int(row.difference.ci[1] < 0))


def _beside_baseline(best: VsCeilingRow) -> str:
    """Return how it stands beside the best trivial baseline, with a blank before; nothing without one."""
    baseline = best.baseline
    name = None if baseline is None else alone(baseline)
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


def _against_all(rows: Sequence[VsCeilingRow]) -> str:
    """Return what the best trivial baseline comes to against the mean of all raters, a blank before."""
    baselines = [row for row in rows if row.rater_kind == BASELINE and row.estimate.value is not None]
    if not baselines:
        return ""
    best = baselines[ranked(baselines)[0]]
    return " " + _("For comparison: {baseline}.", baseline=_(alone_of(best.rater, best.estimate)))


def _written(printed: float | None, difference: Estimate) -> str:
    return f"{text.signed(printed, 2)} {text.interval(difference.ci)}"
