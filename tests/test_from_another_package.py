"""A metric that another package brings, found by its entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
METRIC = """
from judgelab.metrics import metrics
from judgelab.metrics.base import Metric

@metrics.register("theirs")
class Theirs(Metric):
    name = "theirs"
"""
ASKED = "from judgelab.metrics import metrics; print('theirs' in metrics.names())"


def _found(folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}
    return subprocess.check_output([sys.executable, "-c", ASKED], env=environment, text=True).strip()


def test_a_metric_of_another_package_is_found_by_its_entry_point(tmp_path: Path) -> None:
    (tmp_path / "their_metric.py").write_text(METRIC)
    assert _found(tmp_path) == "False"
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[judgelab.metric]\ntheirs = their_metric\n")
    assert _found(tmp_path) == "True"
