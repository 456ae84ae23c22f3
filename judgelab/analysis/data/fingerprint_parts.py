"""Compare the three parts of a project's fingerprint (`store.frames.fingerprints`) as text."""

from __future__ import annotations


def only_scores_changed(before: str, after: str) -> bool:
    """Return whether two fingerprints differ in scores of raters, judges and metrics only."""
    return without_scores(before) == without_scores(after)


def without_scores(fingerprint: str) -> str:
    """Return the part of a fingerprint that does not depend on scores."""
    return fingerprint.split("-")[0]


def without_ratings(fingerprint: str) -> str:
    """Return the parts of a fingerprint that do not depend on ratings."""
    return fingerprint.rpartition("-")[0]
