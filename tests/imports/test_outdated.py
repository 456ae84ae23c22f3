"""Numbers that rest on texts that an import changes are not kept as if nothing had happened."""

from __future__ import annotations

from sqlalchemy import select

from judgelab.imports.service import import_files
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.models import JudgeRow, MetricScore, ResponseRow
from tests.imports.conftest import Bring

ITEMS = "item_id,question,system,response,reference\nq1,Who?,a,Ann Smith,Ann\nq2,When?,a,now,now\n"


def numbers(store: Store, metric: str) -> dict[str, float | None]:
    """Return the metric's number of each response, by its text."""
    with store.reading() as session:
        query = select(ResponseRow.text, MetricScore.score).join(MetricScore)
        return {text: score for text, score in session.execute(query.where(MetricScore.metric == metric))}


def test_a_new_reference_makes_the_numbers_of_its_item_anew(bring: Bring, store: Store) -> None:
    bring(ITEMS)
    score_project(store, "p", ["exact_match", "rouge1"])
    assert numbers(store, "exact_match") == {"Ann Smith": 0.0, "now": 1.0}
    report = bring("item_id,reference\nq1,Ann Smith\nq2,now\n")
    assert any(notice.startswith("2 metric scores were based on texts") for notice in report.notices)
    assert numbers(store, "exact_match") == {"now": 1.0}
    score_project(store, "p", ["exact_match", "rouge1"])
    assert numbers(store, "exact_match") == {"Ann Smith": 1.0, "now": 1.0}


def test_a_text_that_comes_later_makes_its_number_anew(bring: Bring, store: Store) -> None:
    bring("item_id,system,rater,score\nq1,a,r,1\n", create_missing=True)
    score_project(store, "p", ["length"])
    assert numbers(store, "length") == {"": 0.0}
    bring(ITEMS)
    score_project(store, "p", ["length"])
    assert numbers(store, "length") == {"Ann Smith": 2.0, "now": 1.0}


def test_what_changes_no_text_removes_no_number(bring: Bring, store: Store) -> None:
    bring(ITEMS)
    score_project(store, "p", ["length"])
    repeated = bring(ITEMS)
    other_response = bring("item_id,question,group,system,response\nq1,Who?,people,b,Bob\n")
    assert (repeated.notices, other_response.notices) == ((), ())
    assert numbers(store, "length") == {"Ann Smith": 2.0, "now": 1.0}


def test_numbers_that_a_file_brought_stay(bring: Bring, store: Store) -> None:
    metric_rows = "item_id,system,rater,rater_kind,score\nq1,a,exact_match,metric,0.25\n"
    bring(metric_rows, create_missing=True)
    bring(ITEMS)
    assert numbers(store, "exact_match") == {"Ann Smith": 0.25}
    assert bring(metric_rows).unchanged == {"metrics": 1}


def test_verdicts_given_before_the_texts_came_are_kept_and_told_of(bring: Bring, store: Store) -> None:
    bring("item_id,system,judge,score\nq1,a,m,1\nq2,a,m,0\n", create_missing=True)
    report = bring(ITEMS)
    assert not any("made before" in notice for notice in report.notices)
    with store.writing() as session:
        session.scalars(select(JudgeRow)).one().origin = "run"
    report = bring("item_id,reference\nq1,Anna\n")
    assert "1 judgment made before texts or references changed is kept" in report.notices[-1]


def test_a_rehearsal_removes_nothing(bring: Bring, store: Store) -> None:
    bring(ITEMS)
    score_project(store, "p", ["length"])
    report = import_files(store, "p", [("r.csv", b"item_id,reference\nq1,Anna\n")], dry_run=True)
    assert "1 metric score was based on texts" in report.notices[-1]
    assert len(numbers(store, "length")) == 2
