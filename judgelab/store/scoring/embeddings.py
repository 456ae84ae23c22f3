"""Vectors of texts, kept by the text's hash and the encoder's name so that no text is encoded twice.

Which project asked for a vector is noted: what no project needs any more goes with the last one that did.
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
    """A vector that is kept: its row id, its bytes, and whether the project's use of it is noted."""

    row_id: int
    vector: bytes
    used: bool


def known_vectors(
    session: Session, project_id: int, model: str, hashes: Sequence[str]
) -> dict[str, KnownVector]:
    """Return the vectors that are kept, whichever project asked for them, by the hash of their text."""
    found: dict[str, KnownVector] = {}
    mine = and_(EmbeddingUse.embedding_id == EmbeddingRow.id, EmbeddingUse.project_id == project_id)
    query = select(EmbeddingRow.text_hash, EmbeddingRow.id, EmbeddingRow.vector, EmbeddingUse.project_id)
    for part in in_batches(list(hashes)):
        these = query.where(EmbeddingRow.model == model, EmbeddingRow.text_hash.in_(part))
        for key, row_id, vector, user in session.execute(these.outerjoin(EmbeddingUse, mine)):
            found[key] = KnownVector(row_id, vector, user is not None)
    return found


def save_vectors(session: Session, project_id: int, model: str, vectors: Mapping[str, bytes]) -> None:
    """Keep vectors for a project; one that is there already stays. Nothing once the project is gone."""
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
    """Note that a project needs vectors that are kept; nothing once the project is gone."""
    if row_ids and _held(session, project_id):
        for part in in_batches(list(row_ids)):
            _note(session, project_id, part)


def delete_vectors(session: Session, project_id: int) -> None:
    """Remove the vectors that only this project needed; called before it is deleted."""
    other = aliased(EmbeddingUse)
    shared = select(other).where(
        other.embedding_id == EmbeddingUse.embedding_id, other.project_id != project_id
    )
    alone = select(EmbeddingUse.embedding_id).where(EmbeddingUse.project_id == project_id, ~shared.exists())
    session.execute(delete(EmbeddingRow).where(EmbeddingRow.id.in_(alone)))


def _held(session: Session, project_id: int) -> bool:
    """Return whether the project is there, and keep it from being deleted until the transaction ends."""
    query = select(Project.id).where(Project.id == project_id).with_for_update(read=True, key_share=True)
    return session.scalar(query) is not None


def _note(session: Session, project_id: int, row_ids: Sequence[int]) -> None:
    # Another project's end may have removed one meanwhile; those that are left are held.
    query = select(EmbeddingRow.id).where(EmbeddingRow.id.in_(row_ids))
    there = session.scalars(query.with_for_update(read=True, key_share=True)).all()
    if there:
        session.execute(
            _insert(session, EmbeddingUse).on_conflict_do_nothing(),
            [{"embedding_id": row_id, "project_id": project_id} for row_id in there],
        )


def _insert(session: Session, table: type[EmbeddingRow] | type[EmbeddingUse]) -> Any:
    flavour = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    return flavour.insert(table)
