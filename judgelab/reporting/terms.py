"""Words of a report: names of coefficients and levels, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

LEVEL_WORDS = {
    "none": "over all responses pooled",
    "item": "within each item and then averaged over items",
    "system": "between the means of systems, each over all its responses",
    "system_paired": "between the means of systems over the items that every system answered",
    "sys": "within each system and then averaged over systems",
    "group": "within each group and then averaged over groups",
}
SHORT_LEVEL_WORDS = {
    "none": "all pooled",
    "item": "within items",
    "system": "of system means",
    "system_paired": "of system means on common items",
    "sys": "within systems",
    "group": "within groups",
}
COEFFICIENT_NAMES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ-b",
    "qwk": "quadratic-weighted κ",
    "kappa": "Cohen's κ",
    "alpha": "Krippendorff's α",
    "exact": "exact agreement",
    "mae": "the mean absolute error",
    "acc_eq": "pairwise accuracy with ties",
    "somers": "Somers' D",
    "tau_c": "Stuart's τ-c",
    "weighted_tau": "top-weighted τ",
    "ccc": "the concordance correlation coefficient",
    "kappa_linear": "linearly weighted κ",
}


def coefficient_name(key: str) -> str:
    """Return a coefficient's name, or its key if it has none."""
    return COEFFICIENT_NAMES.get(key, key)


def coefficient_heading(key: str) -> str:
    """Return a coefficient's name as the head of a column: `Exact agreement`."""
    name = coefficient_name(key).removeprefix("the ")
    return f"{name[:1].upper()}{name[1:]}"


def join_names(names: Sequence[str], last: str = "and") -> str:
    """Return the names as a list in a sentence: "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def quoted(names: Iterable[str]) -> list[str]:
    """Return the names in quotation marks: in a sentence, a name such as "exact" may read like a word."""
    return [f"“{name}”" for name in names]


def rated_units(criteria: int) -> str:
    """Return what the filter counts, by the number of criteria: responses, or their pairs with criteria."""
    return "responses" if criteria == 1 else "response-criterion pairs"


def raters_each(counts: pd.Series[int]) -> str:
    """Return how many raters the units have: `3 raters`, or `2 or 3 raters (median 3)`."""
    least, most = int(counts.min()), int(counts.max())
    if least == most:
        return count_words(least, "rater")
    between = "or" if most == least + 1 else "to"
    return f"{least} {between} {most} raters (median {counts.median():g})"


def count_words(n: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: `1 rater`, `1,200 raters`."""
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"
