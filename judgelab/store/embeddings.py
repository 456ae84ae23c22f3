"""Vectors of texts, kept by the text's hash and the encoder's name so that no text is encoded twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from judgelab.store.models import EmbeddingRow
from judgelab.store.models.base import now

AT_ONCE = 500  # bound values of one statement


def known_vectors(session: Session, model: str, hashes: Sequence[str]) -> dict[str, bytes]:
    """Return the vectors that are kept, by the hash of their text."""
    found: dict[str, bytes] = {}
    for start in range(0, len(hashes), AT_ONCE):
        query = select(EmbeddingRow.text_hash, EmbeddingRow.vector).where(
            EmbeddingRow.model == model, EmbeddingRow.text_hash.in_(hashes[start : start + AT_ONCE])
        )
        found.update((key, vector) for key, vector in session.execute(query))
    return found


def keep_vectors(session: Session, model: str, vectors: Mapping[str, bytes]) -> None:
    """Keep vectors; one that is there already stays."""
    if not vectors:
        return
    flavour = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    rows = [
        {"text_hash": key, "model": model, "vector": vector, "created_at": now()}
        for key, vector in vectors.items()
    ]
    session.execute(flavour.insert(EmbeddingRow).on_conflict_do_nothing(), rows)


def count_vectors(session: Session) -> int:
    """Return how many vectors are kept."""
    return session.scalar(select(func.count()).select_from(EmbeddingRow)) or 0
