"""The database as the place where an encoder's vectors are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from judgelab.store.embeddings import keep_vectors, known_vectors
from judgelab.store.engine import Store

HALF = np.dtype("<f2")


class StoredVectors:
    """What `judgelab.metrics.encoder.embed` asks for vectors; each call is a short transaction of its own.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self, model: str, hashes: Sequence[str]) -> Mapping[str, NDArray[np.float16]]:
        """Return the vectors that are kept."""
        with self._store.reading() as session:
            found = known_vectors(session, model, hashes)
        return {key: np.frombuffer(vector, dtype=HALF).astype(np.float16) for key, vector in found.items()}

    def keep(self, model: str, found: Mapping[str, NDArray[np.float16]]) -> None:
        """Keep vectors."""
        with self._store.writing() as session:
            keep_vectors(
                session, model, {key: vector.astype(HALF).tobytes() for key, vector in found.items()}
            )
