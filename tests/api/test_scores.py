"""`jl.scores`: four shapes of data come out as the same scores, and what cannot be understood is refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.errors import InvalidInput
from tests.loaded_modules import loaded_by

LONG = pd.DataFrame(
    {
        "item": ["q1", "q1", "q1", "q2", "q2", "q2"],
        "rater": ["ann", "bob", "gpt"] * 2,
        "score": [1, 2, 2, 5, None, 4],
    }
)
WIDE = pd.DataFrame({"item": ["q1", "q2"], "ann": [1, 5], "bob": [2, None], "gpt": [2, 4]})
BY_RATER = {"ann": {"q1": 1, "q2": 5}, "bob": {"q1": 2, "q2": None}}


def _rows(s: jl.Scores) -> list[tuple[str, str, str, float]]:
    frame = s.frame.dropna(subset="score")
    return sorted(frame[["item", "rater", "kind", "score"]].itertuples(index=False, name=None))


ROWS = [
    ("q1", "ann", "human", 1.0),
    ("q1", "bob", "human", 2.0),
    ("q1", "gpt", "judge", 2.0),
    ("q2", "ann", "human", 5.0),
    ("q2", "gpt", "judge", 4.0),
]


@pytest.mark.parametrize(
    "given",
    [
        lambda: jl.scores(LONG, judges=["gpt"]),
        lambda: jl.scores(LONG, humans=["ann", "bob"]),
        lambda: jl.scores(LONG.assign(kind=["human", "human", "model"] * 2)),
        lambda: jl.scores(LONG.set_index(["item", "rater"]), judges=["gpt"]),
        lambda: jl.scores(LONG.rename(columns={"item": "qid", "score": "rating"}), judges=["gpt"]),
        lambda: jl.scores(
            LONG.astype("category").assign(score=LONG["score"].astype("Float64")), judges=["gpt"]
        ),
        lambda: jl.scores(LONG.assign(score=["1", "2", " 2", "5", "", "4.0"]), judges=["gpt"]),
        lambda: jl.scores(LONG.to_dict("records"), judges=["gpt"]),
        lambda: jl.scores(WIDE, humans=["ann", "bob"], judges=["gpt"]),
        lambda: jl.scores(BY_RATER, judges={"gpt": {"q1": 2, "q2": 4}}),
        lambda: jl.scores(
            human={"ann": (1, 5), "bob": np.array([2, np.nan])},
            judge={"gpt": pd.Series([2, 4])},
            item=["q1", "q2"],
        ),
    ],
)
def test_every_shape_gives_the_same_scores(given) -> None:
    s = given()
    assert _rows(s) == ROWS
    assert s.scales["score"].describe() == "ordinal, 1 to 5"
    assert (s.humans, s.judges) == (("ann", "bob"), ("gpt",))


def test_missing_is_missing_and_never_zero() -> None:
    s = jl.scores(human=[1, None, float("nan"), "", pd.NA, 0], judge=[1, 0, 1, 0, 1, 1])
    human = s.frame[s.frame["kind"] == "human"]["score"]
    assert human.isna().tolist() == [False, True, True, True, True, False]


def test_words_are_points_of_a_scale() -> None:
    s = jl.scores(human=["good", "bad", "fair"], judge=["bad", "bad", "good"])
    assert s.frame["score"].tolist() == [3.0, 1.0, 2.0, 1.0, 1.0, 3.0]
    assert "bad 1, fair 2, good 3" in s.about
    yes = jl.scores(human=["yes", "no", True], judge=[1, "False", "correct"])
    assert yes.frame["score"].tolist() == [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    assert yes.scales["score"].kind == "binary"
    labels = jl.scores(human=["red", "blue"], judge=["blue", "blue"], scale=["blue", "red"])
    assert labels.frame["score"].tolist() == [2.0, 1.0, 1.0, 1.0]


def test_what_was_understood_is_said() -> None:
    frame = WIDE.rename(columns={"item": "qid"}).assign(model="A", answer="yes", weather="rain")
    about = jl.scores(frame, humans=["ann", "bob"], judges=["gpt"]).about
    assert "item is “qid”, system is “model”" in about
    assert "Columns not used: answer, weather" in about
    assert 'say which: columns={"response": "answer"}' in about
    unnamed = jl.scores(WIDE.rename(columns={"item": "Frage"}), humans=["ann"], judges=["gpt"])
    assert "Each row is an item of its own" in unnamed.about and "not used: Frage, bob" in unnamed.about


def test_a_judge_on_another_scale_is_not_on_the_raters() -> None:
    s = jl.scores(human=[1, 3, 5, 4], judge=[10, 60, 100, 70])
    assert s.scales["score"].describe() == "ordinal, 1 to 5"
    assert "gave scores outside the raters' scale" in s.about
    assert jl.agreement(s)["judge"].value == pytest.approx(1)
    assert jl.agreement(s, coefficient="exact")["judge"].value is None
    both = jl.scores(human=[1, 3, 5, 4], judge=[0, 6, 10, 7], scale=(0, 10))
    assert "outside" not in both.about and both.scales["score"].describe() == "ordinal, 0 to 10"


def test_codes_of_missing_scores_are_left_out_if_they_are_named() -> None:
    assert "give missing=[-1]" in jl.scores(human=[-1, 2, 3, 5], judge=[1, 2, 3, 4]).about
    s = jl.scores(human=[-1, 2, 3, 5], judge=[1, 2, 3, 4], missing=[-1])
    assert s.frame["score"].isna().tolist() == [True] + [False] * 7
    assert jl.scores(human=[2, 3], judge=[2, 4], scale="1-5").scales["score"].describe() == "ordinal, 1 to 5"


def test_scores_can_be_told_who_are_judges() -> None:
    people = jl.scores(WIDE, humans=["ann", "bob", "gpt"])
    told = jl.scores(people, judges=["gpt"])
    assert (told.humans, told.judges) == (("ann", "bob"), ("gpt",))
    assert _rows(told) == ROWS
    assert jl.scores(told, scale=(0, 10)).scales["score"].describe() == "ordinal, 0 to 10"
    assert jl.scores(told, scale=(0, 10)).judges == ("gpt",)


def test_a_file_may_be_told_who_are_judges(tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("item,rater,score\nq1,Anna,4\nq1,gpt-4o,5\nq2,Anna,2\nq2,gpt-4o,3\n")
    assert "if they are judges, name them: judges=[…]" in jl.read(file).about
    told = jl.read(file, judges=["gpt-4o"])
    assert (told.humans, told.judges) == (("Anna",), ("gpt-4o",))
    assert "look like models" not in told.about
    assert told._data.humans["rater"].tolist() == ["Anna", "Anna"]
    with pytest.raises(
        InvalidInput, match="no rater is called 'gpt-4'; the raters are Anna, gpt-4o. Did you"
    ):
        jl.read(file, judges=["gpt-4"])


def test_names_of_rows_are_items_and_raters_have_names_of_their_own() -> None:
    named = pd.DataFrame({"ann": [1, 2], "gpt": [2, 2]}, index=["q7", "q9"])
    assert jl.scores(named, humans=["ann"], judges=["gpt"]).frame["item"].tolist() == ["q7", "q9"] * 2
    with pytest.raises(InvalidInput, match="a rater can't be called 'system'"):
        jl.scores(human={"system": [1, 2]}, judge=[1, 2])


def test_choices_between_two_responses() -> None:
    frame = pd.DataFrame(
        {
            "item": ["q1", "q2", "q1", "q2"],
            "system_a": ["A", "B", "A", "A"],
            "system_b": ["B", "A", "B", "B"],
            "winner": ["A", "tie", "b", "model_a"],
            "rater": ["ann", "ann", "gpt", "gpt"],
        }
    )
    s = jl.scores(frame, judges=["gpt"])
    assert s.frame["score"].tolist() == [1.0, 2.0, 3.0, 1.0]  # first, tie, second, first
    wide = pd.DataFrame(
        {"item": ["q1", "q2"], "system_a": "A", "system_b": "B", "ann": ["a", "tie"], "gpt": ["b", "a"]}
    )
    assert jl.scores(wide, humans=["ann"], judges=["gpt"]).frame["score"].tolist() == [1.0, 2.0, 3.0, 1.0]


def test_responses_are_told_apart_by_system_id_or_text() -> None:
    frame = pd.DataFrame({"item": ["q", "q"], "rater": "ann", "score": [1, 2]})
    assert jl.scores(frame.assign(system=["A", "B"])).frame["response"].nunique() == 2
    assert jl.scores(frame.assign(response_id=["r1", "r2"])).frame["response"].tolist() == ["r1", "r2"]
    assert jl.scores(frame.assign(response=["yes", "no"])).frame["response"].nunique() == 2
    repeated = jl.scores(frame)
    assert repeated.frame["response"].nunique() == 1
    assert "1 score repeats" in repeated.about


def test_values_are_not_changed_by_pickling_and_the_frame_is_a_copy() -> None:
    s = jl.scores(LONG, judges=["gpt"])
    again = pickle.loads(pickle.dumps(s))
    pd.testing.assert_frame_equal(again.frame, s.frame)
    taken = s.frame
    taken.loc[0, "score"] = 99
    assert s.frame.loc[0, "score"] == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: jl.scores(), "jl.scores(df)"),
        (lambda: jl.scores(3), "int is no data frame"),
        (lambda: jl.scores("results.json"), 'jl.read("results.json")'),
        (lambda: jl.scores(pd.DataFrame()), "no rows"),
        (lambda: jl.scores(WIDE), 'humans=["ann", "bob"], judges=["gpt"]'),
        (lambda: jl.scores(WIDE, humans=["ann", "carl"]), "no column is called 'carl'"),
        (
            lambda: jl.scores(LONG, judges=["gtp"]),
            "are ann, bob, gpt. Did you mean 'gpt'?",
        ),
        (
            lambda: jl.scores(LONG),
            'nothing says who are judges; call jl.scores(df, judges=["gpt"])',
        ),
        (
            lambda: jl.scores(WIDE.assign(ann=["four", 5]), humans=["ann"], judges=["gpt"]),
            "the column 'ann' has numbers and words",
        ),
        (lambda: jl.scores(LONG.drop(columns="item"), judges=["gpt"]), "which item each score is of"),
        (
            lambda: jl.scores(LONG.assign(item=[None, *LONG["item"][1:]]), judges=["gpt"]),
            "'item' is empty in row 1",
        ),
        (
            lambda: jl.scores(LONG.assign(rater=[np.nan, *LONG["rater"][1:]]), judges=["gpt"]),
            "'rater' is empty in row 1",
        ),
        (lambda: jl.scores(LONG.assign(kind="robot")), "'kind' holds 'robot'"),
        (lambda: jl.scores(LONG.assign(score=np.inf), judges=["gpt"]), "'score' is infinite in row 1"),
        (
            lambda: jl.scores(LONG.assign(score=["good", 1, 1, 1, 1, 1]), judges=["gpt"]),
            "numbers and words, such as 'good'",
        ),
        (lambda: jl.scores(LONG, columns={"items": "item"}), "no field 'items'"),
        (lambda: jl.scores(human=[1, 2], judge=[1]), "human has 2 values and judge has 1"),
        (lambda: jl.scores(human=[[1, 2]], judge=[1]), "human must be one score after another"),
        (lambda: jl.scores(LONG, scale="best", judges=["gpt"]), "'best' is not a scale"),
        (lambda: jl.scores(LONG, scale={"fluency": (1, 5)}, judges=["gpt"]), "the criteria are score"),
        (lambda: jl.scores(pd.concat([WIDE, WIDE["ann"]], axis=1)), "two columns are called 'ann'"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_the_call_that_works(call, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert words in str(caught.value)


def test_importing_the_package_loads_nothing() -> None:
    assert loaded_by("import judgelab", {"numpy", "pandas", "scipy"}) == set()
    call = "import judgelab as jl; jl.agreement(human=[1, 2, 3], judge=[1, 2, 2])"
    assert loaded_by(call, {"streamlit", "sqlalchemy", "torch", "plotly", "openai", "babel"}) == set()


def test_judges_are_named_among_dictionaries_by_rater() -> None:
    by_rater = {"ann": {"q1": 1, "q2": 3}, "gpt": {"q1": 2, "q2": 3}, "bleu": {"q1": 0.2, "q2": 0.4}}
    s = jl.scores(by_rater, judges=["gpt"], metrics=["bleu"])
    assert (s.humans, s.judges) == (("ann",), ("gpt", "bleu"))
    given = jl.scores(
        {"ann": by_rater["ann"]}, judges={"gpt": by_rater["gpt"]}, metrics={"bleu": {"q1": 0.2}}
    )
    assert given.raters["kind"].tolist() == ["human", "judge", "metric"]
    with pytest.raises(InvalidInput, match="no rater is called 'mini'"):
        jl.scores(by_rater, judges=["mini"])


def test_names_that_are_listed_count_before_the_column_of_kinds() -> None:
    frame = pd.DataFrame({"item": [1, 1], "rater": ["ann", "gpt"], "kind": "human", "score": [1, 2]})
    assert jl.scores(frame, judges=["gpt"]).judges == ("gpt",)
    with pytest.raises(InvalidInput, match="'gpt' is listed twice"):
        jl.scores(frame.drop(columns="kind"), humans=["ann", "gpt"], judges=["gpt"])


@pytest.mark.parametrize("kinds", [["human", "judge"], ["metric", "judge"]])
def test_a_name_of_two_kinds_is_refused(kinds: list[str]) -> None:
    frame = pd.DataFrame({"item": [1, 1, 2], "rater": ["ann", "ann", "bob"], "kind": [*kinds, "human"]})
    with pytest.raises(InvalidInput, match="'ann' is the name of a"):
        jl.scores(frame.assign(score=[1, 2, 3]))


def test_what_would_be_ignored_is_refused() -> None:
    s = jl.scores(human=[1, 2, 3], judge=[1, 2, 2])
    with pytest.raises(InvalidInput, match="scores already"):
        jl.scores(s, columns={"item": "qid"})
    with pytest.raises(InvalidInput, match="no scale"):
        jl.scores(
            {"item": [1], "rater": ["ann"], "system_a": ["A"], "system_b": ["B"], "choice": ["a"]}, scale=5
        )
    with pytest.raises(InvalidInput, match="filter does not go with"):
        jl.agreement(human=[1, 2, 3], judge=[1, 2, 2], filter=jl.Filter())


def test_each_place_of_vectors_is_a_response_of_its_own() -> None:
    human, judge = [1, 2, 3, 3, 2, 1], [1, 3, 2, 3, 2, 1]
    s = jl.scores(human=human, judge=judge, item=["a", "a", "a", "b", "b", "b"])
    found = jl.agreement(s, level="item", coefficient="pearson", n_resamples=0)["judge"]
    assert (found.value, found.n) == (pytest.approx((0.5 + 1) / 2), 6)  # r of 1 2 3 and 1 3 2 is 0.5
    wide = pd.DataFrame({"item": "a", "system": "A", "criterion": ["x", "x", "y", "y"], "ann": [1, 2, 3, 4]})
    frame = jl.scores(wide, humans=["ann"]).frame
    assert frame["response"].tolist() == ["a A (1)", "a A (2)"] * 2


def test_a_response_without_text_is_none_of_another_item() -> None:
    frame = pd.DataFrame(
        {"item": ["a", "a", "b"], "response": ["y", "z", None], "rater": "ann", "score": [1, 2, 5]}
    )
    assert jl.scores(frame).frame["response"].nunique() == 3


def test_a_whole_number_is_no_truth_value() -> None:
    with pytest.raises(InvalidInput, match="n_resamples is True"):
        jl.agreement(human=[1, 2, 3], judge=[1, 2, 2], n_resamples=True)
