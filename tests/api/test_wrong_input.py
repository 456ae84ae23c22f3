"""What people pass by mistake: one sentence that names it, or scores as they were meant."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.errors import InvalidInput, NotFound

WIDE = pd.DataFrame({"item": ["q1", "q2", "q3"], "ann": [1, 5, 2], "bob": [2, 4, 3], "gpt": [2, 4, 1]})
LONG = WIDE.melt(id_vars="item", var_name="rater", value_name="score")
SCORES = jl.scores(WIDE, humans=["ann", "bob"], judges=["gpt"])
TWENTY = jl.scores(human={"ann": [1, 2, 3, 5] * 5, "bob": [1, 2, 2, 4, 5] * 4}, judge=[1, 2, 3, 4] * 5)
TWO = jl.scores(WIDE.assign(mini=[3, 4, 2]), humans=["ann", "bob"], judges=["gpt", "mini"])
FLAT = jl.agreement(SCORES, n_resamples=0)
PAIRS = {"item": [1, 1], "system_a": "A", "system_b": "B", "choice": ["a", "b"]}


def _rows(s: jl.Scores) -> list[tuple[Any, ...]]:
    return sorted(s.frame[["item", "rater", "kind", "score"]].itertuples(index=False, name=None))


def _by(frame: pd.DataFrame, **options: Any) -> jl.Scores:
    return jl.scores(frame, judges=["gpt"], **options)


@pytest.mark.parametrize(
    "given",
    [
        lambda: jl.scores(WIDE, humans=WIDE.columns[1:3], judges="gpt"),
        lambda: jl.scores(WIDE, humans=np.array(["ann", "bob"]), judges=("gpt",)),
        lambda: jl.scores(WIDE.to_dict("list"), humans=["ann", "bob"], judges=["gpt"]),
        lambda: jl.scores(WIDE.set_index(pd.Index([7, 7, 7])), humans=["ann", "bob"], judges=["gpt"]),
        lambda: _by(LONG.pivot(index="item", columns="rater", values="score"), humans=["ann", "bob"]),
        lambda: _by(LONG.set_index(["item", "rater"])["score"]),
        lambda: _by(LONG.assign(rater=pd.Categorical(LONG["rater"], categories=["ann", "bob", "gpt", "z"]))),
        lambda: _by(LONG.astype({"score": "category", "item": "string"})),
        lambda: _by(LONG.assign(score=[Decimal(int(one)) for one in LONG["score"]])),
        lambda: _by(LONG.assign(score=[str(one) if one > 2 else one for one in LONG["score"]])),
        lambda: _by(LONG.astype({"score": "int8"})),
        lambda: _by(LONG, scale=np.array([1, 5])),
        lambda: jl.scores(_by(pd.concat([LONG, LONG])).frame.drop_duplicates()),
    ],
)
def test_what_is_meant_is_understood(given: Callable[[], jl.Scores]) -> None:
    assert _rows(given()) == _rows(SCORES)


def test_columns_may_be_called_by_numbers() -> None:
    s = jl.scores(pd.DataFrame(WIDE[["ann", "gpt"]].to_numpy()), humans=[0], judges=[1])
    assert (s.humans, s.judges) == (("0",), ("1",))


@pytest.mark.parametrize("kind", ["int64", "int8", "Int64", "int64[pyarrow]", "float64", "object"])
def test_numbers_are_names_of_items_whatever_their_type(kind: str) -> None:
    s = _by(LONG.assign(item=pd.Series([3, 100, -7] * 3).astype(kind)))
    assert s.frame["item"].tolist() == ["3", "100", "-7"] * 3


def test_scores_outside_the_scale_are_counted() -> None:
    assert (
        "2 human scores under 'score' (5 by ann) are outside the scale 1 to 3"
        in _by(LONG, scale=(1, 3)).about
    )
    assert "outside" not in SCORES.about


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: FLAT[0], "nothing here is called '0'; the names are gpt,"),
        (
            lambda: jl.compare(TWO, coefficient=["kendall", "pearson"]),
            'one name, such as coefficient="kendall"',
        ),
        (lambda: jl.compare(TWO, 3), "raters must be a list of names"),
        (lambda: jl.trust(TWO, ["gpt"]), 'judge is a list, but must be one name, such as judge="gpt"'),
        (lambda: jl.trust(SCORES, own_systems=3), "own_systems must be a list of names"),
        (lambda: jl.alt_test(SCORES, "gpt", criterion=["score"]), 'such as criterion="score"'),
        (lambda: jl.inter_rater(SCORES, coefficient=3), "coefficient must be a list of names"),
        (lambda: jl.dawid_skene(SCORES, raters=3), 'raters must be a list of names, such as raters=["ann"]'),
        (lambda: jl.jury(TWO, 3), "members must be a list of names"),
        (lambda: jl.jury(TWO, ["gpt", "mini"], how=["mean"]), "how is a list, but must be one name"),
        (lambda: jl.Filter(threshold="0.4"), "threshold is '0.4', but must be a number"),
        (lambda: jl.Filter(aggregate=["mean"]), "aggregate is '['mean']', but must be one of mean, median"),
        (lambda: jl.filter_raters(SCORES, jl.Filter(), threshold=0.3), "threshold does not go with filter"),
        (
            lambda: jl.agreement(SCORES, filter=jl.filter_raters(SCORES, n_resamples=0)),
            "filter is a result of jl.filter_raters; write filter=result.filter.",
        ),
        (
            lambda: jl.agreement(SCORES, filter={"threshold": 0.3}),
            "filter is a dict; write filter=jl.Filter(",
        ),
        (lambda: _by(LONG.assign(score=[[1]] * 9)), "the column 'score' holds a list in row 1"),
        (lambda: _by(LONG.assign(score=[{"a": 1}] * 9)), "the column 'score' holds a dict in row 1"),
        (lambda: _by(LONG.assign(item=[[one] for one in LONG["item"]])), "'item' holds a list in row 1"),
        (lambda: _by(LONG.astype({"score": complex})), "the column 'score' has complex numbers"),
        (
            lambda: _by(LONG.drop(columns="score")),
            "no column has the scores (item, rater); name it: jl.scores(",
        ),
        (lambda: _by(LONG.assign(criterion=["a", None, *["a"] * 7])), "'criterion' is empty in row 2;"),
        (
            lambda: jl.scores(WIDE.assign(item=["q1", None, "q3"]), humans=["ann", "bob"], judges=["gpt"]),
            "'item' is empty in row 2;",
        ),
        (lambda: jl.scores(WIDE, humans=3), 'humans must be a list of names, such as humans=["gpt"]'),
        (lambda: jl.scores(WIDE, judges=WIDE), "judges must be a list of names"),
        (lambda: jl.scores({"item": ["a", "b"], "ann": [1]}, humans=["ann"]), "differ in length"),
        (lambda: _by(LONG, columns=["item"]), 'columns={"item": "my_id"}'),
        (lambda: _by(LONG, columns={"item": "rater", "rater": "rater"}), "names the column 'rater' 2 times"),
        (lambda: _by(LONG, scale=(5, 1)), "scale=(5, 1): an ordinal scale needs"),
        (lambda: _by(LONG, scale={"kind": "stars"}), "scale={'kind': 'stars'}: no scale named 'stars'"),
        (lambda: jl.agreement(SCORES, n_resamples=-1), "n_resamples is -1, but must be a whole number, 0"),
        (lambda: jl.agreement(SCORES, n_resamples="many"), "n_resamples is 'many'"),
        (lambda: jl.agreement(SCORES, n_resamples=2.5), "n_resamples is 2.5"),
        (lambda: jl.agreement(SCORES, seed="x"), "seed is 'x'"),
        (lambda: jl.agreement(SCORES, coefficient=3), "coefficient must be a list of names"),
        (lambda: jl.compare(SCORES, ["gpt", "gpt2"], n_permutations=-1), "n_permutations is -1"),
        (lambda: jl.binary(SCORES, "gpt", seed=-1), "seed is -1"),
        (lambda: jl.trust(SCORES, "gpt", n_resamples=None), "n_resamples is None"),
        (lambda: jl.alt_test(SCORES, seed=-1), "seed is -1"),
        (lambda: jl.alt_test(SCORES, epsilon="x"), "epsilon is 'x'"),
        (lambda: jl.inter_rater(SCORES, n_resamples=0.5), "n_resamples is 0.5"),
        (lambda: jl.filter_raters(SCORES, seed=None), "seed is None"),
        (lambda: jl.sample_size(SCORES, "gpt beats the baseline", most="x"), "most is 'x'"),
        (
            lambda: jl.agreement(human=[1, 2], judge={"a": [1, 2], "b": [2, 1]}),
            "give one judge; for several call jl.agreement(jl.scores(human=…, judge={…}))",
        ),
    ],
)
def test_a_mistake_is_named(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert words in str(caught.value)


def test_an_unknown_option_of_a_filter_is_named_with_a_near_one() -> None:
    for call in (lambda: jl.Filter(treshold=0.4), lambda: jl.filter_raters(SCORES, treshold=0.4)):
        with pytest.raises(NotFound, match="no option of a filter named 'treshold'.*'threshold'"):
            call()
    assert repr(jl.Filter(threshold=0.3)) == "Filter(threshold=0.3)"
    assert pickle.loads(pickle.dumps(jl.Filter(0.3))) == jl.Filter(threshold=0.3)


def test_options_of_a_filter_go_into_filter_raters_as_they_are() -> None:
    loose = jl.filter_raters(SCORES, threshold=-1.0, min_overlap=2, n_resamples=0)
    assert loose.filter == jl.Filter(threshold=-1.0, min_overlap=2)
    assert jl.filter_raters(SCORES, loose.filter, n_resamples=0).to_dict() == loose.to_dict()


def test_an_estimate_is_formatted_and_rounded_as_its_number() -> None:
    e = jl.agreement(human=[1, 2, 3, 5], judge=[1, 3, 2, 5], coefficient="pearson", n_resamples=0)
    assert (f"{e:.2f}", round(e, 2)) == ("0.89", 0.89)  # 7.75 / 8.75
    flat = jl.agreement(human=[2, 2, 2], judge=[1, 2, 3])
    assert (f"{flat:.2f}", f"{flat}") == ("undefined", repr(flat))
    with pytest.raises(InvalidInput, match="there is no number: all ratings are the same"):
        round(flat, 2)


def test_a_name_that_is_a_number_is_not_found() -> None:
    with pytest.raises(NotFound, match="no criterion named '3'"):
        jl.agreement(SCORES, criterion=3)


def test_raters_and_judges_without_a_score_are_told() -> None:
    table = jl.agreement(jl.scores(WIDE.assign(big=np.nan), humans=["ann", "bob"], judges=["gpt", "big"]))
    assert "Left out, as they have no score: big." in table.notes
    with pytest.raises(InvalidInput, match=r"no score by a human rater \(human\)"):
        jl.agreement(human=[None, None], judge=[1, 2])
    with pytest.raises(InvalidInput, match="the filter keeps no rating"):
        jl.agreement(SCORES, filter=jl.Filter(min_annotations=9))


def test_a_table_without_rows_says_so() -> None:
    s = jl.scores(WIDE.assign(big=np.nan), humans=["ann"], judges=["gpt", "big"])
    table = jl.compare(s)
    assert "no estimates" in repr(table) and "Left out: big" in repr(table)
    assert table.to_frame().columns.tolist()[:3] == ["first", "second", "criterion"]
    assert len(table.to_frame()) == 0 and "<table>" in table._repr_html_()


ALONE = jl.scores(human=[1, 2, 3, 4], judge=[1, 2, 3, 3])
UNRATED = jl.scores(
    pd.DataFrame({"item": [1, 1], "rater": ["ann", "gpt"], "score": [None, 1]}), judges=["gpt"]
)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: jl.inter_rater(UNRATED), r"^there is no score by a human rater \(ann\)\.$"),
        (
            lambda: jl.agreement(UNRATED, filter=jl.Filter()),
            r"^there is no score by a human rater \(ann\)\.$",
        ),
        (lambda: jl.agreement(ALONE, filter=jl.Filter()), "there is only 'human'"),
        (lambda: jl.inter_rater(ALONE, filter=jl.Filter()), "there is only 'human'"),
        (lambda: jl.agreement(ALONE, n_resamples=0)[0], "nothing here is called '0'"),
        (lambda: jl.binary(ALONE), r"df\.score >= 5"),
        (lambda: jl.binary(jl.scores(human=["red", "blue", "pink"], judge=["red"] * 3)), r'score == "red"'),
        (
            lambda: jl.binary(jl.scores({**PAIRS, "rater": ["ann", "gpt"]}, judges=["gpt"])),
            "these are choices between two responses",
        ),
        (lambda: _by(LONG.assign(score=pd.Timestamp("2026-01-01"))), "dates or times"),
    ],
)
def test_what_is_wrong_is_what_is_said(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        call()


def test_scores_and_tables_can_be_compared() -> None:
    assert ALONE != jl.scores(human=[1, 2, 3, 4], judge=[1, 2, 3, 3]) and len({ALONE, SCORES}) == 2
    assert jl.filter_raters(SCORES) != jl.filter_raters(SCORES)
    assert jl.biases(ALONE, n_resamples=0) == jl.biases(ALONE, "judge", n_resamples=0)


def test_scales_are_shown_in_words() -> None:
    assert repr(ALONE.scales) == "{'score': <ordinal, 1 to 5>}"


def test_words_without_an_order_are_given_one_by_the_scale_that_is_named() -> None:
    words = ["good", "bad", "neutral"]
    assert 'give scale={"kind": "ordinal"' in jl.scores(human=words, judge=words).about
    scale = {"kind": "ordinal", "low": 1, "high": 3, "labels": {"1": "bad", "2": "neutral", "3": "good"}}
    assert jl.scores(human=words, judge=words, scale=scale).frame["score"].tolist() == [3, 1, 2] * 2


@pytest.mark.parametrize("call", [jl.agreement, jl.compare, jl.inter_rater])
def test_a_criterion_without_human_ratings_is_said_to_be_left_out(call: Callable[..., Any]) -> None:
    rated = WIDE.assign(mini=[1, 5, 3]).melt(id_vars="item", var_name="rater", value_name="score")
    judged = rated[rated["rater"].isin(["gpt", "mini"])]
    both = pd.concat([rated.assign(criterion="tone"), judged.assign(criterion="style")])
    s = jl.scores(both, judges=["gpt", "mini"])
    assert "Left out, without a human rating: style." in call(s, n_resamples=0).notes
    assert not any("style" in note for note in call(s, n_resamples=0, criterion="tone").notes)


def test_nothing_is_printed_as_minus_zero_and_no_reason_twice_in_a_row() -> None:
    assert repr(jl.mean([1.0, 2.0], [1.0, 2.0], [1.5001, 1.5001], lam=1.0)["shift"]).startswith(
        "Estimate(0.000"
    )
    shown = repr(jl.biases(ALONE, n_resamples=0)).split("\n")
    assert [line.count("undefined") for line in shown if " length " in line] == [1]


def test_columns_of_numbers_stay_numbers_where_all_are_undefined() -> None:
    frame = jl.alt_test(SCORES, n_resamples=0).to_frame()
    assert frame["value"].isna().all()
    assert [str(frame[name].dtype) for name in ("value", "low", "high")] == ["float64"] * 3
    frame = jl.biases(SCORES, n_resamples=0).to_frame().query("bias == 'length'")
    assert {str(frame[name].dtype) for name in ("own", "own_low", "raters_high", "p")} == {"float64"}


@pytest.mark.parametrize("call", [jl.agreement, jl.inter_rater])
def test_a_table_without_intervals_claims_none(call: Callable[..., Any]) -> None:
    assert "o intervals." in call(SCORES, n_resamples=0).notes[0]
    assert "95 % intervals" in call(TWENTY, n_resamples=50).notes[0]


def test_names_that_people_use_lead_to_those_that_are_known() -> None:
    for call, named in (
        (
            lambda: jl.inter_rater(SCORES, coefficient="alpha"),
            "'alpha_interval', 'alpha_nominal', 'alpha_ordinal'",
        ),
        (lambda: jl.inter_rater(SCORES, coefficient="icc"), "'icc_1', 'icc_1k', 'icc_a'"),
        (lambda: jl.inter_rater(SCORES, coefficient="kappa"), "Did you mean 'cohen'?"),
        (lambda: jl.agreement(SCORES, coefficient="cohen"), "Did you mean 'kappa'?"),
        (lambda: jl.agreement(SCORES, level="pooled"), "Did you mean 'none'?"),
    ):
        with pytest.raises((InvalidInput, NotFound), match=named):
            call()
