"""How a methods section calls what a figure is and where it is measured."""

from __future__ import annotations

LEVELS = {
    "none": "over all responses pooled",
    "item": "within each item and then averaged over items",
    "system": "between the means of systems, each over all its responses",
    "system_paired": "between the means of systems over the items that every system answered",
    "sys": "within each system and then averaged over systems",
    "group": "within each group and then averaged over groups",
}
COEFFICIENTS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ-b",
    "qwk": "quadratic-weighted κ",
    "kappa": "Cohen's κ",
    "alpha": "Krippendorff's α",
    "exact": "the share of equal scores",
    "mae": "the mean absolute error",
    "acc_eq": "pairwise accuracy with ties",
    "somers": "Somers' D",
    "tau_c": "Stuart's τ-c",
    "weighted_tau": "top-weighted τ",
    "ccc": "the concordance correlation coefficient",
    "kappa_linear": "linearly weighted κ",
}
