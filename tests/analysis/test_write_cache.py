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
    chance = random.Random(3)
    with store.writing() as session:
        create_project(session, name="Pans", criteria=[Criterion(key, key, SCALE) for key in ("fit", "safe")])
    with (tmp_path / "ratings.csv").open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(HEAD)
        for number in range(40):
            shown = (f"q{number // 2}", "Does it fit?", "ab"[number % 2], f"answer {number}")
            for key in ("fit", "safe"):
                truth = chance.randint(1, 5)
                raters = [(name, "human") for name in chance.sample(["Ada", "Bo", "Cy", "Di", "Ed"], 3)]
                for name, kind in raters + [("judge", "judge")] * (number % 7 > 0):
                    given = min(5, max(1, truth + chance.choice((-1, 0, 0, 1))))
                    writer.writerow((*shown, name, kind, key, given))
    import_files(store, "pans", collect_files([tmp_path / "ratings.csv"]))
    return store


def rescore(store: Store, score: float) -> None:
    with store.writing() as session:
        session.query(Rating).order_by(Rating.id).first().score = score


def test_nothing_is_made_again_until_anything_is_written(pans: Store) -> None:
    kept, made = WriteCache[int](most=10), []

    def ask(key: str) -> int:
        return kept.get(pans, key, lambda: made.append(key) or len(made), rows=lambda _: 4)

    assert [ask("a"), ask("b"), ask("a"), ask("b")] == [1, 2, 1, 2]
    with pans.writing() as session:
        people.find_or_create(session, "Flo")
    assert [ask("a"), ask("a")] == [3, 3]
    ask("b"), ask("c")  # twelve rows: what was asked for longest ago goes
    assert [ask("c"), ask("b"), ask("a")] == [5, 4, 6]


def test_scores_under_a_rule_follow_each_rating_and_each_rule(pans: Store) -> None:
    everything = project_scores(pans, "pans", policy="none")
    rescore(pans, 5)
    first = project_scores(pans, "pans", policy="none")
    rescore(pans, 1)
    assert project_scores(pans, "pans", policy="none").humans["score"].iloc[0] == 1
    assert first.humans["score"].iloc[0] == 5
    save_filter(pans, "pans", "strict", FilterPolicy(threshold=0.99, min_overlap=2))
    strict = project_scores(pans, "pans")
    assert strict.policy.name == "strict"
    assert len(strict.scores) < len(everything.scores)
    save_filter(pans, "pans", "strict", FilterPolicy(threshold=-1.0, conflict_scope="off", min_annotations=1))
    assert len(project_scores(pans, "pans").scores) == len(everything.scores)


def test_what_a_caller_does_to_its_frame_nobody_else_sees(pans: Store) -> None:
    mine = project_scores(pans, "pans", policy="none").scores
    mine["score"] = 0.0
    mine.loc[0, "rater"] = "nobody"
    theirs = project_scores(pans, "pans", policy="none").scores
    assert theirs["score"].min() >= 1
    assert "nobody" not in set(theirs["rater"])


@pytest.mark.parametrize("level", ["none", "item"])
def test_several_coefficients_at_once_are_each_of_them_alone(pans: Store, level: str) -> None:
    asked = {"level": level, "policy": "none", "resamples": 40}
    names = ["spearman", "qwk", "acc_eq", "pearson", "mae"]
    found = agreement_and_ceiling(pans, "pans", coefficients=names, **asked)
    alone = [agreement_and_ceiling(pans, "pans", coefficients=[name], **asked) for name in names]
    assert found.vs_ceiling == [row for one in alone for row in one.vs_ceiling]
    assert found.table.rows == tuple(row for one in alone for row in one.table.rows)
    assert found.table.ceiling == tuple(row for one in alone for row in one.table.ceiling)


@pytest.mark.parametrize("level", ["none", "item"])
def test_both_tables_at_once_are_the_two_tables(pans: Store, level: str) -> None:
    asked = {"level": level, "policy": "none", "resamples": 40}
    found = agreement_and_ceiling(pans, "pans", coefficients=["spearman"], **asked)
    assert found.table == agreement_table(pans, "pans", coefficients=("spearman",), **asked)
    assert found.vs_ceiling == vs_ceiling_table(pans, "pans", coefficient="spearman", **asked)
    assert found.table.ceiling[0].estimate.value is not None
