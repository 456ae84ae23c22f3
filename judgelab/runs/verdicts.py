"""From the replies of a unit to its verdict: scored, unscored or failed, never a made-up number."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import FILTERED, REFUSAL, Reading, Task
from judgelab.errors import BackendError
from judgelab.protocols.aggregation import aggregate
from judgelab.protocols.expected import tokens_of
from judgelab.runs.briefing import Briefing
from judgelab.store.judgments import StoredReply, UnitRow, VerdictToKeep
from judgelab.wording import Sentence, sentence

log = logging.getLogger("judgelab.runs")


def conclude(
    briefing: Briefing,
    unit: UnitRow,
    task: Task,
    replies: Mapping[int, StoredReply],
    *,
    error: BackendError | None = None,
) -> VerdictToKeep:
    """Return what a judgment came to, from the replies to its samples; `error` is why some are missing."""
    if not replies:
        reason = error.args[0] if error else sentence("there is no reply")
        return VerdictToKeep(
            unit.judgment_id, unit.response_id, "failed", reason, error.cause if error else "no_reply"
        )
    readings = {sample: _read(briefing, reply, task) for sample, reply in sorted(replies.items())}
    whole = aggregate(list(readings.values()), briefing.judge.aggregation)
    absent = [c.key for c in task.criteria if c.key not in whole.scores]
    reason = whole.reason or (
        sentence("no score for {criteria}", criteria=", ".join(absent)) if absent else ""
    )
    scores = {} if reason else {briefing.criterion_ids[key]: score for key, score in whole.scores.items()}
    if error is not None and not reason:
        reason = sentence(
            "{missing} of {samples} samples got no answer",
            missing=briefing.judge.samples - len(replies),
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
        details={briefing.criterion_ids[key]: detail(list(readings.values()), key) for key in whole.scores},
    )


def replies_of(unit: UnitRow) -> dict[int, StoredReply]:
    """Return the stored replies of a unit by sample."""
    return {reply.sample: reply for reply in unit.replies}


def withheld(reply: StoredReply) -> Sentence | None:
    """Return why a reply holds no answer of the model; such a text is never read, whatever stands in it."""
    if reply.finish_reason == REFUSAL:
        return sentence("the model refused to answer: {said}", said=reply.text)
    if reply.finish_reason.startswith(FILTERED):
        return sentence("the endpoint's content filter withheld the reply")
    if reply.finish_reason == "length" and not reply.text.strip():
        return sentence(
            "the reply was cut off at the limit of tokens before it gave an answer, also with twice the "
            "room; raise max_tokens"
        )
    return None


def detail(readings: Sequence[Reading], criterion: str) -> dict[str, Any]:
    """Return how the score of a criterion came about, as it is kept with the verdict.

    `votes`: the share of each score among the replies that state one; `read` and `replies`: how many those
    are, and of how many. `mass` and `weights`: mean probability seen, and of each score, where the score is
    an expected one.
    """
    scored = [reading for reading in readings if reading.scored and criterion in reading.scores]
    found: dict[str, Any] = {}
    weighted = [reading for reading in scored if reading.weights]
    if weighted:
        summed: Counter[float] = Counter()
        for reading in weighted:
            summed.update(reading.weights)
        found["weights"] = {f"{score:g}": summed[score] / len(weighted) for score in sorted(summed)}
        found["mass"] = sum(summed.values()) / len(weighted)
        found["stated"] = len(scored) - len(weighted)
    elif len(readings) > 1:
        counts = Counter(reading.scores[criterion] for reading in scored)
        found["votes"] = {f"{score:g}": counts[score] / len(scored) for score in sorted(counts)}
    if len(readings) > 1:
        found |= {"read": len(scored), "replies": len(readings)}
    return found


def _to_json(reading: Reading) -> dict[str, Any]:
    return {
        "scores": dict(reading.scores),
        "rationale": reading.rationale,
        "reason": reading.reason,
        "confidence": reading.confidence,
        **({"weights": {f"{k:g}": v for k, v in reading.weights.items()}} if reading.weights else {}),
    }


def _read(briefing: Briefing, reply: StoredReply, task: Task) -> Reading:
    why = withheld(reply)
    if why is not None:
        return Reading(reason=why)
    try:
        tokens = tokens_of(reply.logprobs, reply.top_logprobs)
        return briefing.read(reply.text, tokens, task)
    except Exception as error:
        # A parser's mistake must not lose the reply: it is stored, and `reparse` reads it once mended.
        log.exception("protocol %s cannot read a reply", briefing.judge.protocol)
        return Reading(
            reason=sentence(
                "the protocol's parser failed ({error}); mend it, then reparse", error=type(error).__name__
            )
        )
