"""`jl.trust`: the evidence and the statements of the app."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.analysis.data.to_json import json_values
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from tests.compared import pairs_project
from tests.loaded_modules import loaded_by

RNG = np.random.default_rng(3)
TRUTH = RNG.normal(3, 1, 160)


def _rated(spread: float) -> np.ndarray:
    return np.clip(np.rint(TRUTH + RNG.normal(0, spread, len(TRUTH))), 1, 5)


FRAME = pd.DataFrame(
    {
        "item": np.repeat(np.arange(40), 4),
        "system": np.tile(list("ABCD"), 40),
        "response": [
            f"text {n} " + "word " * int(length) for n, length in enumerate(RNG.integers(3, 40, 160))
        ],
        "ann": _rated(0.5),
        "bob": _rated(0.7),
        "cem": _rated(0.7),
        "gpt": _rated(0.6),
        "kind": np.clip(_rated(0.6) + 1, 1, 5),
    }
)
SCORES = jl.scores(FRAME, humans=["ann", "bob", "cem"], judges=["gpt", "kind"])
FOUND = jl.trust(SCORES, "gpt", n_resamples=300)


def test_marks_and_sentences_are_one_answer() -> None:
    assert FOUND.table["score"].to_dict() == {
        "As good as a rater?": "yes",
        "Better than a trivial baseline?": "yes",
        "Systems in the right order?": "unclear",
        "Passes the bias tests?": "yes",
        "Enough data?": "yes",
    }
    first = FOUND.answer[0]
    assert first.good is True and first.n == 160
    assert FOUND.explain().startswith(
        "On “score”, gpt agrees with the raters as well as they agree with one another."
    )
    assert "Er besteht den Alternative-Annotator-Test (ε = 0.2) bei „score“." in FOUND.explain("de")
    marks = FOUND.marks.set_index("question")
    assert marks.loc["rater", "mark"] == "yes" and marks.loc["systems", "n"] == 40
    assert "Trust in gpt" in repr(FOUND) and "<table>" in FOUND._repr_html_()


def test_a_lenient_judge_fails_the_bias_tests() -> None:
    found = jl.trust(SCORES, "kind", n_resamples=300)
    assert found.table.loc["Passes the bias tests?", "score"] == "no"
    raters = FRAME[["ann", "bob", "cem"]].mean(axis=1).mean()
    assert (
        f"(mean: {FRAME['kind'].mean():.2f}" in found.explain() and f"raters {raters:.2f}" in found.explain()
    )


def test_the_frame_has_every_number() -> None:
    frame = FOUND.to_frame().set_index("statistic")
    own = frame.loc["leniency / own"]
    assert own["value"] == pytest.approx(FRAME["gpt"].mean(), abs=1e-12)
    assert own["low"] < own["value"] < own["high"] and own["criterion"] == "score"
    alternative = jl.alt_test(SCORES, judge="gpt", n_resamples=300)
    assert frame.loc["alternative / advantage", "value"] == alternative["gpt", "advantage"].value
    assert pickle.loads(pickle.dumps(FOUND)).to_dict() == FOUND.to_dict()


def test_own_systems_are_measured() -> None:
    frame = jl.trust(SCORES, "gpt", own_systems="A", n_resamples=100).to_frame().set_index("statistic")
    own = FRAME["system"] == "A"
    apart = FRAME["gpt"] - FRAME[["ann", "bob", "cem"]].mean(axis=1)
    assert frame.loc["family / own", "value"] == pytest.approx(apart[own].mean(), abs=1e-12)
    with pytest.raises(InvalidInput, match="system 'Z' in own_systems; the systems are A, B, C, D"):
        jl.trust(SCORES, "gpt", own_systems=["Z"])


def test_choices_without_an_order_have_no_order_effect() -> None:
    items = [f"q{n}" for n in range(12)]
    frame = pd.DataFrame(
        {
            "item": np.repeat(items, 3),
            "system_a": "A",
            "system_b": "B",
            "winner": RNG.choice(["a", "b", "tie"], 36),
            "rater": ["ann", "bob", "gpt"] * 12,
        }
    )
    statistics = set(jl.trust(jl.scores(frame, judges=["gpt"])).to_frame()["statistic"])
    assert "of_pairs / longer / own" in statistics
    assert not any(name.startswith("of_pairs / order") for name in statistics)
    shown = jl.scores(frame.assign(first=["a", "b", None] * 12), judges=["gpt"])
    assert not any("of_pairs / order" in name for name in jl.trust(shown).to_frame()["statistic"])
    known = jl.trust(jl.scores(frame.assign(first=["a", "b"] * 18), judges=["gpt"])).to_frame()
    rate = known.set_index("statistic").loc["of_pairs / order / first_rate"]
    chosen = frame.assign(first=["a", "b"] * 18).query("rater == 'gpt' and winner != 'tie'")
    assert rate["value"] == pytest.approx((chosen["winner"] == chosen["first"]).mean())
    assert rate["n"] == len(chosen)


@pytest.mark.parametrize(
    "given",
    [
        {"human": [1], "judge": [1]},
        {"human": [1, 1, 1, 1], "judge": [1, 1, 1, 1]},
        {"human": ["a", "b", "c"], "judge": ["a", "b", "b"]},
        {"human": {"ann": [1, 2], "bob": [None, None]}, "judge": [2, None]},
    ],
)
def test_what_cannot_be_measured_is_said(given: dict) -> None:
    found = jl.trust(jl.scores(**given), n_resamples=50)
    assert found.table.loc["As good as a rater?", "score"] == "not measured"
    assert "can't be compared with the raters among themselves" in found.explain()


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match=r'one of the 2 judges: jl.trust\(s, "gpt"\) \(gpt, kind\)'):
        jl.trust(SCORES)
    with pytest.raises(NotFound, match="no judge or metric named 'mini'"):
        jl.trust(SCORES, "mini")
    with pytest.raises(InvalidInput, match="epsilon is 7"):
        jl.trust(SCORES, "gpt", epsilon=7)
    with pytest.raises(InvalidInput, match="no level named 'summary'"):
        jl.trust(SCORES, "gpt", level="summary")


def test_a_project_gives_the_numbers_and_the_answer_of_the_command_line(store: Store) -> None:
    slug = pairs_project(store)
    with jl.open(store.url) as database:
        scores = database.project(slug).scores()
    judge = scores.judges[0]
    theirs = measure_trust(store, slug, judge, comparisons=None, resamples=200)
    ours = jl.trust(scores, judge, n_resamples=200)
    assert ours.to_dict()["criteria"] == [json_values(one) for one in theirs.criteria.values()]
    assert [str(one.text) for one in ours.answer] == [str(one.text) for one in trust_statements(theirs)]


def test_no_part_of_the_app_is_loaded() -> None:
    call = (
        "import judgelab as jl; n = [0, 1, 1, 0, 1, 0]; "
        "s = jl.scores(human={'a': n, 'b': n}, judge={'g': n, 'h': n[::-1]}, system=list('ABABAB')); "
        "jl.compare(s); jl.alt_test(s); jl.biases(s); jl.binary(s); jl.systems(s); "
        "jl.trust(s, 'g').to_frame()"
    )
    assert loaded_by(call, {"streamlit", "sqlalchemy", "torch", "plotly", "openai", "babel"}) == set()


def test_what_is_not_measured_says_why_and_how_to_give_the_texts() -> None:
    raters = {name: [1, 2, 3, 4, 5] * 8 for name in ("ann", "bob")}
    found = jl.trust(jl.scores(human=raters, judge={"gpt": [1, 2, 3, 4, 4] * 8}), n_resamples=50)
    shown = repr(found)
    assert "Better than a trivial baseline? not measured: On “score”, no trivial baseline could" in shown
    assert 'jl.scores(df, columns={"response": "…"})' in shown and 'columns={"response"' in str(
        jl.biases(jl.scores(human=raters, judge={"gpt": [1, 2, 3, 4, 4] * 8}), n_resamples=0).notes
    )
    assert r"Better than a trivial baseline? & not measured" in found.to_latex()
