"""How long a guest of an open demo waits for a copy of the sample project, and how long deleting one takes.

python benchmarks/bench_sandboxes.py [--guests N]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from datetime import timedelta

from judgelab.accounts import sandboxes
from judgelab.cli.demo import SAMPLE_DATA, load_sample
from judgelab.store.db.schema import open_store


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--guests", type=int, default=50)
    guests = parser.parse_args().guests
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{folder}/judgelab.db")
        load_sample(store, SAMPLE_DATA / "kitchen", models=False)
        took = []
        for _ in range(guests):
            began = time.perf_counter()
            sandboxes.open_sandbox(store, most=guests)
            took.append(time.perf_counter() - began)
        print(f"copy: median {statistics.median(took):.2f} s, slowest of {guests} {max(took):.2f} s")
        began = time.perf_counter()
        deleted = sandboxes.delete_expired(store, lifetime=timedelta(seconds=-1))
        print(f"delete: {(time.perf_counter() - began) / deleted:.2f} s each")
        store.close()


if __name__ == "__main__":
    main()
