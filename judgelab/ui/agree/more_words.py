"""The titles of the charts of *More*."""

from __future__ import annotations

from judgelab.analysis.comparison.sample_size_answer import BASELINE, JUDGES, STAND_IN, SYSTEMS
from judgelab.wording import mark

POWER_TITLES = {
    JUDGES: mark("Shows a difference, % of data sets"),
    BASELINE: mark("Shows a difference, % of data sets"),
    STAND_IN: mark("Passes the test, % of data sets"),
    SYSTEMS: mark("Shows a difference, % of data sets"),
}
AXES = {
    "items": mark("Number of items"),
    "pairs": mark("Number of pairs"),
    "raters": mark("Number of raters"),
}
