"""Write choix's Bradley-Terry strengths and krippendorff's alphas of simulated data, to compare ours with.

    pip install choix==0.4.1 krippendorff==0.9.0
    python benchmarks/peer_choix_krippendorff.py tests/metaeval/choix_and_krippendorff.json

Both packages are needed for nothing else, so they are no dependencies. JudgeLab's prior is a pseudo-win each
way between every two compared systems; choix's `alpha` is another prior, so choix gets these pseudo-wins as
part of its table.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import choix
import krippendorff
import numpy as np
import numpy.typing as npt

LEVELS = ("nominal", "ordinal", "interval", "ratio")
PRIOR = 0.01
TOLERANCE = 1e-13
# By name: systems, comparisons, share of ties, share of pairs that are compared, whether one never loses.
COMPARED = {
    "five systems": (5, 400, 0.0, 1.0, False),
    "ties as halves": (8, 2_000, 0.3, 1.0, False),
    "half of the pairs compared": (12, 1_500, 0.0, 0.5, False),
    "one never loses": (6, 300, 0.0, 1.0, True),
}
# By name: units, raters, labels, share of labels given, how often a rater knows the unit's label.
LABELLED = {
    "choices of first, tie or second": (300, 3, 3, 1.0, 0.7),
    "four labels, gaps": (200, 6, 4, 0.5, 0.6),
    "two labels, by chance": (150, 2, 2, 1.0, 0.0),
    "nine labels, most missing": (400, 20, 9, 0.1, 0.5),
}


def wins(rng: np.random.Generator, name: str) -> npt.NDArray[np.float64]:
    """Return a table of wins (row over column), ties as half a win on both sides."""
    systems, count, ties, compared, never_loses = COMPARED[name]
    pairs = [pair for pair in combinations(range(systems), 2) if rng.random() < compared or 0 in pair]
    strength = rng.normal(size=systems)
    table = np.zeros((systems, systems))
    for number in rng.integers(0, len(pairs), count):
        first, second = pairs[number]
        chance = 1.0 if never_loses and first == 0 else 1 / (1 + np.exp(strength[second] - strength[first]))
        tie, first_wins = rng.random() < ties, rng.random() < chance
        table[first, second] += 0.5 if tie else float(first_wins)
        table[second, first] += 0.5 if tie else float(not first_wins)
    return table


def strengths(rng: np.random.Generator, name: str) -> dict[str, Any]:
    """Return a table of wins, the prior JudgeLab should use for it, and choix's strengths."""
    table = wins(rng, name)
    prior = PRIOR if COMPARED[name][4] else 0.0
    with_prior = table + prior * (table + table.T > 0)
    fitted = choix.ilsr_pairwise_dense(with_prior, tol=TOLERANCE, max_iter=10_000)
    return {"wins": table.tolist(), "prior": prior, "strength": (fitted - fitted.mean()).round(10).tolist()}


def alphas(rng: np.random.Generator, name: str) -> dict[str, Any]:
    """Return labels, a row of digits per rater with a dot where one is missing, and their alphas."""
    units, raters, labels, given, knows = LABELLED[name]
    truth = rng.integers(1, labels + 1, units)
    shape = (raters, units)
    said = np.where(rng.random(shape) < knows, truth, rng.integers(1, labels + 1, shape)).astype(float)
    said[rng.random(shape) >= given] = np.nan
    alpha = {
        level: round(float(krippendorff.alpha(reliability_data=said, level_of_measurement=level)), 10)
        for level in LEVELS
    }
    rows = ["".join("." if np.isnan(label) else str(int(label)) for label in row) for row in said]
    return {"labels": rows, "alpha": alpha}


def main(target: Path) -> None:
    """Write the file."""
    rng = np.random.default_rng(29)
    parts = [json.dumps({name: strengths(rng, name)})[1:-1] for name in COMPARED]
    more = [json.dumps({name: alphas(rng, name)})[1:-1] for name in LABELLED]
    content = (
        '{\n"choix": {\n' + ",\n".join(parts) + '\n},\n"krippendorff": {\n' + ",\n".join(more) + "\n}\n}\n"
    )
    target.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
