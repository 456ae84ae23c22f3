"""Scores that are known before anybody rates: was a rater right, and what a training round decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judgelab.annotation.policy import Policy

ROUNDING = 1e-9  # 0.3 is 0.1 away from 0.2 only to rounding


@dataclass(frozen=True)
class Known:
    """A score that is known under one criterion of one unit.

    Args:
        criterion: the criterion's key.
        score: the known score; of a pair 1 when the response stored first is better, -1 the other, 0 a tie.
        tolerance: how far off still counts as right.
        loud: whether a rater is told at once.
        explanation: why this is the right score.
    """

    criterion: str
    score: float
    tolerance: float = 0.0
    loud: bool = False
    explanation: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a rater said of a known score; `said` is None when they could not judge."""

    known: Known
    said: float | None
    right: bool


Outcome = Literal["passed", "again", "out"]


def verdicts(known: Sequence[Known], said: Mapping[str, float | None]) -> list[Verdict]:
    """Return for each known score whether what was said lies within its tolerance."""
    return [Verdict(one, said.get(one.criterion), _right(one, said.get(one.criterion))) for one in known]


def share_right(found: Sequence[Verdict]) -> float:
    """Return the share of right scores; 1 when nothing was asked."""
    return sum(verdict.right for verdict in found) / len(found) if found else 1.0


def outcome(score: float, *, tries: int, policy: Policy) -> Outcome:
    """Return what a finished training round means.

    Args:
        score: share of right scores in this round.
        tries: rounds the person has finished, this one counted.
        policy: how much is needed, and how often one may try.
    """
    if score >= policy.needed - ROUNDING:
        return "passed"
    return "again" if tries < policy.tries else "out"


def _right(known: Known, said: float | None) -> bool:
    return said is not None and abs(said - known.score) <= known.tolerance + ROUNDING
