"""How long importing takes: 10,000 items, 100,000 ratings, and a large file, with the memory it needs.

python benchmarks/bench_import.py [--large MB]
"""

from __future__ import annotations

import argparse
import csv
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from judgelab.imports.report import ImportReport
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project

WORDS = "the of river stone answer because seven often light under paper between market never green".split()


def write_items(path: Path, count: int, *, words: int) -> None:
    rng = random.Random(1)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "question", "context", "reference", "system", "response"])
        for i in range(count):
            text = " ".join(rng.choices(WORDS, k=words))
            writer.writerow([f"q{i}", f"What is {i}?", text, text[:80], "a", text[:200]])


def write_ratings(path: Path, count: int) -> None:
    rng = random.Random(2)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "system", "rater", "criterion", "score", "comment"])
        for i in range(count):
            writer.writerow([f"q{i // 10}", "a", f"r{i % 10}", "quality", rng.randint(1, 5), ""])


def timed(store: Store, name: str, path: Path) -> None:
    step: Callable[[], ImportReport] = lambda: import_files(store, "bench", collect_files([path]))  # noqa: E731
    for what in ("first", "again"):
        start = time.perf_counter()
        report = step()
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        size = path.stat().st_size / 1e6
        print(
            f"{name:>24} {what}: {seconds:6.2f} s  {size:6.1f} MB  peak {peak:5.0f} MB  {report.sentence()}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", type=int, default=0, help="also a file of this many MB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{folder}/bench.db")
        with store.writing() as session:
            create_project(session, name="bench")
        write_items(Path(folder, "items.csv"), 10_000, words=100)
        timed(store, "10,000 items", Path(folder, "items.csv"))
        write_ratings(Path(folder, "ratings.csv"), 100_000)
        timed(store, "100,000 ratings", Path(folder, "ratings.csv"))
        store.close()
        if options.large:
            store = open_store(f"sqlite:///{folder}/large.db")
            with store.writing() as session:
                create_project(session, name="bench")
            write_items(Path(folder, "large.csv"), options.large * 165, words=1000)
            timed(store, f"{options.large} MB", Path(folder, "large.csv"))
            store.close()


if __name__ == "__main__":
    main()
