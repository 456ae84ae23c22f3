"""The status of a run, as `judge`, `runs` and `run` print it."""

from __future__ import annotations

from typing import Any

from judgelab.cli import shared
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
    """Return the number of calls and, if it is another, of completions."""
    completions = shared.counted(status.completions, "completion")
    if status.cached:
        completions += f", {status.cached:,} of them from the cache"
    if status.origin == "jury":
        return "a jury"
    if status.origin == "imported":
        return f"imported, {completions}" if status.completions else "imported"
    calls = shared.counted(status.calls, "call")
    return calls if status.calls == status.completions else f"{calls}, {completions}"


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
