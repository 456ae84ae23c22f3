"""Store text embeddings by text hash and encoder name, so that no text is encoded twice.

The projects that use a vector are recorded, so that it is deleted with the last of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, aliased

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import EmbeddingRow, EmbeddingUse, Project
from judgelab.store.models.base import now


class KnownVector(NamedTuple):
    """A stored vector: its row id, its bytes, and whether the project's use of it is recorded."""

    row_id: int
    vector: bytes
    used: bool


def known_vectors(
    session: Session, project_id: int, model: str, hashes: Sequence[str]
) -> dict[str, KnownVector]:
    """Return the stored vectors for these text hashes, from any project."""
    vectors: dict[str, KnownVector] = {}
    used_here = and_(EmbeddingUse.embedding_id == EmbeddingRow.id, EmbeddingUse.project_id == project_id)
    query = select(EmbeddingRow.text_hash, EmbeddingRow.id, EmbeddingRow.vector, EmbeddingUse.project_id)
    for part in in_batches(list(hashes)):
        kept = query.where(EmbeddingRow.model == model, EmbeddingRow.text_hash.in_(part))
        for key, row_id, vector, user in session.execute(kept.outerjoin(EmbeddingUse, used_here)):
            vectors[key] = KnownVector(row_id, vector, user is not None)
    return vectors


def save_vectors(session: Session, project_id: int, model: str, vectors: Mapping[str, bytes]) -> None:
    """Store vectors for a project; existing ones stay. Does nothing if the project was deleted."""
    if not vectors or not _held(session, project_id):
        return
    rows = [
        {"text_hash": key, "model": model, "vector": vector, "created_at": now()}
        for key, vector in vectors.items()
    ]
    session.execute(_insert(session, EmbeddingRow).on_conflict_do_nothing(), rows)
    for part in in_batches(list(vectors)):
        query = select(EmbeddingRow.id).where(EmbeddingRow.model == model, EmbeddingRow.text_hash.in_(part))
        _note(session, project_id, session.scalars(query).all())


def record_uses(session: Session, project_id: int, row_ids: Sequence[int]) -> None:
    """Record that a project uses stored vectors; does nothing if the project was deleted."""
    if row_ids and _held(session, project_id):
        for part in in_batches(list(row_ids)):
            _note(session, project_id, part)


def delete_vectors(session: Session, project_id: int) -> None:
    """Delete the vectors that only this project uses; called before it is deleted."""
    other = aliased(EmbeddingUse)
    shared = select(other).where(
        other.embedding_id == EmbeddingUse.embedding_id, other.project_id != project_id
    )
    alone = select(EmbeddingUse.embedding_id).where(EmbeddingUse.project_id == project_id, ~shared.exists())
    session.execute(delete(EmbeddingRow).where(EmbeddingRow.id.in_(alone)))


def _held(session: Session, project_id: int) -> bool:
    """Return whether the project exists, locking it against deletion until the transaction ends."""
    query = select(Project.id).where(Project.id == project_id).with_for_update(read=True, key_share=True)
    return session.scalar(query) is not None


def _note(session: Session, project_id: int, row_ids: Sequence[int]) -> None:
    # Deleting another project may have removed a vector in the meantime; lock those that are left.
    query = select(EmbeddingRow.id).where(EmbeddingRow.id.in_(row_ids))
    present = session.scalars(query.with_for_update(read=True, key_share=True)).all()
    if present:
        session.execute(
            _insert(session, EmbeddingUse).on_conflict_do_nothing(),
            [{"embedding_id": row_id, "project_id": project_id} for row_id in present],
        )


def _insert(session: Session, table: type[EmbeddingRow] | type[EmbeddingUse]) -> Any:
    module = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    return module.insert(table)
