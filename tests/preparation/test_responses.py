"""Review pools: brought in, ranked by BM25, answered from."""

from __future__ import annotations

import math

import pytest

from judgelab.imports.service import import_files
from judgelab.preparation.bm25 import best_matches, bm25_scores
from judgelab.preparation.generation.generate import WriterModel
from judgelab.preparation.responses import MOST_WORDS, TOP, make_responses, read_passages
from judgelab.preparation.step import prepare
from judgelab.runs.endpoints import service
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, ResponseRow
from judgelab.store.projects.documents import count_documents
from judgelab.store.projects.projects import find_project
from tests.runs.openai_server import Habits, Server
from tests.runs.projects import flasks

POOL = ("the lid leaks a lot", "it keeps soup hot", "no leak here the lid is tight and hot soup stays hot")


def test_bm25_by_hand() -> None:
    """Three texts of 5, 4 and 12 words (mean 7), k1 = 1.2, b = 0.75; "hot" stands in two, "lid" in two."""
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert idf == pytest.approx(0.4700036)

    def part(times: int, length: int) -> float:
        return idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / 7))

    assert bm25_scores("hot lid", POOL) == pytest.approx([part(1, 5), part(1, 4), part(1, 12) + part(2, 12)])
    assert best_matches("hot lid", POOL, 2) == [2, 1]
    assert bm25_scores("lid lid", POOL)[0] == pytest.approx(2 * part(1, 5))
    assert bm25_scores("flask", POOL) == [0, 0, 0] and best_matches("flask", POOL, 9) == [0, 1, 2]
    assert bm25_scores("a", []) == [] and bm25_scores("a", [""]) == [0]


def test_what_is_read_ends_at_the_limit_of_words_but_never_is_nothing() -> None:
    assert read_passages("hot lid", POOL, top=100, most_words=16).pool_positions == [2, 1]
    assert read_passages("hot lid", POOL, top=1, most_words=1).pool_positions == [2]


def test_by_default_the_best_hundred_reviews_are_read_however_long_they_are() -> None:
    long_reviews = [f"the hot lid leaks {'word ' * 200}{number}" for number in range(150)]
    read = read_passages("hot lid", long_reviews, top=TOP, most_words=MOST_WORDS)
    assert len(set(read.pool_positions)) == 100 and sum(len(text.split()) for text in read.texts) > 20_000


def test_a_new_system_answers_from_the_reviews_of_the_product(store: Store) -> None:
    slug = flasks(store, 3)
    with store.writing() as session:
        for item in session.query(ItemRow).all():
            item.meta = {"asin": "B01" if item.external_id != "q2" else "B02"}
    table = (
        "asin,reviewText\n" + "\n".join(f"B01,Flask {n} does not leak at all" for n in range(4)) + "\nB99,x\n"
    )
    report = import_files(store, slug, [("reviews.csv", table.encode())], kind="documents")
    assert report.documents == 8 and "1 of 5 rows" in report.notices[0]
    assert import_files(store, slug, [("r.csv", table.encode())], kind="documents").documents == 0
    with store.reading() as session:
        project = find_project(session, slug)
        assert count_documents(session, project.id) == (2, 3, 8)

    with Server(Habits(speaks=lambda prompt: f"From {prompt.count('does not leak')} reviews: no.")) as server:
        service.add_endpoint(store, "local", base_url=server.url, timeout=60)
        options = {"model": "tiny", "endpoint": "local", "system": "reader", "top": "3"}
        outcome = prepare(store, slug, "responses", options)
        assert outcome.data["written"] == 2 and outcome.data["without_documents"] == 1
        first = server.bodies[0]["messages"][0]["content"]
        assert first.count("does not leak at all") == 3
        repeated = make_responses(store, slug, WriterModel("tiny", endpoint="local"), system="reader")
        assert (repeated.written, repeated.had_one) == (0, 2)
        plain = make_responses(store, slug, WriterModel("tiny", endpoint="local"), form="unifiedqa")
        assert (plain.system, plain.written) == ("tiny", 2)
        assert (
            r"does flask 0 leak? \n flask 0 does not leak at all"
            in server.bodies[-1]["messages"][0]["content"]
            or r"does flask 1 leak? \n" in server.bodies[-1]["messages"][0]["content"]
        )
    with store.reading() as session:
        response = session.query(ResponseRow).filter_by(system="reader").order_by(ResponseRow.id).first()
    assert response is not None and response.text == "From 3 reviews: no."
    assert response.meta["origin"] == "model:tiny-1" and response.meta["documents"][0] == 0
