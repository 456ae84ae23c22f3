"""Kappa of every two raters of the demo, beside scikit-learn's, in the core, the pack and the command."""

from __future__ import annotations

import json

import pytest
from sklearn.metrics import cohen_kappa_score

from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.raters.rater_kappas import rater_kappas
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.tables import kappa_rows
from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.databases import load_demo

PROJECT = "demo-kitchen"


def test_every_two_raters_have_one_kappa_everywhere(store: Store) -> None:
    load_demo(store, "kitchen")
    kappas = rater_kappas(store, PROJECT, policy="none")["answers"]
    data = project_scores(store, PROJECT, policy="none")
    people = data.scores[(data.scores["rater_kind"] == "human") & (data.scores["criterion"] == "answers")]
    wide = people.pivot_table(index="response", columns="rater", values="score")
    labels = [int(point.value) for point in data.project.scale("answers").points()]
    assert kappas.weights == "quadratic" and len(kappas.pairs) > 3
    for pair in kappas.pairs:
        shared = wide[[pair.first, pair.second]].dropna().astype(int)
        by_hand = cohen_kappa_score(
            shared[pair.first], shared[pair.second], labels=labels, weights="quadratic"
        )
        assert pair.estimate.n == len(shared) and pair.estimate.value == pytest.approx(by_hand)
    facts = gather_facts(store, PROJECT, policy="none")
    packed = kappa_rows(facts, {name: name for name in wide.columns})
    command = judgelab(store.url, "raters", PROJECT, "--pairs", "--beside", "all", "--json")
    (printed,) = (
        entry for entry in json.loads(command.stdout)["criteria"] if entry["criterion"] == "answers"
    )
    for pair in kappas.pairs:
        names = sorted((pair.first, pair.second))
        row = packed[packed[["criterion", "first", "second"]].eq(["answers", *names]).all(axis=1)]
        (entry,) = (entry for entry in printed["pairs"] if sorted((entry["first"], entry["second"])) == names)
        assert (row["kappa"].item(), row["n"].item()) == (entry["value"], entry["n"])
        assert entry["value"] == pair.estimate.value
