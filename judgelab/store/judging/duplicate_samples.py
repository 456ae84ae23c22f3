"""Samples that were requested twice: the second reply is stored as a failed call, with its cost.

That happens when another worker takes over the chunk of a suspended worker, and when a run is resumed
while earlier calls are still in progress.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from judgelab.store.judging.failures import NewFailure, excerpt, failed_causes, save_failures
from judgelab.store.models import Completion
from judgelab.store.models.base import table_of

if TYPE_CHECKING:
    from judgelab.store.judging.verdicts import NewReply

ANSWERED_TWICE = "answered_twice"
_TOLD = ("request_id", "body", "sent", "latency", "prompt_tokens", "completion_tokens", "cost")


class SampleKey(NamedTuple):
    """The number of a sample within a judgment."""

    judgment_id: int
    sample: int


def save_second_replies(session: Session, replies: Sequence[NewReply]) -> frozenset[SampleKey]:
    """Return those samples of the new replies that had an answer from another call, which stays.

    The second answer becomes a failed call. An answer with the same time is the same answer, stored
    again because it was unclear whether it had been stored.
    """
    if not replies:
        return frozenset()
    connection = session.connection()
    ids = [reply.judgment_id for reply in replies]
    answered = {
        SampleKey(row.judgment_id, row.sample): row for row in connection.execute(_ANSWERED, {"ids": ids})
    }
    second = [
        (place, reply)
        for reply in replies
        if (place := SampleKey(reply.judgment_id, reply.sample)) in answered
        and answered[place].answered_at != reply.values["answered_at"]
    ]
    if not second:
        return frozenset()
    save_failures(session, [_failed(reply) for _, reply in second if _counts_own_call(reply.values)])
    return frozenset(place for place, _ in second)


def count_calls(session: Session, judgment_ids: Collection[int]) -> None:
    """Update the call counts of these judgments' replies with failed calls made by other processes."""
    if not judgment_ids:
        return
    failed = failed_causes(session, judgment_ids)
    if not failed:
        return
    connection = session.connection()
    rows = [
        {"_id": row.id, "_attempts": calls, "_faults": dict(causes)}
        for row in connection.execute(_ANSWERED, {"ids": list(failed)})
        if (row.attempts or row.cached)
        and (causes := failed[row.judgment_id].get(row.sample, Counter()))
        and (calls := causes.total() + (not row.cached)) > row.attempts
    ]
    if rows:
        connection.execute(_COUNT, rows)


def _counts_own_call(values: Mapping[str, Any]) -> bool:
    """Return whether a reply counts as a call; of several replies to one call only the first does."""
    return bool(values["attempts"]) and not values["cached"] and not values["cause"]


def _failed(reply: NewReply) -> NewFailure:
    values = {name: reply.values[name] for name in _TOLD}
    values |= {"body": excerpt(values["body"]), "at": reply.values["answered_at"]}
    return NewFailure(reply.judgment_id, reply.sample, reply.values["attempts"], ANSWERED_TWICE, values)


_COMPLETION = table_of(Completion)
_ANSWERED = select(
    *(_COMPLETION.c.id, _COMPLETION.c.judgment_id, _COMPLETION.c.sample, _COMPLETION.c.answered_at),
    *(_COMPLETION.c.attempts, _COMPLETION.c.cached),
).where(_COMPLETION.c.judgment_id.in_(bindparam("ids", expanding=True)), _COMPLETION.c.cause == "")
_COUNT = (
    update(_COMPLETION)
    .where(_COMPLETION.c.id == bindparam("_id"))
    .values(attempts=bindparam("_attempts"), faults=bindparam("_faults"))
)
