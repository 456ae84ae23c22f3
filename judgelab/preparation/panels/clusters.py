"""k-means on texts from their similarities alone, and the member nearest each centre.

A centre is the mean of its members. With the table G of dot products its distance to x needs no vector:
|x - c|² = G[x, x] - 2 mean(G[x, members]) + mean(G[members, members]).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STARTS = 20
MOST_STEPS = 100


def nearest_to_centres(likeness: Floats, k: int, *, seed: int = 0) -> list[int]:
    """Return the members nearest the centres of `k` clusters, in rising order; all of them when k is more.

    Args:
        likeness: dot products of n vectors, shape (n, n).
        k: how many clusters.
        seed: of the starting points; the best of twenty starts counts.
    """
    n = len(likeness)
    if k <= 0:
        return []
    if n <= k:
        return list(range(n))
    labels = k_means(likeness, k, seed=seed)
    distances = _distances(likeness, labels, k)
    nearest = []
    for cluster in range(k):
        members = np.flatnonzero(labels == cluster)
        if len(members):  # the first of equally near ones, so that rounding decides nothing
            nearest.append(int(members[np.argmin(np.round(distances[members, cluster], 9))]))
    return sorted(nearest)


def k_means(likeness: Floats, k: int, *, seed: int = 0) -> NDArray[np.int64]:
    """Return the cluster of each member: the smallest sum of squared distances that twenty starts found."""
    rng = np.random.default_rng(seed)
    partitions = [_descended(likeness, _start(likeness, k, rng), k) for _ in range(STARTS)]
    return min(partitions, key=lambda labels: spread(likeness, labels, k))


def spread(likeness: Floats, labels: NDArray[np.int64], k: int) -> float:
    """Return the sum of the squared distances of all members to the centre of their cluster."""
    return float(_distances(likeness, labels, k)[np.arange(len(labels)), labels].sum())


def _start(likeness: Floats, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the clusters around k initial members, likelier the farther away (k-means++)."""
    squares = np.diag(likeness)
    apart = np.maximum(squares[:, None] - 2 * likeness + squares[None, :], 0)
    centres = [int(rng.integers(len(likeness)))]
    while len(centres) < k:
        nearest = apart[:, centres].min(axis=1)
        total = nearest.sum()
        shares = nearest / total if total > 0 else None  # equal texts: any of them
        centres.append(int(rng.choice(len(likeness), p=shares)))
    return np.asarray(apart[:, centres].argmin(axis=1), dtype=np.int64)


def _descended(likeness: Floats, labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    for _ in range(MOST_STEPS):
        moved = np.asarray(_distances(likeness, labels, k).argmin(axis=1), dtype=np.int64)
        if (moved == labels).all():
            break
        labels = moved
    return labels


def _distances(likeness: Floats, labels: NDArray[np.int64], k: int) -> Floats:
    """Return the squared distance of every member to every centre; an empty cluster is infinitely far."""
    members = (labels[:, None] == np.arange(k)[None, :]).astype(float)
    sizes = members.sum(axis=0)
    shares = np.divide(members, sizes, out=np.zeros_like(members), where=sizes > 0)
    to_members = likeness @ shares
    among = np.einsum("ik,ij,jk->k", shares, likeness, shares)
    distances = np.diag(likeness)[:, None] - 2 * to_members + among[None, :]
    return np.where(sizes[None, :] > 0, distances, np.inf)
