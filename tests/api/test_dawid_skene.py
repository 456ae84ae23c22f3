"""`jl.dawid_skene`: the authors' own patients, by hand, and what the model cannot do."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.errors import InvalidInput, NotFound
from tests.loaded_modules import loaded_by

Golden = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def golden(datasets: Path) -> Golden:
    return lambda name: json.loads((datasets / "stats-golden" / f"{name}.json").read_text())


def test_the_authors_own_patients(golden: Golden) -> None:
    example = golden("dawid_skene_1979")
    frame = pd.DataFrame(example["rows_patient_observer_label"], columns=["item", "rater", "score"])
    frame["rater"] = "observer " + frame["rater"].astype(str)
    model, computed = jl.dawid_skene(jl.scores(frame)), example["computed"]
    assert model.labels["label"].tolist() == computed["map_labels"]
    assert model.prevalence["share"].to_numpy() == pytest.approx(computed["class_marginals"], abs=1e-6)
    first = model.confusion[model.confusion["rater"] == "observer 1"]
    published = np.array(computed["observer1_confusion_true_by_observed"])
    assert first["probability"].to_numpy().reshape(4, 4) == pytest.approx(published, abs=1e-6)
    assert model.labels["probability"].min() == pytest.approx(computed["min_max_posterior"], abs=1e-6)
    assert model.converged and model.labels["n"].tolist() == [7] * 45
    assert model.probabilities.groupby("item")["probability"].sum().to_numpy() == pytest.approx(np.ones(45))


def test_a_rater_who_swaps_the_labels_is_read_the_right_way_round() -> None:
    truth = [0, 1, 0, 1, 1, 0, 0, 1]
    raters = {name: list(truth) for name in ("ann", "bob", "cy")}
    raters["bob"][0] = 1
    raters["eve"] = [1 - one for one in truth]
    model = jl.dawid_skene(jl.scores(human=raters))
    assert model.labels["label"].tolist() == truth
    accuracy = model.raters.set_index("rater")["accuracy"]
    assert accuracy["ann"] == pytest.approx(1) and accuracy["eve"] == pytest.approx(0, abs=1e-9)
    assert accuracy["bob"] == pytest.approx(7 / 8)
    of_eve = model.confusion[model.confusion["rater"] == "eve"].set_index(["true", "given"])["probability"]
    assert of_eve[0, 1] == pytest.approx(1) and of_eve[1, 1] == pytest.approx(0, abs=1e-9)


def test_raters_can_be_chosen_and_criteria_are_fitted_apart() -> None:
    rows = [
        (item, rater, kind, criterion, (item + len(criterion)) % 2)
        for item in range(6)
        for rater, kind in (("ann", "human"), ("bob", "human"), ("gpt", "judge"))
        for criterion in ("tone", "truth")
    ]
    frame = pd.DataFrame(rows, columns=["item", "rater", "kind", "criterion", "score"])
    model = jl.dawid_skene(frame)
    assert set(model.raters["rater"]) == {"ann", "bob"} and len(model.labels) == 12
    assert set(jl.dawid_skene(frame, raters=["ann", "gpt"]).raters["rater"]) == {"ann", "gpt"}
    of_one = jl.dawid_skene(frame, raters="gpt", criterion="tone").labels
    assert of_one["label"].tolist() == [0, 1, 0, 1, 0, 1] and of_one["probability"].tolist() == [1] * 6


def test_labels_have_their_names_and_ties_have_none() -> None:
    given = {"ann": ["good", "bad", "good"], "bob": ["good", "bad", "ugly"]}
    labels = jl.dawid_skene(jl.scores(human=given, scale=["good", "bad", "ugly"])).labels
    assert labels["text"].tolist()[:2] == ["good", "bad"]
    tied = jl.dawid_skene(jl.scores(human={"ann": [0, 1], "bob": [1, 0]}))
    assert tied.labels["label"].isna().all() and "2 without a label" in repr(tied)


def test_the_result_shows_itself_and_can_be_stored() -> None:
    model = jl.dawid_skene(jl.scores(human={"ann": [1, 0, 1], "bob": [1, 0, 0], "cy": [1, 0, 1]}))
    again = pickle.loads(pickle.dumps(model))
    assert again.to_frame().equals(model.labels) and again.to_dict()["converged"]
    assert repr(model).startswith("3 labels by 3 raters (Dawid-Skene)")
    assert "<table>" in model._repr_html_()


def test_wrong_arguments_are_named() -> None:
    s = jl.scores(human={"ann": [1, 0]}, judge=[1, 1])
    with pytest.raises(NotFound, match="no rater named 'eve'; known: ann, judge"):
        jl.dawid_skene(s, raters=["eve"])
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.dawid_skene(s, criterion="tone")
    with pytest.raises(InvalidInput, match="nobody gave a label; name the raters"):
        jl.dawid_skene(jl.scores(judge=[1, 2]))
    slider = np.linspace(0, 1, 50)
    with pytest.raises(InvalidInput, match="at most 32 different scores"):
        jl.dawid_skene(jl.scores(human={"ann": slider, "bob": slider}))


def test_no_part_of_the_app_is_loaded() -> None:
    call = 'import judgelab as jl; jl.dawid_skene(jl.scores(human={"a": [1, 0], "b": [1, 1]}))'
    assert loaded_by(call, {"streamlit", "sqlalchemy", "torch", "plotly", "openai", "babel"}) == set()
