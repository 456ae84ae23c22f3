"""The table of *Agreement* by group: what its average counts is what its cells show."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.ui.agree.group_table import raters_with_groups


def draw_groups(constant_groups: str) -> None:
    import pandas as pd

    from judgelab.metaeval.agreement.groups import agreement_by_group
    from judgelab.scales import scale_from_json
    from judgelab.ui.agree import group_table

    rows = [
        (group, f"{group}{number}", rater, kind, score)
        for group, scores in {"a": [1, 2, 3, 4, 5], "b": [3, 3, 3, 3, 3]}.items()
        for number, judged in enumerate(scores, start=1)
        for rater, kind, score in (("Ada", "human", number), ("judge", "judge", judged), ("flat", "judge", 3))
    ]
    frame = pd.DataFrame(rows, columns=["group", "item", "rater", "rater_kind", "score"])
    frame["response"] = frame["item"].factorize()[0]
    frame = frame.assign(criterion="good", system="", run=None, sample=None)
    rows_by_group = agreement_by_group(
        frame,
        scales={"good": scale_from_json({"kind": "ordinal", "low": 1, "high": 5})},
        coefficients=("spearman",),
        constant_groups=constant_groups,
        resamples=0,
    )
    group_table.draw_group_table(
        rows_by_group, criterion="good", coefficient="spearman", constant_groups=constant_groups
    )


def test_a_rater_without_intervals_in_several_groups_is_named_once() -> None:
    groups = {"Demo judge A": ["council", "transport"], "bleu": ["council"]}
    assert raters_with_groups(groups) == "Demo judge A (council and transport) and bleu (council)"


@pytest.mark.parametrize(
    ("constant_groups", "cell", "average"),
    [("zero", "0 (equal scores)", "0.50"), ("drop", "equal scores", "1.00")],
)
def test_a_group_of_equal_scores_is_shown_as_the_average_counts_it(
    constant_groups: str, cell: str, average: str
) -> None:
    kwargs = {"constant_groups": constant_groups}
    at = AppTest.from_function(draw_groups, default_timeout=60, kwargs=kwargs).run()
    assert not at.exception
    row, flat = at.dataframe[0].value.to_dict("records")
    assert (row["a"].split()[0], row["b"], row["Average"].split()[0]) == ("1.00", cell, average)
    assert ("counts as 0" in at.caption[-1].value) == (constant_groups == "zero")
    assert (flat["a"], flat["b"], flat["Average"]) == ("equal scores",) * 3, (
        "no group counts as 0 without an average"
    )
    assert "no average where all scores within each group" in at.caption[-1].value
