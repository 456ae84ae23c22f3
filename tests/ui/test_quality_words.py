"""The sentences of *Quality* hold for the thresholds that they print."""

from __future__ import annotations

import re

import pytest

from judgelab.analysis.filters.filter_preview import FilterPreview
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.store.db.engine import Store
from judgelab.ui.quality.words import preview_note
from tests.databases import load_demo


@pytest.mark.parametrize("criterion", ["coherence", "fluency"])
def test_a_printed_range_of_thresholds_removes_the_same_raters(store: Store, criterion: str) -> None:
    load_demo(store, "news")

    def preview(threshold: float) -> FilterPreview:
        policy = FilterPolicy(threshold=threshold)
        return preview_filter(store, "demo-news", policy, criterion=criterion)

    for threshold in (0.1, 0.5):
        shown = preview(threshold)
        printed = re.search(r"up to (0\.\d\d)", preview_note(shown, in_use=True))
        if printed is not None:
            same = preview(float(printed.group(1)))
            assert {rater.rater for rater in same.removed} == {rater.rater for rater in shown.removed}
