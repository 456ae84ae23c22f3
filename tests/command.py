"""The command line as a script calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def judgelab(address: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `judgelab <words>` on the database at `address`."""
    return subprocess.run(
        [sys.executable, "-m", "judgelab", *words],
        cwd=ROOT,
        env={**os.environ, "JUDGELAB_DATABASE_URL": address},
        capture_output=True,
        text=True,
    )
