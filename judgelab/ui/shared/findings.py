"""A project's findings as sentences, computed from the same rows as the charts next to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from judgelab.languages import _, _n
from judgelab.metaeval.agreement import vs_ceiling_rows
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.left_out import counts_scores, counts_systems, units_of_n
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.arrays import rounded, stable_difference
from judgelab.metaeval.core.pairing import SYSTEM_LEVELS
from judgelab.metaeval.core.resampling import resamples_lost, without_lost
from judgelab.metaeval.core.result import AgreementRow, Estimate, no_interval_reason
from judgelab.ui.kit import text
from judgelab.wording import listed, mark

SYMBOLS = {
    "pearson": "r",
    "spearman": "ρ",
    "kendall": "τ-b",
    "qwk": mark("quadratic-weighted κ"),
    "kappa": "κ",
    "alpha": "α",
    "exact": mark("exact agreement"),
    "mae": mark("mean absolute error"),
    "acc_eq": mark("pair accuracy with ties"),
    "somers": "D",
    "tau_c": "τ-c",
    "weighted_tau": mark("top-weighted τ"),
    "ccc": mark("concordance"),
    "kappa_linear": mark("linearly weighted κ"),
}
LONGEST_LETTER = 3  # characters of a symbol that is a letter and not words, such as `τ-b`
AMOUNTS: Mapping[str, Callable[[int], str]] = {
    "responses": lambda n: _n("{n} response", "{n} responses", n),
    "systems": lambda n: _n("{n} system", "{n} systems", n),
    "items": lambda n: _n("{n} item", "{n} items", n),
    "pairs": lambda n: _n("{n} pair", "{n} pairs", n),
    "raters": lambda n: _n("{n} rater", "{n} raters", n),
}
# By level: how a group in which the row's scores are all equal counts.
COUNTS_AS_0 = {
    "item": mark(
        "An item in which all scores of the judge or metric are equal counts as 0, unless that is so in "
        "every item."
    ),
    "sys": mark(
        "A system for which all scores of the judge or metric are equal counts as 0, unless that is so for "
        "every system."
    ),
    "group": mark(
        "A group in which all scores of the judge or metric are equal counts as 0, unless that is so in "
        "every group."
    ),
}
CONSTANT_EXCLUDED = {
    "item": mark(
        "Items in which all scores of the raters, or all scores of the judge or metric, are equal are left "
        "out."
    ),
    "sys": mark(
        "Systems for which all scores of the raters, or all scores of the judge or metric, are equal are "
        "left out."
    ),
    "group": mark(
        "Groups in which all scores of the raters, or all scores of the judge or metric, are equal are left "
        "out."
    ),
}
VERDICTS = {
    vs_ceiling_rows.AS_GOOD: mark("no significant difference"),
    vs_ceiling_rows.UNCLEAR: mark("no significant difference"),
    vs_ceiling_rows.BELOW: mark("below"),
    vs_ceiling_rows.ABOVE: mark("above"),
    vs_ceiling_rows.NO_BETTER: mark("not significantly better than a baseline"),
}


def symbol(coefficient: str) -> str:
    """Return the symbol of a coefficient: `ρ`."""
    return _(SYMBOLS.get(coefficient, coefficient))


def symbol_heading(coefficient: str) -> str:
    """Return the symbol of a coefficient as the head of a column: `ρ`, but `Exact agreement`."""
    is_letter = len(SYMBOLS.get(coefficient, coefficient)) <= LONGEST_LETTER
    return symbol(coefficient) if is_letter else text.capitalised(symbol(coefficient))


def rank_order(rows: Sequence[VsCeilingRow] | Sequence[AgreementRow]) -> list[int]:
    """Return the indices of the rows from best to worst, undefined ones last."""
    sign = 1 if rows and rows[0].coefficient in ERRORS else -1

    def key(place: int) -> tuple[bool, float, str]:
        value = rows[place].estimate.value
        return value is None, sign * float(rounded(value or 0.0)), rows[place].rater

    return sorted(range(len(rows)), key=key)


def raters_elsewhere(row: VsCeilingRow, ceiling: Estimate) -> bool:
    """Return whether the raters' agreement in the judge's comparisons prints differently from the ceiling.

    With fewer responses, the interval may differ where the value is printed alike.
    """
    other_interval = row.on_fewer_responses(ceiling) and row.raters.ci is not None
    return row.raters_elsewhere(ceiling, digits=2) is not None or (
        other_interval and text.interval(row.raters.ci) != text.interval(ceiling.ci)
    )


def tied(first: Estimate, second: Estimate) -> bool:
    """Return whether two estimates have the same value, apart from floating-point noise."""
    if first.value is None or second.value is None:
        return False
    return not stable_difference(first.value, second.value)


def verdict(row: VsCeilingRow) -> str:
    """Return how a rater compares with the ceiling: "below", "above", or why that is unknown.

    The English words are for comparison; translate them with `_` for display.
    """
    if row.difference.value is None:
        return mark("no value")
    if row.difference.ci is None:
        return mark("no interval")
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


def matrix_finding(rater: str, *, same: Estimate, near: Estimate | None, by_mean: bool = True) -> str:
    """Return how often the rater gave the people's score, as plain text for a chart's description.

    `near` is None for a scale with two points, where every score is within one point. `by_mean` says whether
    the people's score is the mean of their ratings.
    """
    if near is None:
        return _(
            "{rater}: the raters' answer (that of most, the upper of a tie) on {same}, n = {total}.",
            rater=rater,
            same=text.share_with_interval(same.value, same.ci),
            total=same.n,
        )
    if not by_mean:
        return _(
            "{rater}: same score as the raters', rounded, on {same} of responses, within one point on "
            "{near}, n = {total}.",
            rater=rater,
            same=text.share_with_interval(same.value, same.ci),
            near=text.share_with_interval(near.value, near.ci),
            total=same.n,
        )
    return _(
        "{rater}: same score as the raters' rounded mean on {same} of responses, within one point on "
        "{near}, n = {total}.",
        rater=rater,
        same=text.share_with_interval(same.value, same.ci),
        near=text.share_with_interval(near.value, near.ci),
        total=same.n,
    )


def n_with_unit(level: str, estimate: Estimate) -> str:
    """Return `238`, at a level of systems' means `13 systems`, of a mean over criteria `699 scores`."""
    return _(units_of_n(level, estimate))


def amount(unit: str, n: int) -> str:
    """Return a number with what it counts, `172 items`."""
    return AMOUNTS[unit](n)


def n_label(level: str, estimates: Iterable[Estimate]) -> str:
    """Return the label of a column of n: where it may not count responses, what it counts."""
    estimates = list(estimates)
    if any(counts_scores(level, estimate) for estimate in estimates):
        return _("n (scores)")
    if level not in SYSTEM_LEVELS:
        return _("n")
    systems = any(counts_systems(level, estimate) for estimate in estimates)
    return _("n (systems)") if systems else _("n (responses)")


def _counts(level: str, estimates: Sequence[Estimate]) -> str:
    fewest, most = (choose(estimates, key=lambda estimate: estimate.n) for choose in (min, max))
    low, high = text.count(fewest.n), n_with_unit(level, most)
    return f"n = {high}" if fewest.n == most.n else _("n = {low} to {high}", low=low, high=high)


def recipe(
    rows: Mapping[str, Estimate], *, level: str, coefficient: str, ratings: str, constant_groups: str
) -> str:
    """Return the sentences under the table that say how the figures were computed.

    `rows` has each judge's or metric's estimate by its name. The method of the intervals is that of the
    first estimate that has one.
    """
    estimates = list(rows.values())
    counts = _counts(level, estimates)
    parts = [
        f"{text.capitalised(text.coefficient(coefficient))}, {text.level(level)}.",
        _("Ties are kept."),
        f"{text.capitalised(ratings)}.",
        _("A row leaves out responses that its judge or metric did not score; {counts}.", counts=counts),
    ]
    if any(counts_scores(level, estimate) for estimate in estimates):
        parts.append(_("n counts a response once under each criterion."))
    if level in ("item", "sys", "group"):
        parts.append(_((COUNTS_AS_0 if constant_groups == "zero" else CONSTANT_EXCLUDED)[level]))
    # Why there is no value is written above the table.
    without: dict[str, list[str]] = {}
    for name, estimate in rows.items():
        if estimate.value is not None and (reason := no_interval_reason(estimate)) is not None:
            without.setdefault(_(reason), []).append(name)
    measured = [estimate for estimate in estimates if estimate.ci is not None]
    if measured:
        lost = [resamples_lost(estimate) for estimate in measured]
        same = min(lost) == max(lost)
        method = _(measured[0].ci_method if same else without_lost(measured[0].ci_method))
        if (seed := measured[0].seed) is not None:
            method = _("{method}, seed {seed}", method=method, seed=str(seed))
        parts.append(_("Intervals: {method}.", method=method))
        if not same:
            lost_text = _(
                "Depending on the row, {low} to {high} of the resamples have no value.",
                low=min(lost),
                high=max(lost),
            )
            parts.append(lost_text)
    for why, names in without.items():
        if len(names) == len(rows):
            parts.append(_("There is no interval: {why}.", why=why))
        else:
            parts.append(_("There is no interval for {names}: {why}.", names=_(listed(names)), why=why))
    return " ".join(parts)
