"""Store and count calls that returned no usable reply, with their costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import and_, bindparam, func, insert, select
from sqlalchemy.orm import Session

from judgelab.store.models import Completion, FailedCall, Judgment
from judgelab.store.models.base import table_of

LONGEST_BODY = 20_000  # bytes of a failed call's body that are stored


@dataclass(frozen=True)
class NewFailure:
    """A failed call to store; `number` counts the calls made for its sample."""

    judgment_id: int
    sample: int
    number: int
    cause: str
    values: Mapping[str, Any] = field(default_factory=dict)


def save_failures(session: Session, failures: Sequence[NewFailure]) -> None:
    """Store failed calls that are not stored yet; `values` holds all other columns."""
    if not failures:
        return
    key = (FailedCall.judgment_id, FailedCall.sample, FailedCall.number, FailedCall.at)
    query = select(*key).where(
        FailedCall.judgment_id.in_({new_failure.judgment_id for new_failure in failures})
    )
    stored = {tuple(row) for row in session.execute(query)}
    rows = [
        {
            **failure.values,
            "judgment_id": failure.judgment_id,
            "sample": failure.sample,
            "number": failure.number,
            "cause": failure.cause,
        }
        for failure in failures
        if (failure.judgment_id, failure.sample, failure.number, failure.values.get("at")) not in stored
    ]
    if rows:
        session.execute(insert(FailedCall), rows)


def failed_request_ids(session: Session, judgment_ids: Sequence[int]) -> set[tuple[int, str]]:
    """Return the requests of these judgments' failed calls, as (judgment id, request id)."""
    query = select(FailedCall.judgment_id, FailedCall.request_id).where(
        FailedCall.judgment_id.in_(judgment_ids), FailedCall.request_id != ""
    )
    return {(judgment_id, request_id) for judgment_id, request_id in session.execute(query)}


def excerpt(body: str) -> str:
    """Return the part of a body that is stored: its first 20 kB."""
    raw = body.encode("utf-8", "replace")
    return body if len(raw) <= LONGEST_BODY else raw[:LONGEST_BODY].decode("utf-8", "ignore")


def failed_causes(session: Session, judgment_ids: Collection[int]) -> dict[int, dict[int, Counter[str]]]:
    """Return how often each cause occurred for each sample of these judgments."""
    ids = list(judgment_ids)
    causes: dict[int, dict[int, Counter[str]]] = defaultdict(dict)
    for judgment_id, sample, cause, count in session.connection().execute(_CAUSES, {"ids": ids}):
        causes[judgment_id].setdefault(sample, Counter())[cause] = count
    return causes


def open_failures(session: Session, run_id: int) -> Counter[str]:
    """Return the causes of failed calls for samples without a completion row.

    A completion row counts the calls made for it; before there is one, only the failed calls
    do.
    """
    same_sample = and_(
        Completion.judgment_id == FailedCall.judgment_id, Completion.sample == FailedCall.sample
    )
    query = (
        failed_calls_of_run(select(FailedCall.cause, func.count()), run_id)
        .outerjoin(Completion, same_sample)
        .where(Completion.id.is_(None))
        .group_by(FailedCall.cause)
    )
    return Counter({cause: count for cause, count in session.execute(query)})


def failed_calls_of_run(query: Any, run_id: int) -> Any:
    """Return a query over the failed calls of one run."""
    joined = query.select_from(FailedCall).join(Judgment, Judgment.id == FailedCall.judgment_id)
    return joined.where(Judgment.run_id == run_id)


_FAILED = table_of(FailedCall)  # built once, as a worker runs this at each commit
_CAUSES = (
    select(_FAILED.c.judgment_id, _FAILED.c.sample, _FAILED.c.cause, func.count())
    .where(_FAILED.c.judgment_id.in_(bindparam("ids", expanding=True)))
    .group_by(_FAILED.c.judgment_id, _FAILED.c.sample, _FAILED.c.cause)
)
