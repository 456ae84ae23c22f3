"""How a p-value was obtained, in words: the test, its smallest possible p, the correction."""

from __future__ import annotations

import math
from collections.abc import Iterable

from judgelab.metaeval.inference.significance import Test
from judgelab.wording import counted, joined, mark, sentence

MADE = {
    "paired_bootstrap": mark("paired bootstrap test over items"),
    "perm_both": mark("PERM-BOTH permutation test, judges and systems swapped"),
    "perm_inputs": mark("PERM-INPUTS permutation test, judges swapped by item"),
    "swapped_systems": mark("permutation test, systems swapped by item"),
    "swapped_systems_exact": mark("exact permutation test, systems swapped by item"),
    "swapped_systems_limit": mark("permutation test, systems swapped by item, in its normal approximation"),
    "perm_systems": mark("PERM-SYSTEMS permutation test, judges swapped by system"),
    "perm_cell": mark("permutation test, judges swapped by response"),
    "permutation": mark("permutation test"),
    "williams": mark("Williams test"),
    "steiger": mark("Steiger test"),
    "meng": mark("Meng, Rosenthal and Rubin test"),
    "mcnemar": mark("McNemar’s exact test"),
    "fisher": mark("Fisher’s exact test"),
    "binomial": mark("exact binomial test"),
    "cluster_robust": mark("t test, standard errors clustered by item"),
    "t": mark("one-sided t test"),
    "wilcoxon": mark("Wilcoxon’s signed-rank test"),
}
CORRECTED = {
    "holm": "Holm",
    "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli",
    "bonferroni": "Bonferroni",
}


def methods_of_tests(tests: Iterable[Test]) -> str:
    """Return the methods of the tests that have a p-value, each with its smallest possible p.

    Example: the smallest possible p of a permutation test of 999 permutations is 1/1,000; how far chance
    moves a p of 0.05 is the half width of its 95 % interval.
    """
    methods = dict.fromkeys((test.name, test.draws) for test in tests if test.p is not None)
    return joined([_method(name, drawn) for name, drawn in methods], "; ")


def correction_scope(correction: str, pairs: int, criteria: int) -> str:
    """Return which p-values were corrected together, and how.

    Args:
        correction: one of `multiplicity.CORRECTIONS`.
        pairs: how many tests the family has.
        criteria: how many criteria these are under.
    """
    if correction == "none":
        return sentence("p-values are not corrected for the number of tests")
    if pairs == 1:
        return sentence("there is only one test, so p is not corrected")
    return counted(
        "p-values are corrected jointly over all {tests} tests ({how})",
        "p-values are corrected jointly over all {tests} tests on {n} criteria ({how})",
        criteria, tests=f"{pairs:,}", how=CORRECTED[correction],
    )  # fmt: skip


def _method(name: str, drawn: int | None) -> str:
    words = sentence(MADE[name]) if name in MADE else name
    if drawn is None:
        return words
    return sentence(
        "{test} (smallest possible p 1/{n}; near 0.05, p is accurate to about ±{error})",
        test=words,
        n=drawn + 1,
        error=f"{1.96 * math.sqrt(0.05 * 0.95 / drawn):.3f}",
    )
