"""Metrics over a project's responses."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import select

from judgelab.errors import InvalidInput, NotFound
from judgelab.metrics import batches, metrics
from judgelab.metrics.encoder import current_encoder, embed, text_hash
from judgelab.metrics.encoder_files import OFFLINE
from judgelab.runs.metrics import scoring
from judgelab.runs.metrics.embedding_store import EmbeddingStore
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.models import EmbeddingRow, ItemRow, MetricScore, ReferenceRow, ResponseRow
from judgelab.store.projects.projects import create_project


@pytest.fixture
def store(any_store: Store) -> Store:
    """Each test runs on both kinds of database."""
    return any_store


@pytest.fixture
def project(store: Store) -> int:
    """Three items with an answer each: one right, one half right, one without a reference."""
    with store.writing() as session:
        info = create_project(session, name="Lamps")
        for number, (text, reference) in enumerate(
            [("a red lamp", "red lamp"), ("a lamp", "the red lamp"), ("no", None)]
        ):
            item = ItemRow(project_id=info.id, external_id=f"i{number}", question="Which?")
            session.add(item)
            session.flush()
            session.add(
                ResponseRow(project_id=info.id, item_id=item.id, external_id="r", system="s", text=text)
            )
            if reference is not None:
                session.add(ReferenceRow(item_id=item.id, position=0, text=reference))
        return info.id


def rows(store: Store, metric: str) -> list[MetricScore]:
    with store.reading() as session:
        query = select(MetricScore).where(MetricScore.metric == metric).order_by(MetricScore.response_id)
        return list(session.scalars(query))


def test_every_response_gets_its_number_or_its_reason(store: Store, project: int) -> None:
    report = score_project(store, "lamps", ["exact_match", "length"])
    assert report.to_json() == {
        "metrics": [
            {"metric": "exact_match", "scored": 2, "missing": 1, "reasons": {"no reference": 1}},
            {"metric": "length", "scored": 3, "missing": 0, "reasons": {}},
        ]
    }
    assert [row.score for row in rows(store, "exact_match")] == [1, 0, None]
    assert [row.score for row in rows(store, "length")] == [3, 2, 1]


def test_only_what_is_missing_is_made(store: Store, project: int) -> None:
    score_project(store, "lamps", ["exact_match"])
    before = rows(store, "exact_match")
    with store.writing() as session:
        item = session.scalars(select(ItemRow.id).where(ItemRow.external_id == "i2")).one()
        session.add(ReferenceRow(item_id=item, position=0, text="No."))
    time.sleep(0.002)
    report = score_project(store, "lamps", ["exact_match"])
    after = rows(store, "exact_match")
    assert (report.metrics[0].scored, report.missing) == (3, 0)
    assert [a.scored_at == b.scored_at for a, b in zip(after, before, strict=True)] == [True, True, False]
    assert [a.id for a in after] == [b.id for b in before]


def test_other_options_are_another_rater(store: Store, project: int) -> None:
    score_project(store, "lamps", ["rouge1"])
    report = score_project(store, "lamps", ["rouge1", "length"], options={"part": "r"})
    assert [metric.metric for metric in report.metrics] == ["rouge1 (part=r)", "length"]
    f_measure, recall = rows(store, "rouge1"), rows(store, "rouge1 (part=r)")
    assert (f_measure[0].score, recall[0].score) == (pytest.approx(0.8), 1)
    assert (f_measure[0].options["part"], recall[0].options["part"]) == ("f", "r")


def test_an_option_of_one_metric_alone(store: Store, project: int) -> None:
    chosen = {"bleu.tokenizer": "intl", "tokenizer": "unicode", "references": "mean"}
    report = score_project(store, "lamps", ["rouge1", "bleu"], options=chosen)
    assert [metric.metric for metric in report.metrics] == ["rouge1", "bleu"]
    assert rows(store, "bleu")[0].options["tokenizer"] == "intl"
    report = score_project(store, "lamps", ["rouge1", "bleu"])
    assert [metric.metric for metric in report.metrics] == [
        "rouge1 (references=max, tokenizer=ascii)",
        "bleu (references=together, tokenizer=13a)",
    ]
    with pytest.raises(InvalidInput, match="bleu: option tokenizer: 'unicode'.*bleu.NAME=VALUE"):
        score_project(store, "lamps", ["rouge1", "bleu"], options={"tokenizer": "unicode"})
    with pytest.raises(NotFound, match="no metric named 'meteor'"):
        score_project(store, "lamps", ["rouge1"], options={"meteor.wordnet": "true"})


def test_batches_are_stored_one_by_one_and_what_was_halted_goes_on(
    store: Store, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "FIRST_BATCH", 1)
    monkeypatch.setattr(batches, "BATCH", 1)
    settled = {"length": metrics.get("length").settle({})}
    halted = scoring.score_missing(store, project, settled, halted=lambda: True)
    assert halted.halted and [row.score for row in rows(store, "length")] == [3]
    progress: list[tuple[int, int]] = []
    report = score_project(store, "lamps", ["length"], tell=lambda *far: progress.append(far))
    assert report.metrics[0].scored == 3 and progress == [(0, 2), (1, 2), (2, 2)]


def test_numbers_that_stand_on_all_texts_are_remade_when_these_change(store: Store, project: int) -> None:
    options = {"encoder": "tfidf"}
    score_project(store, "lamps", ["embedding"], options=options)
    name = "embedding (encoder=tfidf)"
    before = {row.response_id: row.score for row in rows(store, name)}
    progress: list[tuple[int, int]] = []
    score_project(store, "lamps", ["embedding"], options=options, tell=lambda *far: progress.append(far))
    assert progress[0] == (0, 1)  # only the one without a reference is tried again
    with store.writing() as session:
        item = session.scalars(select(ItemRow.id).where(ItemRow.external_id == "i2")).one()
        session.add(ReferenceRow(item_id=item, position=0, text="a lamp again"))
    score_project(store, "lamps", ["embedding"], options=options)
    after = {row.response_id: row.score for row in rows(store, name)}
    first = min(before)
    assert before[first] != after[first] and None not in after.values()


@pytest.mark.skipif(
    current_encoder() != OFFLINE, reason="torch and the offline model are in requirements.txt"
)
def test_vectors_are_kept_in_the_database(store: Store, project: int) -> None:
    score_project(store, "lamps", ["embedding"])
    with store.reading() as session:
        assert session.query(EmbeddingRow).count() == 4  # two responses that have references, and these
    vectors = EmbeddingStore(store, project)
    [(key, vector)] = vectors.load(OFFLINE, [text_hash("a lamp"), "other"]).items()
    assert key == text_hash("a lamp") and vector.shape == (384,)
    assert (vector == embed(["a lamp"], vectors=vectors).dense()[0].astype("float16")).all()


def test_what_is_not_known_is_named(store: Store, project: int) -> None:
    with pytest.raises(NotFound, match="Did you mean 'rouge"):
        score_project(store, "lamps", ["rougel"])
    with pytest.raises(NotFound, match="Did you mean 'stemmer'"):
        score_project(store, "lamps", ["rouge1", "length"], options={"stemer": "true"})
    with pytest.raises(InvalidInput, match="choose max, mean, first"):
        score_project(store, "lamps", ["rouge1"], options={"references": "median"})
    with pytest.raises(NotFound, match="project"):
        score_project(store, "lamp", ["length"])
    with pytest.raises(InvalidInput, match="at least one"):
        score_project(store, "lamps", [])
