"""The failures of a run, as `run faults` prints them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgelab.cli import shared
from judgelab.runs.execute.failure_report import FailureReport


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
