"""The records that are stored in bulk: plain values that use readable names instead of row ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from judgelab.domain import Reference


class ItemRecord(NamedTuple):
    """A question or document; empty texts neither overwrite nor contradict stored ones."""

    item_id: str
    question: str = ""
    context: str = ""
    group: str = ""
    references: tuple[Reference, ...] = ()
    meta: Mapping[str, Any] = {}
    row: int | None = None


class ResponseRecord(NamedTuple):
    """One system's answer; `response_id` is unique within its item."""

    item_id: str
    response_id: str
    system: str = ""
    text: str = ""
    meta: Mapping[str, Any] = {}
    row: int | None = None


class SampleRecord(NamedTuple):
    """One raw reply of an imported judge with the score read from it, or the reason for having none."""

    text: str
    score: float | None
    reason: str = ""


class RatingRecord(NamedTuple):
    """A human score of a known response; none if the rater cannot judge it."""

    item_id: str
    response_id: str
    criterion: str
    rater: str
    score: float | None
    comment: str = ""
    rated_at: datetime | None = None
    aggregate: bool = False
    row: int | None = None


class ImportedJudgment(NamedTuple):
    """A judgment, made elsewhere, of a known response; without a score it is unscored for `reason`."""

    item_id: str
    response_id: str
    criterion: str
    judge: str
    score: float | None
    reason: str = ""
    rationale: str = ""
    samples: tuple[SampleRecord, ...] = ()
    judged_at: datetime | None = None
    row: int | None = None


class MetricRecord(NamedTuple):
    """A metric score computed elsewhere."""

    item_id: str
    response_id: str
    metric: str
    score: float
    row: int | None = None


class PreferenceRecord(NamedTuple):
    """Which of two known responses a person preferred: `choice` is `a`, `b` or `tie`.

    `first` is the response shown on the left (`a` or `b`), empty if unknown; `strength` is None if unknown.
    """

    item_id: str
    response_a: str
    response_b: str
    criterion: str
    rater: str
    choice: str
    strength: int | None = None
    first: str = ""
    comment: str = ""
    rated_at: datetime | None = None
    row: int | None = None


class JudgedPairRecord(NamedTuple):
    """Which of two known responses a judge preferred: `choice` is `a`, `b`, `tie`, or "" for `reason`.

    `first` is the response shown first (`a` or `b`), empty if unknown.
    """

    item_id: str
    response_a: str
    response_b: str
    criterion: str
    judge: str
    choice: str
    reason: str = ""
    first: str = ""
    rationale: str = ""
    confidence: float | None = None
    judged_at: datetime | None = None
    row: int | None = None


class RankingRecord(NamedTuple):
    """A person's ranking of an item's known responses: the place of each response id; 1 is the best."""

    item_id: str
    criterion: str
    rater: str
    form: str
    places: Mapping[str, int]
    comment: str = ""
    rated_at: datetime | None = None
    row: int | None = None


class ItemUse(NamedTuple):
    """An item's purpose (data, attention or training; "" if not given) and its cohort."""

    item_id: str
    purpose: str = ""
    cohort: str = ""
    row: int | None = None


class KnownScoreRecord(NamedTuple):
    """A score of a known response that is known before rating starts, within `tolerance` points."""

    item_id: str
    response_id: str
    criterion: str
    score: float
    tolerance: float = 0.0
    row: int | None = None
    column: str | None = None


@dataclass
class RecordBatch:
    """Records to store together; `source` names their file if there are several."""

    items: list[ItemRecord] = field(default_factory=list)
    responses: list[ResponseRecord] = field(default_factory=list)
    ratings: list[RatingRecord] = field(default_factory=list)
    judgments: list[ImportedJudgment] = field(default_factory=list)
    metrics: list[MetricRecord] = field(default_factory=list)
    preferences: list[PreferenceRecord] = field(default_factory=list)
    judged_pairs: list[JudgedPairRecord] = field(default_factory=list)
    rankings: list[RankingRecord] = field(default_factory=list)
    uses: list[ItemUse] = field(default_factory=list)
    known_scores: list[KnownScoreRecord] = field(default_factory=list)
    source: str = ""
