"""Scores under a rule are made once while nothing is written, and never older than the database."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling, agreement_table
from judgelab.analysis.agreement.vs_ceiling import vs_ceiling_table
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.data.write_cache import WriteCache
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.models import Rating
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project

SCALE = {"kind": "ordinal", "low": 1, "high": 5}
HEAD = ("item_id", "question", "system", "response", "rater", "rater_kind", "criterion", "score")


@pytest.fixture
def pans(store: Store, tmp_path: Path) -> Store:
    """Forty responses under two criteria, each by three of five raters and by a judge that skips some."""
    rng = random.Random(3)
    with store.writing() as session:
        create_project(session, name="Pans", criteria=[Criterion(key, key, SCALE) for key in ("fit", "safe")])
    with (tmp_path / "ratings.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEAD)
        for number in range(40):
            response = (f"q{number // 2}", "Does it fit?", "ab"[number % 2], f"answer {number}")
            for key in ("fit", "safe"):
                truth = rng.randint(1, 5)
                raters = [(name, "human") for name in rng.sample(["Ada", "Bo", "Cy", "Di", "Ed"], 3)]
                for name, kind in raters + [("judge", "judge")] * (number % 7 > 0):
                    score = min(5, max(1, truth + rng.choice((-1, 0, 0, 1))))
                    writer.writerow((*response, name, kind, key, score))
    import_files(store, "pans", collect_files([tmp_path / "ratings.csv"]))
    return store


def rescore(store: Store, score: float) -> None:
    with store.writing() as session:
        session.query(Rating).order_by(Rating.id).first().score = score


def test_nothing_is_made_again_until_anything_is_written(pans: Store) -> None:
    cache, calls = WriteCache[int](most=10), []

    def ask(key: str) -> int:
        return cache.get(pans, key, lambda: calls.append(key) or len(calls), rows=lambda _: 4)

    assert [ask("a"), ask("b"), ask("a"), ask("b")] == [1, 2, 1, 2]
    with pans.writing() as session:
        people.find_or_create(session, "Flo")
    assert [ask("a"), ask("a")] == [3, 3]
    ask("b"), ask("c")  # twelve rows: what was asked for longest ago goes
    assert [ask("c"), ask("b"), ask("a")] == [5, 4, 6]


def test_scores_under_a_rule_follow_each_rating_and_each_rule(pans: Store) -> None:
    unfiltered = project_scores(pans, "pans", policy="none")
    rescore(pans, 5)
    first = project_scores(pans, "pans", policy="none")
    rescore(pans, 1)
    assert project_scores(pans, "pans", policy="none").humans["score"].iloc[0] == 1
    assert first.humans["score"].iloc[0] == 5
    save_filter(pans, "pans", "strict", FilterPolicy(threshold=0.99, min_overlap=2))
    strict = project_scores(pans, "pans")
    assert strict.policy.name == "strict"
    assert len(strict.scores) < len(unfiltered.scores)
    save_filter(pans, "pans", "strict", FilterPolicy(threshold=-1.0, conflict_scope="off", min_annotations=1))
    assert len(project_scores(pans, "pans").scores) == len(unfiltered.scores)


def test_what_a_caller_does_to_its_frame_nobody_else_sees(pans: Store) -> None:
    changed = project_scores(pans, "pans", policy="none").scores
    changed["score"] = 0.0
    changed.loc[0, "rater"] = "nobody"
    scores = project_scores(pans, "pans", policy="none").scores
    assert scores["score"].min() >= 1
    assert "nobody" not in set(scores["rater"])


@pytest.mark.parametrize("level", ["none", "item"])
def test_several_coefficients_at_once_are_each_of_them_alone(pans: Store, level: str) -> None:
    options = {"level": level, "policy": "none", "resamples": 40}
    names = ["spearman", "qwk", "acc_eq", "pearson", "mae"]
    jointly = agreement_and_ceiling(pans, "pans", coefficients=names, **options)
    separately = [agreement_and_ceiling(pans, "pans", coefficients=[name], **options) for name in names]
    assert jointly.vs_ceiling == [row for result in separately for row in result.vs_ceiling]
    assert jointly.table.rows == tuple(row for result in separately for row in result.table.rows)
    assert jointly.table.ceiling == tuple(row for result in separately for row in result.table.ceiling)


@pytest.mark.parametrize("level", ["none", "item"])
def test_both_tables_at_once_are_the_two_tables(pans: Store, level: str) -> None:
    options = {"level": level, "policy": "none", "resamples": 40}
    both_tables = agreement_and_ceiling(pans, "pans", coefficients=["spearman"], **options)
    assert both_tables.table == agreement_table(pans, "pans", coefficients=("spearman",), **options)
    assert both_tables.vs_ceiling == vs_ceiling_table(pans, "pans", coefficient="spearman", **options)
    assert both_tables.table.ceiling[0].estimate.value is not None
