"""Samples that were asked for twice: what came second is kept as a failed call, counted and paid for.

That happens when a worker slept so long that another one took its portion over, and when a run is resumed
while calls of before are still under way.
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
    """A sample of a judgment."""

    judgment_id: int
    sample: int


def save_second_replies(session: Session, replies: Sequence[NewReply]) -> frozenset[SampleKey]:
    """Return at which places of replies just stored the answer of another call stands, and stays.

    An answer that came second becomes a failed call. One that is stored once more, since nobody knew whether
    it was, came only once: it bears the same time.
    """
    if not replies:
        return frozenset()
    connection = session.connection()
    ids = [reply.judgment_id for reply in replies]
    there = {
        SampleKey(row.judgment_id, row.sample): row for row in connection.execute(_ANSWERED, {"ids": ids})
    }
    second = [
        (place, reply)
        for reply in replies
        if (place := SampleKey(reply.judgment_id, reply.sample)) in there
        and there[place].answered_at != reply.values["answered_at"]
    ]
    if not second:
        return frozenset()
    save_failures(session, [_failed(reply) for _, reply in second if _counts_own_call(reply.values)])
    return frozenset(place for place, _ in second)


def count_calls(session: Session, judgment_ids: Collection[int]) -> None:
    """Let answers of these judgments count the failed calls that another process made for them, too."""
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
    """Return whether a reply counts a call of its own; one of several that came together may not."""
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
