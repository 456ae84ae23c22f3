"""How long comparisons take: their import, and the figures of each page on them.

python -m benchmarks.bench_comparisons [--comparisons 100000]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

from judgelab.analysis.comparison.choice_agreement import choice_agreement
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.comparison.system_strengths import strength_table
from judgelab.analysis.data.scores import clear_caches
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.imports.service import import_files
from judgelab.reporting.gathering import gather_facts
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project

SYSTEMS = [f"system {letter}" for letter in "abcdefgh"]
PEOPLE, JUDGES, PAIRS = ("Ann", "Bea", "Cid"), ("one", "two", "three", "four"), 4  # pairs an item


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--comparisons", type=int, default=100_000)
    count = parser.parse_args().comparisons
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'bench.db'}")
        with store.writing() as session:
            create_project(session, name="bench")
        for name, content in files(count).items():
            timed(f"import of {name}", lambda content=content: bring(store, content))
        for _ in range(5):
            timed("all figures of Agree", lambda: choice_agreement(store, "bench"))
        clear_caches()
        timed("same, nothing read yet", lambda: choice_agreement(store, "bench"))
        timed("strengths of systems", lambda: strength_table(store, "bench"))
        options = {"comparisons": True}
        timed("all figures of Trust", lambda: measure_trust(store, "bench", "one", **options))
        timed("all figures of Compare", lambda: compare_judges(store, "bench", **options))
        timed("all figures of Means", lambda: estimate_means(store, "bench", "one", **options))
        timed("all figures of Report", lambda: gather_facts(store, "bench", **options))


def timed(name: str, step: Callable[[], object]) -> None:
    """Print the seconds of one step, by the clock and of the processor."""
    begin, busy = time.perf_counter(), time.process_time()
    step()
    took, busy = time.perf_counter() - begin, time.process_time() - busy
    print(f"{name:>28}  {took:6.2f} s, processor {busy:6.2f} s", flush=True)


def files(comparisons: int) -> dict[str, str]:
    """Return the files of so many comparisons, by what is in them."""
    items = comparisons // (PAIRS * (len(PEOPLE) + len(JUDGES)))
    return {
        "the texts": texts(items),
        "people's choices": choices(items, PEOPLE, "rater"),
        "judges' choices": choices(items, JUDGES, "judge"),
    }


def bring(store: Store, content: str) -> None:
    import_files(store, "bench", [("bench.csv", content.encode())])


def texts(items: int) -> str:
    rng = random.Random(1)
    rows = (f"q{i},Why {i}?,{s},{'so ' * rng.randint(3, 60)}{i}" for i in range(items) for s in SYSTEMS)
    return "item_id,question,system,response\n" + "\n".join(rows)


def choices(items: int, raters: tuple[str, ...], column: str) -> str:
    """Return each rater's choice of four pairs an item; the system that is first by name mostly wins."""
    pairs, lines = list(combinations(SYSTEMS, 2)), [f"item_id,response_a,response_b,{column},choice,order"]
    for item in range(items):
        of_item = random.Random(item).sample(pairs, PAIRS)
        rng = random.Random(f"{column} {item}")
        lines += [
            f"q{item},{a},{b},{rater},{rng.choice([a, a, 'tie', b])},a"
            for a, b in of_item
            for rater in raters
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
