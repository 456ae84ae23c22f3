"""Checks afterwards that every rating acknowledged to a rater is in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgelab.selftest.simulated_raters import RaterLog
from judgelab.store.db.engine import Store
from judgelab.store.rating.evidence import StoredRatings, stored_ratings, units_over_k


@dataclass(frozen=True)
class StoredCheck:
    """Counts over all raters; everything but `acknowledged` and `repeated` must be 0.

    Attributes:
        acknowledged: ratings of which the server said that they are stored.
        lost: acknowledged and not in the database.
        altered: in the database with another score than the last one acknowledged.
        doubled: operations or ratings that are there twice.
        over_k: responses with more finished raters than wanted.
        repeated: operations that were sent again, after a silence.
    """

    acknowledged: int
    lost: int
    altered: int
    doubled: int
    over_k: int
    repeated: int

    @property
    def clean(self) -> bool:
        """Whether nothing was lost, altered or doubled, and no response has too many raters."""
        return not (self.lost or self.altered or self.doubled or self.over_k)


def check_stored(store: Store, project_id: int, diaries: Sequence[RaterLog], *, k: int) -> StoredCheck:
    """Compare what raters were told with what is stored."""
    with store.reading() as session:
        stored = stored_ratings(session, project_id)
        too_many = units_over_k(session, project_id, k=k)
    acknowledged = [(diary.person_id, sent) for diary in diaries for sent in diary.sent if sent.acknowledged]
    last: dict[tuple[int, int], Mapping[str, float]] = {}
    for person, sent in acknowledged:
        last[person, sent.assignment] = sent.scores
    return StoredCheck(
        acknowledged=len(acknowledged),
        lost=sum(sent.uid not in stored.operations for _, sent in acknowledged)
        + sum(place not in stored.scores for place in last),
        altered=sum(_differs(stored, place, scores) for place, scores in last.items()),
        doubled=stored.doubled,
        over_k=too_many,
        repeated=sum(diary.retries for diary in diaries),
    )


def _differs(stored: StoredRatings, place: tuple[int, int], scores: Mapping[str, float]) -> bool:
    return place in stored.scores and dict(scores) != stored.scores[place]
