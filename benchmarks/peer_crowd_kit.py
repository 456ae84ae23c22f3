"""Write the posteriors of crowd-kit's MACE on simulated labels, which JudgeLab's are compared with.

    pip install crowd-kit==1.4.2
    python benchmarks/peer_crowd_kit.py tests/metaeval/crowd_kit_mace.json SETS

`SETS` is the folder of the verification data (docs/datasets.md); the patients of Dawid and Skene (1979) come
from there, and the file has only crowd-kit's posteriors of them. crowd-kit is needed for nothing else, so it
is no dependency. Version 1.4.2 starts all its restarts with the same values, so one is enough. It numbers
raters and labels by their first row in one of its tables and by name in another: only if both orders are
equal are its results those of the method. The rows are sorted so that they are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from crowdkit.aggregation.classification.mace import MACE

NO_LABEL = "."
Table = npt.NDArray[np.int64]
# By name: units, classes, share of labels given, and how often each rater knows the class.
SIMULATED = {
    "yes or no, two spammers": (200, 2, 1.0, (0.9, 0.8, 0.7, 0.05, 0.05)),
    "four classes, gaps": (200, 4, 0.5, (0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.1, 0.0)),
    "three classes, few raters": (200, 3, 0.9, (0.8, 0.6, 0.3)),
}


def simulated() -> Iterator[tuple[str, Table]]:
    """Yield tables of labels by name: units in rows, raters in columns, -1 without a label."""
    rng = np.random.default_rng(41)
    for name, (units, classes, given, competence) in SIMULATED.items():
        truth = rng.integers(0, classes, (units, 1))
        habits = rng.dirichlet(np.ones(classes), len(competence))
        spam = np.stack([rng.choice(classes, units, p=habit) for habit in habits], axis=1)
        shape = spam.shape
        labels = np.where(rng.uniform(size=shape) < competence, truth, spam)
        yield name, np.where(rng.uniform(size=shape) < given, labels, -1)


def fitted(rows: pd.DataFrame) -> dict[str, Any]:
    """Return crowd-kit's starting values and posteriors for rows of task, worker and label, all numbers."""
    rows = rows.sort_values(["label", "worker", "task"])
    for column in ("worker", "label"):
        assert rows[column].drop_duplicates().is_monotonic_increasing, column
    raters, classes = rows["worker"].nunique(), rows["label"].nunique()
    start, model = MACE(), MACE(n_restarts=1)
    start._initialize(raters, classes)
    posterior = model.fit_predict_proba(rows).sort_index().sort_index(axis=1)
    return {
        "spamming": start.spamming_.round(12).tolist(),
        "habits": start.thetas_.round(12).tolist(),
        "posterior": posterior.to_numpy().round(8).tolist(),
    }


def main(target: Path, sets: Path) -> None:
    """Write the file."""
    results: dict[str, Any] = {}
    for name, table in simulated():
        unit, rater = np.nonzero(table >= 0)
        rows = pd.DataFrame({"task": unit, "worker": rater, "label": table[unit, rater]})
        letters = ["".join(NO_LABEL if label < 0 else str(label) for label in row) for row in table]
        results[name] = {"labels": letters, **fitted(rows)}
    patients = json.loads((sets / "stats-golden" / "dawid_skene_1979.json").read_text())
    rows = pd.DataFrame(patients["rows_patient_observer_label"], columns=["task", "worker", "label"])
    results["patients"] = fitted(rows)
    parts = (f"{json.dumps(name)}: {json.dumps(result)}" for name, result in results.items())
    target.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
