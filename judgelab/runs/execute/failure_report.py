"""The fault report of a run: what failed, what that cost in time and money, what is slow now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from judgelab.store.db.engine import Session, Store
from judgelab.store.judging import endpoints, failure_report, shares
from judgelab.store.judging.failure_report import CauseCount, SlowCall
from judgelab.store.judging.judges import judge_by_id
from judgelab.store.judging.runs import find_run
from judgelab.store.models.base import now

SLOWEST = 5
N = TypeVar("N", int, float)


@dataclass(frozen=True)
class EndpointTraffic:
    """An endpoint at one moment.

    Attributes:
        at_once: calls at once that it bears now, over all processes that call it.
        limit: calls at once that are allowed.
        processes: worker processes that call it now.
        rests_until: until when nobody calls it; None when it does not rest.
        rests_because: what it said, or what was said of it.
    """

    endpoint: str
    at_once: int
    limit: int
    processes: int
    rests_until: datetime | None = None
    rests_because: str = ""


@dataclass(frozen=True)
class FailureReport:
    """What went wrong in a run so far.

    Attributes:
        failed: calls that brought no usable reply.
        lasted: seconds these calls took, summed.
        waited: seconds the calls after them were put off, summed; they wait side by side.
        prompt_tokens: tokens counted in failed calls; None where the endpoint counted none.
        cost: US dollars of these tokens; None where no price or no count is known.
        causes: the failed calls by cause.
        attempts: how many replies came at the first call, at the second, and so on.
        slowest: the calls that took longest, failed ones too.
        traffic: the endpoint now, while the run goes on; None for judges without one.
    """

    run: int
    failed: int
    lasted: float
    waited: float
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    causes: Sequence[CauseCount]
    attempts: Mapping[int, int]
    slowest: Sequence[SlowCall]
    traffic: EndpointTraffic | None


def report_failures(store: Store, run_id: int, *, detailed: bool = True) -> FailureReport:
    """Return what went wrong in a run so far; raises `NotFound`.

    Without details, attempts and slowest calls are left out: they take a look at every call.
    """
    with store.reading() as session:
        run = find_run(session, run_id)
        causes = failure_report.failures_by_cause(session, run_id)
        return FailureReport(
            run=run_id,
            failed=sum(cause.calls for cause in causes),
            lasted=sum(cause.lasted for cause in causes),
            waited=sum(cause.waited for cause in causes),
            prompt_tokens=_sum([cause.prompt_tokens for cause in causes]),
            completion_tokens=_sum([cause.completion_tokens for cause in causes]),
            cost=_sum([cause.cost for cause in causes]),
            causes=causes,
            attempts=failure_report.replies_by_attempt(session, run_id) if detailed else {},
            slowest=failure_report.slowest_calls(session, run_id, limit=SLOWEST) if detailed else [],
            traffic=_traffic(session, run.judge_id) if run.state == "running" else None,
        )


def _traffic(session: Session, judge_id: int) -> EndpointTraffic | None:
    endpoint_id = judge_by_id(session, judge_id).endpoint_id
    if endpoint_id is None:
        return None
    endpoint = endpoints.endpoint_by_id(session, endpoint_id)
    used = shares.shared_concurrency(session, endpoint_id)
    rest = endpoints.cool_downs(session).get(endpoint_id)
    resting = rest is not None and rest.until > now()
    return EndpointTraffic(
        endpoint.name,
        used.at_once,
        endpoint.concurrency,
        used.processes,
        rest.until if rest and resting else None,
        rest.reason if rest and resting else "",
    )


def _sum(values: Sequence[N | None]) -> N | None:
    present = [value for value in values if value is not None]
    return sum(present) if present else None
