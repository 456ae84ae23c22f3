"""Compare the three parts of a project's fingerprint (`store.frames.fingerprints`) as text."""

from __future__ import annotations


def only_scores_changed(before: str, after: str) -> bool:
    """Return whether between two fingerprints nothing changed but scores of raters, judges and metrics."""
    return without_scores(before) == without_scores(after)


def without_scores(fingerprint: str) -> str:
    """Return the part of a fingerprint that no score changes."""
    return fingerprint.split("-")[0]


def without_ratings(fingerprint: str) -> str:
    """Return the parts of a fingerprint that no rating changes."""
    return fingerprint.rpartition("-")[0]
