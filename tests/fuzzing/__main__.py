"""Inputs that lead into branches not seen before, for as long as asked: `make fuzz`; needs atheris."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / "build" / "fuzzing"  # inputs that something choked on
DONE = re.compile(r"Done (\d+) runs in (\d+) second")
LONGEST_SECONDS, LONGEST_BYTES = 20, 4096


def main() -> int:
    """Try each target in a process of its own; print how many inputs it took, or what it choked on."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("names", nargs="*", help="what to try; all when none is named")
    parser.add_argument("--seconds", type=int, default=60, help="for each (60)")
    parser.add_argument(
        "--again", type=Path, metavar="FILE", help="an input that was kept, to be taken alone"
    )
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        _follow(asked.names[0], asked.seconds)
        return 0
    from tests.fuzzing.targets import targets

    if unknown := set(asked.names) - targets().keys():
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(targets())}")
    if asked.again:
        targets()[asked.names[0]].take(asked.again.read_bytes())
        return 0
    return max(_tried(name, asked.seconds) for name in asked.names or targets())


def _tried(name: str, seconds: int) -> int:
    command = [sys.executable, "-m", "tests.fuzzing", name, "--seconds", str(seconds), "--inside"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    told = DONE.search(done.stderr)
    if told and done.returncode == 0:
        print(f"{name}: {int(told[1]):,} inputs in {told[2]} s, nothing wrong", flush=True)
        return 0
    print(f"{name}: {done.stdout[-3000:]}{done.stderr[-300:]}")
    print(f"the input lies in {FOUND}; take it again with --again FILE", flush=True)
    return 1


def _follow(name: str, seconds: int) -> None:
    """Let libFuzzer choose the inputs by the branches they reach; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["judgelab", "markdown_it"]):
        from tests.fuzzing.targets import targets

        target = targets()[name]
    FOUND.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for place, seed in enumerate(target.seeds):
            (Path(corpus) / str(place)).write_bytes(seed)
        limits = [f"-max_total_time={seconds}", f"-timeout={LONGEST_SECONDS}", f"-max_len={LONGEST_BYTES}"]
        atheris.Setup([name, *limits, f"-artifact_prefix={FOUND}/{name}-", corpus], target.take)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
