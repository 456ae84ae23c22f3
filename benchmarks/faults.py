"""Faults on purpose, many times, and what was lost by them: the numbers of docs/reliability.md.

    python benchmarks/faults.py [--database KIND] [--only NAME ...] [--times N] [--json FILE]

Each kind is tried `--times` times (20; whole servers and disks a quarter of that) at moments drawn with a
fixed seed, on files of SQLite or on a PostgreSQL that is started for it and writes through as a server in use
does. Disks that fill up or turn read-only are small file systems, which takes root. What cannot be
tried here, or not with this database, is said and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

os.environ.setdefault("JUDGELAB_LOG_LEVEL", "ERROR")  # of the servers that are ended

from benchmarks.fault_trials import of_clocks, of_disks, of_processes, of_servers  # noqa: E402
from benchmarks.fault_trials.databases import lent  # noqa: E402
from benchmarks.fault_trials.outcome import NotHere, Outcome  # noqa: E402

KINDS = {**of_processes.KINDS, **of_disks.KINDS, **of_clocks.KINDS, **of_servers.KINDS}


def main() -> None:
    """Try the kinds that are asked for; exit 1 when anything was lost."""
    given = argparse.ArgumentParser()
    given.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    given.add_argument("--only", nargs="+", choices=sorted(KINDS), default=list(KINDS))
    given.add_argument("--times", type=int, default=20)
    given.add_argument("--json", type=Path)
    chosen = given.parse_args()
    found: dict[str, Outcome] = {}
    try:
        with lent(chosen.database) as databases:
            for name in chosen.only:
                began = time.monotonic()
                try:
                    found[name] = KINDS[name](chosen.times, databases)
                except NotHere as reason:
                    print(f"{name:<24} not tried here: {reason}", flush=True)
                    continue
                print(f"{name:<24} {found[name]}; {time.monotonic() - began:.0f} s", flush=True)
    except NotHere as reason:
        raise SystemExit(f"nothing was tried: {reason}") from reason
    if chosen.json:
        chosen.json.write_text(json.dumps({name: asdict(one) for name, one in found.items()}, indent=1))
    together = sum(found.values(), Outcome(0, 0, 0))
    print(f"{'together':<24} {together}")
    raise SystemExit(1 if together.lost else 0)


if __name__ == "__main__":
    main()
