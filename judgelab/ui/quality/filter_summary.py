"""A filter in one sentence: what it removes."""

from __future__ import annotations

from judgelab.analysis.data import filter_info
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.ui.kit import text
from judgelab.ui.quality import filter_form
from judgelab.wording import mark

RATERS = {
    "pairwise": mark("raters with mean r below {threshold} ({passes}, minimum overlap {n})"),
    "loo": mark("raters with r with the others' mean below {threshold} ({passes}, minimum overlap {n})"),
}
RATERS_OF_LABELS = {
    "pairwise": mark("raters with mean κ below {threshold} ({passes}, minimum overlap {n})"),
    "loo": mark("raters with κ with the others' majority below {threshold} ({passes}, minimum overlap {n})"),
}


def filter_summary(policy: FilterPolicy, scale: Scale, *, compared: bool = False) -> str:
    """Return what a filter removes, such as `removes raters with mean r below 0.40 (…) and responses with …`.

    Where scores are not ordered it is κ instead of r; distances are in points of this scale.
    """
    units = _units(policy, scale, compared=compared)
    parts = [
        _("removes {raters} and {units}", raters=_raters(policy, scale), units=units)
        if units
        else _("removes {raters}", raters=_raters(policy, scale))
    ]
    if policy.aggregate != "mean":
        parts.append(_(filter_info.AGGREGATION_LABELS[policy.aggregate]))
    if policy.criterion != "each":
        parts.append(_("criterion {criterion}", criterion=policy.criterion))
    return ", ".join(parts)


def _raters(policy: FilterPolicy, scale: Scale) -> str:
    words = RATERS if scale.ordered else RATERS_OF_LABELS
    disagreeing = _(
        words[policy.method],
        threshold=f"{policy.threshold:z.2f}",
        passes=_(filter_form.PASSES[policy.passes]),
        n=policy.min_overlap,
    )
    if policy.control == "agreement":
        return disagreeing
    failing = _(
        "raters who fail the test of degraded copies (p < {alpha}, {test}, {copies} or more)",
        alpha=f"{policy.hit_alpha:g}",
        test=policy.hit_test,
        copies=policy.hit_pairs,
    )
    if policy.control == "hit":
        return failing
    return _("{failing}, then {disagreeing}", failing=failing, disagreeing=disagreeing)


def _units(policy: FilterPolicy, scale: Scale, *, compared: bool) -> str:
    """Return which responses or pairs are removed for their ratings; empty if none is."""
    fewest, distance = policy.min_annotations, policy.conflict_distance(scale)
    if compared:
        return (
            _n("pairs with fewer than {n} comparison", "pairs with fewer than {n} comparisons", fewest)
            if fewest > 1
            else ""
        )
    if distance is None:
        return (
            _n(
                "responses with fewer than {n} rating left",
                "responses with fewer than {n} ratings left",
                fewest,
            )
            if fewest > 1
            else ""
        )
    words = {"points": text.points(distance)}
    if policy.conflict_scope == "exactly_two":
        apart = _("responses with exactly two ratings, {points} or more apart", **words)
    else:
        apart = _("responses with ratings {points} or more apart", **words)
    if fewest < 2:
        return apart
    return _n(
        "{apart} or fewer than {n} rating left", "{apart} or fewer than {n} ratings left", fewest, apart=apart
    )
