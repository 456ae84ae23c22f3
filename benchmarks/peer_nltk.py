"""Write nltk's MASI distances and Krippendorff alphas of simulated sets of labels, to compare ours with.

    pip install nltk==3.10.4
    python benchmarks/peer_nltk.py tests/metaeval/nltk_masi.json

nltk is needed for nothing else, so it is no dependency. Its distance of two empty sets is 0/0, so no two
ratings of a unit are both empty here, nor are two of the sets that the distances compare.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from nltk.metrics import AnnotationTask, masi_distance

# By name: units, raters, labels, share of the sets given, how often a rater knows whether a label applies.
RATED = {
    "three labels": (60, 3, 3, 1.0, 0.8),
    "five labels, gaps": (120, 5, 5, 0.7, 0.7),
    "nine labels, by chance": (80, 2, 9, 1.0, 0.0),
}


def members(number: int) -> frozenset[int]:
    """Return the labels of a set that is stored as a sum of powers of two."""
    return frozenset(place for place in range(9) if number >> place & 1)


def distances() -> list[list[float]]:
    """Return two sets of up to four labels and their distance, of all pairs but the two empty ones."""
    return [
        [one, other, round(masi_distance(members(one), members(other)), 10)]
        for one in range(16)
        for other in range(16)
        if one or other
    ]


def rated(rng: random.Random, name: str) -> dict[str, Any]:
    """Return the unit and the set of each rating, and nltk's alpha of them."""
    units, raters, labels, given, knows = RATED[name]
    triples: list[tuple[str, str, int]] = []
    for unit in range(units):
        truth = rng.randrange(1, 2**labels)
        for rater in range(raters):
            if rng.random() >= given:
                continue
            said = sum(
                2**place
                for place in range(labels)
                if (truth >> place & 1 if rng.random() < knows else rng.random() < 0.5)
            )
            triples.append((f"r{rater}", f"u{unit}", said or 1))
    several = [one for one in triples if sum(other[1] == one[1] for other in triples) > 1]
    task = AnnotationTask([(who, what, members(said)) for who, what, said in several], masi_distance)
    return {
        "unit": [int(what[1:]) for _, what, _ in several],
        "set": [said for *_, said in several],
        "alpha": round(task.alpha(), 10),
    }


def main() -> None:
    """Write the file named on the command line."""
    rng = random.Random(0)
    found = {"distances": distances(), "rated": {name: rated(rng, name) for name in RATED}}
    Path(sys.argv[1]).write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
