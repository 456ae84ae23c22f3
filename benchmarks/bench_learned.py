"""The learned judge on published ratings: out of fold, and whether active rating saves ratings.

    python -m benchmarks.bench_learned [--datasets DIR] [--encoder tfidf] [--kind ordinal] [--active]

SummEval (mean of four criteria of the mean Spearman within articles) and NQ301 (verdicts pooled, both on all
answers and on distinct ones). `--active` replays rating: ten draws of held-out items, learning from items
added at random or as proposed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from judgelab.imports.service import collect_files, import_files
from judgelab.learned.crossvalidation import committee, out_of_fold
from judgelab.learned.models import fit
from judgelab.learned.proposals import in_order, uncertainty
from judgelab.learned_training.evaluation import HeldOutScore
from judgelab.learned_training.training import learn
from judgelab.learned_training.training_data import TrainingData, training_data
from judgelab.metaeval.coefficients.registry import coefficient
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from judgelab.studies import studies

SETS = {
    "summeval": ("summeval", "summeval", "summeval", False),
    "nq301": ("qa-eval-nq301", "qa-eval-nq301", "qa_eval", False),
}
STEPS = {"summeval": (5, 5, 40, 30), "nq301": (20, 20, 160, 100)}  # first, added, most, held out
MEMBERS = 8


def main() -> None:
    """Print the figures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--datasets", default=os.environ.get("JUDGELAB_DATASETS", "../shared/datasets"))
    words.add_argument("--encoder", default="", help="tfidf, a model, or the one in effect")
    words.add_argument("--kind", default="ordinal")
    words.add_argument("--active", action="store_true")
    words.add_argument("--draws", type=int, default=10)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS:
            store = bring(Path(chosen.datasets), name, Path(folder))
            began = time.perf_counter()
            if chosen.active:
                replay(store, name, encoder=chosen.encoder, draws=chosen.draws)
            else:
                print_report(store, name, kind=chosen.kind, encoder=chosen.encoder)
            print(f"{name}: {time.perf_counter() - began:.0f} s")
            store.close()


def bring(datasets: Path, name: str, folder: Path) -> Store:
    """Return a store with one data set in a project named "p"."""
    path, preset, study, missing = SETS[name]
    store = open_store(f"sqlite:///{folder / name}.db")
    with store.writing() as session:
        made = studies.get(study)
        create_project(session, name="p", study=study, task=made.task, criteria=made.criteria)
    import_files(store, "p", collect_files([datasets / path]), preset=preset, create_missing=missing)
    return store


def print_report(store: Store, name: str, *, kind: str, encoder: str) -> None:
    """Learn as `judgelab learn` does, and print each rater's figure and the mean over criteria."""
    report = learn(store, "p", kind=kind, encoder=encoder)
    values: dict[str, list[float]] = {}
    for criterion in report.criteria:
        print(
            f"{name} {criterion['criterion']}: {criterion['encoder']}, {criterion['features']} features, "
            f"{criterion['kind']}"
        )
        for row in criterion["rows"]:
            if row["value"] is not None and row["coefficient"] in (criterion["coefficient"], "exact"):
                ci = row["ci"] or (float("nan"),) * 2
                print(
                    f"    {row['rater']:<36} {row['coefficient']:<9} {row['value']:.4f} "
                    f"[{ci[0]:.3f}, {ci[1]:.3f}]"
                )
                if row["coefficient"] == criterion["coefficient"]:
                    values.setdefault(row["rater"], []).append(row["value"])
        print(
            f"    curve {[(p['items'], round(float(np.mean(p['values'])), 3)) for p in criterion['curve']]}"
        )
        null = np.array(criterion["null"])
        print(f"    null, {len(null)} shuffles: mean {null.mean():.3f}, sd {null.std():.3f}")
    for rater, found in values.items():
        if len(found) == len(report.criteria):
            print(f"  {name} mean {rater:<36} {np.mean(found):.4f}")
    if name == "nq301":
        distinct(store, kind=kind, encoder=encoder)


def distinct(store: Store, *, kind: str, encoder: str) -> None:
    """Print accuracy and kappa over distinct answers, out of fold by question."""
    seen = training_data(store, "p", policy="none", encoder=encoder)
    criterion = seen.criteria()[0]
    scores = seen.scores(criterion)
    rows = seen.responses.assign(text=seen.responses["text"].str.lower()).drop_duplicates(["item", "text"])
    chosen = rows.index.to_numpy(dtype=np.int64)
    chosen = chosen[np.isfinite(scores[chosen])]
    found = out_of_fold(seen.table, scores, chosen, seen.model_settings(criterion, kind=kind, seed=0)).scores[
        chosen
    ]
    said = (found >= 0.5).astype(float)
    kappa = coefficient("kappa", scale=seen.scale(criterion)).rows(scores[chosen][None], said[None])[0]
    print(
        f"  nq301 distinct answers: n {len(chosen)}, accuracy {(said == scores[chosen]).mean():.4f}, "
        f"kappa {kappa:.4f}"
    )


def replay(store: Store, name: str, *, encoder: str, draws: int) -> None:
    """Print how good a judge is on held-out items after so many rated items, added by either rule."""
    seen = training_data(store, "p", policy="none", encoder=encoder)
    first, added, most, held = STEPS[name]
    rules: dict[str, Callable[..., list[int]]] = {"random": at_random, "active": as_proposed}
    found: dict[str, list[list[float]]] = {rule: [] for rule in rules}
    for draw in range(draws):
        items = np.random.default_rng(draw).permutation(np.unique(seen.table.item))
        for rule, choose in rules.items():
            rated = list(items[held : held + first])
            values = [figure(seen, rated, items[:held])]
            while len(rated) < most:
                pool = np.setdiff1d(items[held:], rated)
                rated += choose(seen, rated, pool, draw)[:added]
                values.append(figure(seen, rated, items[:held]))
            found[rule].append(values)
    sizes = range(first, most + 1, added)
    random, active = (np.array(found[rule]) for rule in ("random", "active"))
    print(f"{name}, {draws} draws, {seen.table.encoder}: items, random, active, difference (standard error)")
    for place, size in enumerate(sizes):
        apart = active[:, place] - random[:, place]
        error = apart.std(ddof=1) / np.sqrt(len(apart))
        print(
            f"    {size:>4} {random[:, place].mean():.4f} {active[:, place].mean():.4f} "
            f"{apart.mean():+.4f} ({error:.4f})"
        )


def at_random(seen: TrainingData, rated: list[int], pool: Any, draw: int) -> list[int]:
    """Return the pool in a random order."""
    return list(np.random.default_rng((draw, len(rated))).permutation(pool))


def as_proposed(seen: TrainingData, rated: list[int], pool: Any, draw: int) -> list[int]:
    """Return the pool as `judgelab propose` would order it."""
    unsure = []
    for criterion in seen.criteria():
        scores, wish = seen.scores(criterion), seen.model_settings(criterion, kind="ordinal", seed=draw)
        rows = np.flatnonzero(np.isin(seen.table.item, rated) & np.isfinite(scores))
        members = committee(seen.table, scores, rows, wish, members=MEMBERS, seed=draw)
        said = np.array([member.predict(seen.table) for member in members])
        unsure.append(uncertainty(said, low=wish.low, high=wish.high, binary=wish.binary))
    rows = np.flatnonzero(np.isin(seen.table.item, pool))
    nothing = np.full(len(seen.table.item), np.nan)
    return in_order(seen.table.item, rows, np.mean(unsure, axis=0), nothing, values=seen.table.values)


def figure(seen: TrainingData, rated: list[int], held: Any) -> float:
    """Return the leading coefficient on the held-out items, mean over criteria."""
    values = []
    for criterion in seen.criteria():
        scores, wish = seen.scores(criterion), seen.model_settings(criterion, kind="ordinal", seed=0)
        known = np.isfinite(scores)
        rows = np.flatnonzero(np.isin(seen.table.item, rated) & known)
        test = np.flatnonzero(np.isin(seen.table.item, held) & known)
        measure = HeldOutScore(seen, criterion, level="none" if wish.binary else "item", binary=wish.binary)
        values.append(measure(test, fit(seen.table, scores, rows, wish).predict(seen.table)[test]))
    return float(np.mean(values))


if __name__ == "__main__":
    main()
