"""What `judge`, `runs` and `run` print of a run: its status, its failures, its position bias."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from judgelab.analysis.trust.position_bias import PositionReport
from judgelab.cli import shared
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.significance import Test
from judgelab.runs.execute.failure_report import FailureReport
from judgelab.runs.service import RunStatus


def show_status(status: RunStatus, *, as_json: bool) -> None:
    """Print the status of a run, with why it waits."""
    lines = [status_line(status)]
    if status.examples:
        lines.append(status.examples)
    if status.reason:
        lines.append(status.reason)
    if status.stuck:
        lines.append(status.no_worker)
    shared.emit(_short_json(status), as_json=as_json, text="\n".join(lines))


def status_with_reason(status: RunStatus) -> str:
    """Return the status in a line, with the reason in a second one if there is one."""
    return f"{status_line(status)}\n    {status.reason}" if status.reason else status_line(status)


def status_line(status: RunStatus) -> str:
    """Return the status of a run in one line."""
    counts = f"{status.scored} scored, {status.unscored} unscored, {status.failed} failed"
    done = f"{status.units - status.waiting} of {status.units} ({counts})"
    prompt = [f"prompt version {status.template_version}"] if status.template_version else []
    parts = [f"run {status.run}", status.judge, status.state, done, *prompt, _calls_text(status)]
    causes = [f"{count} {cause.replace('_', ' ')}" for cause, count in status.failures.items()]
    return "  ".join([*parts, f"failed by cause: {', '.join(causes)}"] if causes else parts)


def _calls_text(status: RunStatus) -> str:
    """Return the number of calls and, if it is another, of replies."""
    replies = shared.counted(status.completions, "reply", "replies")
    if status.cached:
        replies += f", {status.cached:,} of them from the cache"
    if status.origin == "jury":
        return "a jury"
    if status.origin == "imported":
        return f"imported, {replies}" if status.completions else "imported"
    calls = shared.counted(status.calls, "call")
    return calls if status.calls == status.completions else f"{calls}, {replies}"


def _short_json(status: RunStatus) -> dict[str, Any]:
    names = ("run", "state", "units", "scored", "unscored", "failed", "calls", "cost")
    data = {name: getattr(status, name) for name in names}
    data["seconds"] = round(status.seconds, 3)
    if status.template_version:
        data["template_version"] = status.template_version
    if status.cached:
        data["cached"] = status.cached
    if status.reason:
        data["reason"] = status.reason
    return data


def full_json(status: RunStatus) -> dict[str, Any]:
    """Return all that is known of a run as plain JSON values."""
    return {
        **vars(status),
        "seconds": round(status.seconds, 3),
        "rate": round(status.rate, 3),
        "faults": dict(status.faults),
        "failures": dict(status.failures),
        "batches": [vars(batch) for batch in status.batches],
        "created_at": status.created_at.isoformat(),
    }


def failures_json(report: FailureReport) -> dict[str, Any]:
    """Return a failure report as plain JSON values."""
    traffic = None
    if report.traffic:
        until = report.traffic.rests_until
        traffic = {**asdict(report.traffic), "rests_until": until.isoformat() if until else None}
    return {
        **asdict(report),
        "causes": [cause._asdict() for cause in report.causes],
        "attempts": {str(number): count for number, count in report.attempts.items()},
        "slowest": [call._asdict() for call in report.slowest],
        "traffic": traffic,
    }


def failure_lines(report: FailureReport) -> list[str]:
    """Return a failure report as lines of text."""
    lines = [_summary_line(report)]
    for cause in report.causes:
        calls = shared.counted(cause.calls, "call")
        lines.append(
            f"  {cause.cause.replace('_', ' ')}: {calls}, {cause.waited:z.1f} s waited. {cause.message}"
        )
    if report.attempts:
        attempts = ", ".join(f"{count} on attempt {number}" for number, count in report.attempts.items())
        lines.append(f"Replies received: {attempts}.")
    if report.slowest:
        lines.append("Slowest calls:")
    for call in report.slowest:
        ended = call.cause.replace("_", " ") or "answered"
        lines.append(f"  {call.seconds:z.1f} s  {call.item}  {call.system}  {call.criteria}  {ended}")
    if report.traffic:
        lines.append(f"Concurrent calls: {report.traffic.at_once} of {report.traffic.limit}.")
        if report.traffic.rests_until:
            lines.append(f"The endpoint is paused: {report.traffic.rests_because}")
    return lines


def _summary_line(report: FailureReport) -> str:
    if not report.failed:
        return f"run {report.run}  no call failed"
    cost = "cost unknown" if report.cost is None else f"{report.cost:z.4f} USD"
    tokens = (report.prompt_tokens or 0) + (report.completion_tokens or 0)
    failed = shared.counted(report.failed, "failed call")
    return f"run {report.run}  {failed}  {report.waited:z.1f} s waited  {tokens} tokens  {cost}"


def position_lines(report: PositionReport) -> Iterator[str]:
    """Yield a report on position bias as lines of text."""
    yield f"run {report.run}  {shared.counted(report.choices, 'choice')}, {report.ties} of them ties"
    yield f"The text shown first is chosen: {_share_text(report.first_rate)}{_test_text(report.first_test)}"
    beside = report.vs_raters
    if beside.difference.value is not None:
        yield (
            "On pairs that the raters' scores put in an order, the first text "
            f"wins: {_share_text(beside.own)} by the judge's choice, "
            f"{_share_text(beside.raters)} by the raters' scores"
        )
    elif report.preferred_position and report.prefers_position is None:
        yield f"It is not known whether the position or the texts cause this: {beside.difference.reason}"
    swapped = report.both_orders
    yield f"The same text is chosen in both orders: {_share_text(swapped.consistency)}"
    if swapped.consistency.value is not None:
        yield (
            f"In both orders, the first text won {shared.counted(swapped.always_first, 'pair')}, "
            f"the second {swapped.always_second}{_test_text(swapped.swap_test)}"
        )


def _share_text(value: Estimate) -> str:
    if value.value is None:
        return f"none ({value.reason})"
    interval = shared.interval(value.ci)
    return f"{value.value:z.2f}{interval} of {value.n}"


def _test_text(test: Test) -> str:
    return "" if test.p is None else f", p = {test.p:.3g} against an even split"
