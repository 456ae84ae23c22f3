"""Vectors of texts: whoever needs them keeps them, and they go with the last project that did."""

from __future__ import annotations

import numpy as np
import pytest

from judgelab.runs.metrics.embedding_store import EmbeddingStore
from judgelab.store.db.engine import Store
from judgelab.store.models import EmbeddingRow, EmbeddingUse
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import create_project

ONE = np.ones(4, dtype=np.float16)
A, B, C = "a" * 64, "b" * 64, "c" * 64


@pytest.fixture
def pans(any_store: Store) -> EmbeddingStore:
    return EmbeddingStore(any_store, made(any_store, "Pans"))


@pytest.fixture
def lamps(any_store: Store) -> EmbeddingStore:
    return EmbeddingStore(any_store, made(any_store, "Lamps"))


def made(store: Store, name: str) -> int:
    with store.writing() as session:
        return create_project(session, name=name).id


def delete(store: Store, slug: str) -> None:
    with store.writing() as session:
        delete_project(session, slug)


def left(store: Store) -> tuple[int, int]:
    """Return how many vectors are kept, and how many notes of who needs them."""
    with store.reading() as session:
        return session.query(EmbeddingRow).count(), session.query(EmbeddingUse).count()


def test_a_vector_goes_with_the_last_project_that_needs_it(
    any_store: Store, pans: EmbeddingStore, lamps: EmbeddingStore
) -> None:
    pans.keep("m", {A: ONE, B: ONE})
    pans.keep("other model", {A: ONE})
    lamps.keep("m", {B: 2 * ONE, C: ONE})
    assert lamps.load("m", [B])[B].tolist() == ONE.tolist()  # what was there first stays
    assert left(any_store) == (4, 5)
    delete(any_store, "pans")
    assert left(any_store) == (2, 2)
    assert set(lamps.load("m", [A, B, C])) == {B, C}
    delete(any_store, "lamps")
    assert left(any_store) == (0, 0)


def test_a_vector_that_was_only_looked_up_is_needed_too(
    any_store: Store, pans: EmbeddingStore, lamps: EmbeddingStore
) -> None:
    pans.keep("m", {A: ONE, B: ONE})
    assert set(lamps.load("m", [A, C])) == {A}
    assert set(lamps.load("m", [A, C])) == {A}  # a second look notes nothing new
    assert left(any_store) == (2, 3)
    delete(any_store, "pans")
    assert set(lamps.load("m", [A, B])) == {A} and left(any_store) == (1, 1)


def test_nothing_is_kept_for_a_project_that_is_gone(
    any_store: Store, pans: EmbeddingStore, lamps: EmbeddingStore
) -> None:
    lamps.keep("m", {A: ONE})
    delete(any_store, "pans")
    pans.keep("m", {B: ONE})
    assert set(pans.load("m", [A, B])) == {A}
    assert left(any_store) == (1, 1)
