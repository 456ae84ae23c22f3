"""Comparisons as scores of pairs: orientation by name, one choice per judge, implied choices."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.domain import PREFERENCE_COLUMNS, SCORE_COLUMNS
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.core.aggregation import MAJORITY
from judgelab.metaeval.core.pair_scores import FIRST, SCALE, SECOND, TIE, pair_scores
from judgelab.scales import scale_from_json
from tests.examples import examples

RESPONSES = pd.DataFrame(
    [(1, "r1", "q1", "beta", "g"), (2, "r2", "q1", "alpha", "g"), (3, "r3", "q1", "", "g")]
    + [(4, "r4", "q2", "alpha", ""), (5, "r5", "q2", "beta", "")],
    columns=["response", "response_id", "item", "system", "group"],
)
Row = tuple[str, int, int, str, str, str, str]


def frame(rows: list[Row]) -> pd.DataFrame:
    """Return comparisons of (item, a, b, rater, kind, choice, order)."""
    values = [
        (i, a, b, "better", rater, kind, c, None, None, order) for i, a, b, rater, kind, c, order in rows
    ]
    return pd.DataFrame(values, columns=list(PREFERENCE_COLUMNS))


def labels(rows: list[Row], **options: object) -> dict[tuple[str, str], float]:
    result = pair_scores(frame(rows), RESPONSES, **options)  # type: ignore[arg-type]
    assert tuple(result.scores.columns) == SCORE_COLUMNS
    return {
        (f"{row.item} {row.system}".strip(), str(row.rater)): float(str(row.score))
        for row in result.scores.itertuples()
    }


def test_the_first_response_is_the_one_whose_system_comes_first_by_name() -> None:
    rows: list[Row] = [("q1", 1, 2, "Ann", "human", "a", ""), ("q2", 4, 5, "Ann", "human", "a", "")]
    assert labels(rows) == {("q1 alpha – beta", "Ann"): SECOND, ("q2 alpha – beta", "Ann"): FIRST}
    pairs = pair_scores(frame(rows), RESPONSES).pairs
    assert pairs[["pair", "item", "first", "second", "group"]].to_numpy().tolist() == [
        [0, "q1", 2, 1, "g"],
        [1, "q2", 4, 5, ""],
    ]


@pytest.mark.parametrize(
    ("choices", "label"),
    [
        ([("a", "a"), ("a", "b")], SECOND),  # the same winner in both orders; a is beta, the second by name
        ([("a", "a"), ("b", "b")], TIE),  # whichever came first
        ([("a", "a"), ("tie", "b")], TIE),
        ([("a", "a"), ("a", "a"), ("b", "a")], SECOND),  # most samples
        ([("a", "a"), ("b", "a")], TIE),  # as many for either
        ([("a", ""), ("a", ""), ("tie", "")], SECOND),
    ],
)
def test_a_judges_choices_of_a_pair_become_one(choices: list[tuple[str, str]], label: float) -> None:
    rows: list[Row] = [("q1", 1, 2, "j", "judge", choice, order) for choice, order in choices]
    assert labels(rows) == {("q1 alpha – beta", "j"): label}


def test_scores_and_lengths_imply_choices_where_people_compared() -> None:
    rows: list[Row] = [
        ("q1", 1, 2, "Ann", "human", "a", ""),
        ("q1", 1, 3, "Ann", "human", "a", ""),
        ("q1", 1, 2, "pairs", "judge", "tie", ""),
    ]
    scored = [
        *((1, "points", "judge", 4.0), (2, "points", "judge", 2.0), (2, "points", "judge", 3.0)),
        *((1, "pairs", "judge", 1.0), (2, "pairs", "judge", 5.0), (3, "rouge", "metric", 0.2)),
        *((1, "rouge", "metric", 0.2), (1, "Bea", "human", 1.0), (2, "Bea", "human", 5.0)),
    ]
    scores = pd.DataFrame(
        [("q1", r, "", "g", "better", name, kind, s, None, None, None) for r, name, kind, s in scored],
        columns=list(SCORE_COLUMNS),
    )
    words = pd.Series({1: 12.0, 2: 30.0, 3: 0.0})
    assert labels(rows, scores=scores, words=words) == {
        ("q1 alpha – beta", "Ann"): SECOND,
        ("q1", "Ann"): SECOND,
        ("q1 alpha – beta", "pairs"): TIE,
        ("q1 alpha – beta", "points"): SECOND,
        ("q1", "rouge"): TIE,
    }
    result = pair_scores(frame(rows), RESPONSES, scores=scores, words=words)
    assert result.implied == {"points", "rouge"} and result.metrics == {"rouge"}
    longer = result.pairs.set_index("pair").loc[result.longer.index, ["first", "second"]]
    assert longer.to_numpy().tolist() == [[2, 1]] and result.longer.tolist() == [FIRST], "3 has no text"
    lower = pair_scores(frame(rows), RESPONSES, scores=scores, lower_is_better={"better"}).scores
    assert lower.loc[lower["rater"] == "points", "score"].tolist() == [FIRST], "the lower score is better"


SIDES = st.sampled_from([(1, 2), (1, 3), (2, 3), (4, 5)])
ROWS = st.lists(
    st.tuples(SIDES, st.sampled_from(["Ann", "Bea", "Cid", "j"]), st.sampled_from(["a", "b", "tie"])),
    min_size=1,
    max_size=30,
)


@examples(20)  # each builds several tables
@given(rows=ROWS)
def test_the_order_of_the_two_in_a_file_changes_nothing(
    rows: list[tuple[tuple[int, int], str, str]],
) -> None:
    unique = {(pair, rater): choice for pair, rater, choice in rows}
    kind = {"j": "judge"}
    listed: list[Row] = [
        ("q1" if pair[0] < 4 else "q2", *pair, rater, kind.get(rater, "human"), choice, "a")
        for (pair, rater), choice in unique.items()
    ]
    turned: list[Row] = [
        (item, b, a, rater, kind_, {"a": "b", "b": "a", "tie": "tie"}[choice], "b")
        for item, a, b, rater, kind_, choice, _ in listed
    ]
    as_listed, as_turned = (pair_scores(frame(part), RESPONSES).scores for part in (listed, turned))
    pd.testing.assert_frame_equal(as_listed, as_turned)


def test_accuracy_and_kappa_against_the_majority() -> None:
    """Five pairs of one item each; the majority is a, a, b, tie, none; kappa worked by hand."""
    responses = pd.DataFrame(
        [(n, f"r{n}", f"q{n // 2}", "one" if n % 2 == 0 else "two", "") for n in range(10)],
        columns=["response", "response_id", "item", "system", "group"],
    )
    votes = {0: "aab", 2: "aaa", 4: "bba", 6: ["tie", "tie", "a"], 8: ["a", "b", "tie"]}
    judged = {0: "a", 2: "b", 4: "b", 6: "tie", 8: "a"}
    rows: list[Row] = [
        (f"q{first // 2}", first, first + 1, f"p{k}", "human", choice, "")
        for first, choices in votes.items()
        for k, choice in enumerate(choices)
    ]
    rows += [
        (f"q{first // 2}", first, first + 1, "j", "judge", choice, "") for first, choice in judged.items()
    ]
    scores = pair_scores(frame(rows), responses).scores
    scale = {"better": scale_from_json(SCALE)}
    options = {"levels": ("none",), "coefficients": ("exact", "kappa"), "resamples": 0}
    estimates = {
        row.coefficient: row.estimate
        for row in agreement(scores, scales=scale, aggregation=MAJORITY, **options)  # type: ignore[arg-type]
    }
    assert estimates["exact"].value == pytest.approx(3 / 4) and estimates["exact"].n == 4
    chance = (2 * 1 + 1 * 2 + 1 * 1) / 16
    assert estimates["kappa"].value == pytest.approx((3 / 4 - chance) / (1 - chance))
