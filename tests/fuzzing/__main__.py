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
    arguments = parser.parse_args()
    if arguments.inside:
        _follow(arguments.names[0], arguments.seconds)
        return 0
    from tests.fuzzing.targets import targets

    if unknown := set(arguments.names) - targets().keys():
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(targets())}")
    if arguments.again:
        targets()[arguments.names[0]].take(arguments.again.read_bytes())
        return 0
    return max(_tried(name, arguments.seconds) for name in arguments.names or targets())


def _tried(name: str, seconds: int) -> int:
    command = [sys.executable, "-m", "tests.fuzzing", name, "--seconds", str(seconds), "--inside"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    summary = DONE.search(result.stderr)
    if summary and result.returncode == 0:
        print(f"{name}: {int(summary[1]):,} inputs in {summary[2]} s, nothing wrong", flush=True)
        return 0
    print(f"{name}: {result.stdout[-3000:]}{result.stderr[-300:]}")
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
        for number, seed in enumerate(target.seeds):
            (Path(corpus) / str(number)).write_bytes(seed)
        limits = [f"-max_total_time={seconds}", f"-timeout={LONGEST_SECONDS}", f"-max_len={LONGEST_BYTES}"]
        atheris.Setup([name, *limits, f"-artifact_prefix={FOUND}/{name}-", corpus], target.take)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
