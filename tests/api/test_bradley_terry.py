"""`jl.bradley_terry`: published strengths, those of choix, and the app's."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.analysis.comparison.system_strengths import strength_table
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from tests.stored_frames import stored

PEERS = json.loads(
    Path(__file__).parents[1].joinpath("metaeval", "choix_and_krippendorff.json").read_text(encoding="utf-8")
)["choix"]


def _frame(wins: list[list[float]]) -> pd.DataFrame:
    """Each win as a choice; halves, which come in two, as ties."""
    rows = []
    for first in range(len(wins)):
        for second in range(len(wins)):
            whole = math.floor(wins[first][second])
            rows += [(first, second, "a")] * whole
            if first < second and wins[first][second] > whole:
                rows.append((first, second, "tie"))
    frame = pd.DataFrame(rows, columns=["system_a", "system_b", "choice"])
    return frame.assign(item=range(len(rows)), rater="ann")


@pytest.mark.parametrize("name", PEERS)
def test_strengths_are_those_of_choix(name: str) -> None:
    peer = PEERS[name]
    table = jl.bradley_terry(_frame(peer["wins"]), n_resamples=0)
    found = [table[str(system)].value for system in range(len(peer["wins"]))]
    assert found == pytest.approx(peer["strength"], abs=1e-6)
    assert ("get 0.01 wins each way" in repr(table)) == (peer["prior"] > 0)


def test_odds_of_three_to_one() -> None:
    frame = pd.DataFrame({"item": range(4), "rater": "ann", "choice": ["gpt", "gpt", "mini", "gpt"]})
    table = jl.bradley_terry(frame.assign(system_a="mini", system_b="gpt"), n_resamples=100)
    assert table["gpt"].value == pytest.approx(math.log(3) / 2, abs=1e-9)
    assert table["gpt"].low <= table["gpt"].value <= table["gpt"].high
    counts = table.to_frame()[["system", "games", "wins"]].to_numpy().tolist()
    assert counts == [["gpt", 4, 3], ["mini", 4, 1]]


def test_the_app_has_the_same_strengths(store: Store) -> None:
    rng, rows = np.random.default_rng(7), []
    for item in range(30):
        for one, other in (("A", "B"), ("B", "C"), ("A", "C")):
            said = "ab"[rng.random() < 0.3]
            for rater, kind in (("ann", "human"), ("bob", "human"), ("cy", "human"), ("gpt-4o", "judge")):
                choice = {"a": "b", "b": "a"}[said] if rater == "cy" else said
                choice = "tie" if rng.random() < 0.1 else choice
                rows.append((f"q{item}", rater, kind, one, other, choice, "quality"))
    columns = ["item", "rater", "kind", "system_a", "system_b", "choice", "criterion"]
    frame = pd.DataFrame(rows, columns=columns)
    slug = stored(store, frame)
    save_filter(store, slug, "usual", jl.Filter())
    for policy, filter in (("none", None), ("in use", jl.Filter())):
        ours = jl.bradley_terry(frame, filter=filter)
        theirs = strength_table(store, slug, policy=policy).rows
        assert len(ours) == sum(len(row.strengths.strength) for row in theirs) == 6
        for row in theirs:
            for system, estimate in row.strengths.strength.items():
                found = ours[row.rater, system]
                assert (found.value, found.ci, found.n) == (estimate.value, estimate.ci, estimate.n)
    assert ours["raters", "A"].n == 120  # of the two raters who are kept


def test_the_table_shows_itself_and_what_cannot_be_compared_says_why() -> None:
    table = jl.bradley_terry(_frame(PEERS["five systems"]["wins"]), n_resamples=20)
    assert pickle.loads(pickle.dumps(table)).to_dict() == table.to_dict()
    assert table.to_frame()["system"][0] == "4" and "wins" in repr(table) and "<table>" in table._repr_html_()
    apart = pd.DataFrame(
        {"item": [1, 2], "rater": "ann", "system_a": ["A", "C"], "system_b": ["B", "D"], "choice": ["a", "b"]}
    )
    assert "never compared with the others" in str(jl.bradley_terry(apart)["A"].reason)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match="these are scores of single responses; strengths need choices"):
        jl.bradley_terry(jl.scores(human=[1, 2], judge=[1, 2]))
    frame = _frame(PEERS["five systems"]["wins"])
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.bradley_terry(frame, criterion="tone")
    texts = frame.rename(columns={"system_a": "response_a", "system_b": "response_b"})
    with pytest.raises(InvalidInput, match="no choice is between two systems"):
        jl.bradley_terry(texts)
