"""From the replies of a unit to its verdict: scored, unscored or failed, never a made-up number."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from judgelab.domain import Reading, Task
from judgelab.errors import BackendError
from judgelab.protocols.aggregation import aggregate
from judgelab.runs.briefing import Briefing
from judgelab.store.judgments import UnitRow, VerdictToKeep
from judgelab.wording import sentence

log = logging.getLogger("judgelab.runs")


def conclude(
    briefing: Briefing,
    unit: UnitRow,
    task: Task,
    texts: Mapping[int, str],
    *,
    error: BackendError | None = None,
) -> VerdictToKeep:
    """Return what a judgment came to, from the texts of its samples; `error` is why some are missing."""
    if not texts:
        reason = error.args[0] if error else sentence("there is no reply")
        return VerdictToKeep(
            unit.judgment_id, unit.response_id, "failed", reason, error.cause if error else "no_reply"
        )
    readings = {sample: _read(briefing, text, task) for sample, text in sorted(texts.items())}
    whole = aggregate(list(readings.values()), briefing.judge.aggregation)
    absent = [c.key for c in task.criteria if c.key not in whole.scores]
    reason = whole.reason or (
        sentence("no score for {criteria}", criteria=", ".join(absent)) if absent else ""
    )
    scores = {} if reason else {briefing.criterion_ids[key]: score for key, score in whole.scores.items()}
    if error is not None and not reason:
        reason = sentence(
            "{missing} of {samples} samples got no answer",
            missing=briefing.judge.samples - len(texts),
            samples=briefing.judge.samples,
        )
    return VerdictToKeep(
        judgment_id=unit.judgment_id,
        response_id=unit.response_id,
        state="scored" if scores else "unscored",
        reason=reason,
        cause=error.cause if error else "",
        scores=scores,
        rationale=whole.rationale,
        confidence=whole.confidence,
        readings={sample: _to_json(reading) for sample, reading in readings.items()},
    )


def texts_of(unit: UnitRow) -> dict[int, str]:
    """Return the stored replies of a unit as texts by sample."""
    return {reply.sample: reply.text for reply in unit.replies}


def _to_json(reading: Reading) -> dict[str, Any]:
    return {
        "scores": dict(reading.scores),
        "rationale": reading.rationale,
        "reason": reading.reason,
        "confidence": reading.confidence,
    }


def _read(briefing: Briefing, text: str, task: Task) -> Reading:
    try:
        return briefing.read(text, task)
    except Exception as error:
        # A parser's mistake must not lose the reply: it is stored, and `reparse` reads it once mended.
        log.exception("protocol %s cannot read a reply", briefing.judge.protocol)
        return Reading(
            reason=sentence(
                "the protocol's parser failed ({error}); mend it, then reparse", error=type(error).__name__
            )
        )
