"""The database as the place where an encoder's vectors are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from judgelab.store.db.engine import Store
from judgelab.store.scoring.embeddings import known_vectors, record_uses, save_vectors

HALF = np.dtype("<f2")


class EmbeddingStore:
    """What `judgelab.metrics.encoder.embed` asks for vectors; each call is a short transaction of its own.

    Args:
        store: the database.
        project_id: the project whose texts they are of.
    """

    def __init__(self, store: Store, project_id: int) -> None:
        self._store, self._project_id = store, project_id

    def load(self, model: str, hashes: Sequence[str]) -> Mapping[str, NDArray[np.float16]]:
        """Return the vectors that are kept, and note that the project needs them."""
        with self._store.reading() as session:
            stored = known_vectors(session, self._project_id, model, hashes)
        fresh = [embedding.row_id for embedding in stored.values() if not embedding.used]
        if fresh:
            with self._store.writing() as session:
                record_uses(session, self._project_id, fresh)
        return {
            key: np.frombuffer(embedding.vector, dtype=HALF).astype(np.float16)
            for key, embedding in stored.items()
        }

    def keep(self, model: str, vectors: Mapping[str, NDArray[np.float16]]) -> None:
        """Keep vectors."""
        stored = {key: vector.astype(HALF).tobytes() for key, vector in vectors.items()}
        with self._store.writing() as session:
            save_vectors(session, self._project_id, model, stored)
