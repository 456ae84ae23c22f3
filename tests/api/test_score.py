"""`jl.score`: the numbers of published implementations and of a project, beside the frame's own columns."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from rouge_score import rouge_scorer
from sqlalchemy import select

import judgelab as jl
from judgelab.api import progress
from judgelab.errors import InvalidInput, NotFound
from judgelab.imports.service import import_files
from judgelab.metrics.base import NO_REFERENCE
from judgelab.metrics.encoder import TFIDF
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, MetricScore, ResponseRow
from judgelab.store.projects.projects import create_project

FRAME = pd.DataFrame(
    {
        "item": ["q1", "q2", "q3", "q4"],
        "response": ["a red lamp", "the lamp is blue", None, "no"],
        "reference": ["the red lamp", ["a blue lamp", "the lamp is blue"], "yes", None],
        "document": ["a lamp", "lamps are blue", "", "nothing"],
    },
    index=pd.Index([9, 7, 7, 1], name="row"),
)


def test_the_numbers_are_those_of_rouge_score() -> None:
    scored = jl.score(FRAME, ["rouge1", "rougeL"])
    theirs = rouge_scorer.RougeScorer(["rouge1", "rougeL"]).score("the red lamp", "a red lamp")
    assert scored["rouge1"].iloc[0] == pytest.approx(theirs["rouge1"].fmeasure, abs=1e-12)
    assert scored["rougeL"].iloc[0] == pytest.approx(theirs["rougeL"].fmeasure, abs=1e-12)
    assert scored["rouge1"].iloc[1] == 1.0  # the better one of two references


def test_rows_and_index_stay_and_the_frame_given_is_not_changed() -> None:
    before = FRAME.copy()
    scored = jl.score(FRAME, "rouge1")
    pd.testing.assert_frame_equal(FRAME, before)
    pd.testing.assert_frame_equal(scored[FRAME.columns], FRAME)
    assert list(scored.columns) == [*FRAME.columns, "rouge1"] and scored["rouge1"].dtype == float


def test_what_is_missing_is_missing_with_its_reason_and_never_zero() -> None:
    scored = jl.score(FRAME, ["rouge1", "novelty", "length"])
    assert scored["rouge1"].isna().tolist() == [False, False, True, True]
    about = scored.attrs["judgelab"]
    assert about["reasons"] == {
        "rouge1": {NO_REFERENCE: [3], "no response": [2]},
        "novelty": {"no response": [2]},
        "length": {"no response": [2]},
    }
    assert about["options"]["rouge1"]["references"] == "max"
    json.dumps(scored.attrs)  # as Parquet stores them
    empty = jl.score(pd.DataFrame({"response": ["", "a lamp"], "gold": "a lamp"}), "rouge1")
    assert empty["rouge1"].tolist() == [0.0, 1.0]  # an empty text is a response
    assert jl.score(FRAME.iloc[:0], "rouge1")["rouge1"].tolist() == []


def test_options_go_to_the_metrics_that_have_them() -> None:
    scored = jl.score(FRAME, ["rouge1", "length"], options={"rouge1.references": "first"})
    assert scored["rouge1"].iloc[1] < 1
    again = jl.score(scored, "rouge1")  # a column of ours is made anew
    assert again["rouge1"].iloc[1] == 1 and again["length"].equals(scored["length"])


def test_references_are_found_in_several_columns_and_in_lists() -> None:
    frame = pd.DataFrame(
        {"my text": ["a b", "a b"], "reference_2": ["a b", "c"], "reference_1": ["x", '["y", "a b"]']}
    )
    scored = jl.score(frame, "exact_match", columns={"response": "my text"})
    assert scored["exact_match"].tolist() == [1, 1]
    named = jl.score(frame, "exact_match", columns={"response": "my text", "reference": ["reference_1"]})
    assert named["exact_match"].tolist() == [0, 1]
    arrays = pd.DataFrame({"output": "a b", "reference": [np.array(["z", "a b"]), ("q",)]})
    assert jl.score(arrays, "exact_match")["exact_match"].tolist() == [1, 0]


def test_a_project_gets_the_same_numbers(store: Store, tmp_path) -> None:
    names = ["rouge2", "bleu", "token_f1", "novelty", "repscore", "embedding"]
    frame = pd.DataFrame(
        {
            "item_id": [f"q{n}" for n in range(30)],
            "system": "s",
            "response": [f"lamp {n} is {'red' if n % 3 else 'blue'} today" for n in range(30)],
            "reference": [f"the lamp {n} is red" for n in range(30)],
            "context": [f"lamps {n % 7}" for n in range(30)],
        }
    )
    frame.to_csv(tmp_path / "data.csv", index=False)
    with store.writing() as session:
        create_project(session, name="Lamps")
    import_files(store, "lamps", [("data.csv", tmp_path / "data.csv")])
    options = {"embedding.encoder": TFIDF}
    score_project(store, "lamps", names, options=options)
    ours = jl.score(frame, names, options=options)
    for name in names:
        stored = _stored(store, name)
        assert ours[name].tolist() == [stored[item] for item in frame["item_id"]], name


def _stored(store: Store, metric: str) -> dict[str, float]:
    query = (
        select(ItemRow.external_id, MetricScore.score)
        .join(ResponseRow, ResponseRow.item_id == ItemRow.id)
        .join(MetricScore, MetricScore.response_id == ResponseRow.id)
        .where(MetricScore.metric.startswith(metric))
    )
    with store.reading() as session:
        return {item: score for item, score in session.execute(query) if score is not None}


def test_a_missing_package_is_named() -> None:
    code = (
        "import importlib.util as u; u.find_spec = lambda n, f=u.find_spec: None if n == 'torch' else f(n)\n"
        "import judgelab as jl\n"
        "jl.score({'response': ['a'], 'reference': ['a']}, 'bertscore_f1')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "bertscore_f1 needs torch and transformers" in run.stderr
    assert "pip install 'judgelab[models]'" in run.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_longer_work_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    jl.score(FRAME, "length")
    assert terminal.getvalue() == ""
    monkeypatch.setattr(progress, "WAIT_SECONDS", 0)
    monkeypatch.setattr(progress, "STEP_SECONDS", 0)
    jl.score(FRAME, ["length", "rouge1"])
    assert terminal.getvalue().split("\r")[-1].startswith("████████████████████ 6 of 6 scores")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    jl.score(FRAME, "length", progress=False)
    assert terminal.getvalue() == ""


def test_a_file_gets_a_line_a_minute_and_a_notebook_is_as_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "WAIT_SECONDS", 0)
    monkeypatch.setattr(progress, "STEP_SECONDS", 0)
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    jl.score(FRAME, ["length", "rouge1"])
    assert file.getvalue() == ""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0)
    jl.score(FRAME, ["length", "rouge1"])
    assert [line.split(" scores")[0][-6:] for line in file.getvalue().splitlines()] == ["3 of 6", "6 of 6"]
    assert "\r" not in file.getvalue()
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    jl.score(FRAME, "length")
    assert "\r" in file.getvalue()
    monkeypatch.setattr(sys, "stderr", None)
    assert len(jl.score(FRAME, "length")) == 4


def test_nothing_heavy_is_loaded() -> None:
    code = (
        "import judgelab as jl, sys\njl.score({'response': ['a'], 'gold': ['a']}, 'rouge1')\n"
        "print(sorted({'streamlit', 'sqlalchemy', 'torch', 'plotly', 'openai', 'babel'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: jl.score(FRAME, []), 'jl.score(df, ["rouge1"])'),
        (lambda: jl.score(3, "rouge1"), "int is no data frame"),
        (lambda: jl.score(FRAME.drop(columns="response"), "rouge1"), 'columns={"response": "…"}'),
        (lambda: jl.score(FRAME.drop(columns="reference"), "rouge1"), 'columns={"reference": "…"}'),
        (lambda: jl.score(FRAME.drop(columns="document"), "novelty"), 'columns={"context": "…"}'),
        (lambda: jl.score(FRAME, "rouge1", columns={"answer": "item"}), "columns has no text 'answer'"),
        (lambda: jl.score(FRAME, "rouge1", columns={"response": "x"}), "no column is called 'x'"),
        (lambda: jl.score(FRAME.assign(length=1), "length"), "a column 'length' already"),
        (lambda: jl.score(FRAME, "rouge1", options={"references": "best"}), "references"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_the_call_that_works(call, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert words in str(caught.value)


def test_unknown_names_are_told() -> None:
    with pytest.raises(NotFound, match="Did you mean 'bleu'"):
        jl.score(FRAME, ["bleus"])
    with pytest.raises(NotFound, match="no option named 'stem'"):
        jl.score(FRAME, ["rouge1"], options={"stem": True})
