"""Turns a unit's replies into its verdict: scored, unscored or failed, never an invented number."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import FILTERED, REFUSAL, Reading, Task
from judgelab.errors import BackendError, NotPromptable, UserError
from judgelab.protocols import Heard
from judgelab.protocols.core.expected import tokens_of
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.runs.plan.samples import Sample, call_of
from judgelab.store.judging.judgments import JudgmentUnit, StoredReply
from judgelab.store.judging.verdicts import NewVerdict
from judgelab.wording import Sentence, sentence

log = logging.getLogger("judgelab.runs")


def verdict_without_prompt(unit: JudgmentUnit, error: UserError) -> NewVerdict:
    """Return the failed judgment of a unit that has no prompt, under the cause it is counted by."""
    cause = error.cause if isinstance(error, NotPromptable) else "no_prompt"
    return NewVerdict(unit.judgment_id, unit.response_id, "failed", error.args[0], cause)


def make_verdict(
    judge_config: JudgeConfig,
    unit: JudgmentUnit,
    task: Task,
    samples: Sequence[Sample],
    replies: Mapping[int, StoredReply],
    *,
    error: BackendError | None = None,
) -> NewVerdict:
    """Return a judgment's verdict from the replies to its samples; `error` says why some are missing."""
    if not replies:
        reason = error.args[0] if error else sentence("there is no reply")
        return NewVerdict(
            unit.judgment_id, unit.response_id, "failed", reason, error.cause if error else "no_reply"
        )
    by_number = {sample.number: sample for sample in samples}
    heard = {
        number: _reading_of(judge_config, reply, by_number, task) for number, reply in sorted(replies.items())
    }
    readings = [parsed.reading for parsed in heard.values()]
    whole = _combined(judge_config, list(heard.values()), task)
    stated = _verdict_of_scores(whole, unit)
    reason = whole.reason or _missing_scores(stated, unit, task) or ""
    scores = {} if reason else stated
    if error is not None and not reason:
        # Without samples the prompt cannot be built any more, and nobody knows how many there would be.
        reason = error.args[0]
        if samples:
            reason = sentence(
                "{missing} of {samples} samples got no reply",
                missing=len(samples) - len(replies),
                samples=len(samples),
            )
    apart = dict(whole.detail)
    of_each: Mapping[int, Mapping[str, Any]] = apart.pop("responses", {})
    identify = judge_config.criterion_ids
    return NewVerdict(
        judgment_id=unit.judgment_id,
        response_id=unit.response_id,
        state="scored" if scores else "unscored",
        reason=reason,
        cause=error.cause if error else "",
        scores=_by_id(scores.get(unit.response_id, {}), identify) if not unit.contenders else {},
        by_response={response: _by_id(given, identify) for response, given in scores.items()}
        if unit.contenders
        else {},
        rationale=whole.rationale,
        confidence=whole.confidence,
        readings={number: _to_json(parsed.reading, unit) for number, parsed in heard.items()},
        details={identify[c.key]: {**detail(readings, c.key), **apart} for c in task.criteria if scores},
        response_details={response: dict(details) for response, details in of_each.items()},
    )


def _verdict_of_scores(whole: Reading, unit: JudgmentUnit) -> dict[int, Mapping[str, float]]:
    """Return the scores by response; those of a response that is no part of the unit are none."""
    if not unit.contenders:
        return {unit.response_id: whole.scores} if whole.scores else {}
    members = {member.response_id for member in unit.contenders}
    return {response: given for response, given in whole.by_response.items() if response in members}


def _missing_scores(
    stated: Mapping[int, Mapping[str, float]], unit: JudgmentUnit, task: Task
) -> Sentence | None:
    """Return which criteria lack a score, for one of the unit's responses at least."""
    members = [member.response_id for member in unit.contenders] or [unit.response_id]
    lacking = [c.key for c in task.criteria if any(c.key not in stated.get(m, {}) for m in members)]
    return sentence("no score for {criteria}", criteria=", ".join(lacking)) if lacking else None


def _by_id(scores: Mapping[str, float], criterion_ids: Mapping[str, int]) -> dict[int, float]:
    return {criterion_ids[key]: score for key, score in scores.items() if key in criterion_ids}


def _combined(judge_config: JudgeConfig, heard: Sequence[Heard], task: Task) -> Reading:
    try:
        return judge_config.combine(heard, task)
    except Exception as error:
        log.exception("protocol %s cannot combine its replies", judge_config.judge.protocol)
        return Reading(reason=_error_cause(error))


def replies_of(unit: JudgmentUnit) -> dict[int, StoredReply]:
    """Return the stored replies of a unit by sample."""
    return {reply.sample: reply for reply in unit.replies}


def is_refused_reply(reply: StoredReply) -> Sentence | None:
    """Return why a reply is not an answer of the model; its text is then never parsed."""
    if reply.finish_reason == REFUSAL:
        return sentence("the model refused to answer: {said}", said=reply.text)
    if reply.finish_reason.startswith(FILTERED):
        return sentence("the endpoint's content filter withheld the reply")
    if reply.finish_reason == "length" and not reply.text.strip():
        return sentence(
            "the reply was cut off at the token limit before it contained an answer, even with twice the "
            "limit; raise max_tokens"
        )
    return None


def detail(readings: Sequence[Reading], criterion: str) -> dict[str, Any]:
    """Return how the score of a criterion came about, as it is kept with the verdict.

    `votes`: the share of each score among the replies that state one; `read` and `replies`: how many those
    are, and of how many. `mass` and `weights`: mean probability seen, and of each score, where the score is
    an expected one.
    """
    scored = [reading for reading in readings if reading.scored and criterion in reading.scores]
    details: dict[str, Any] = {}
    weighted = [reading for reading in scored if reading.weights]
    if weighted:
        summed: Counter[float] = Counter()
        for reading in weighted:
            summed.update(reading.weights)
        details["weights"] = {f"{score:g}": summed[score] / len(weighted) for score in sorted(summed)}
        details["mass"] = sum(summed.values()) / len(weighted)
        details["stated"] = len(scored) - len(weighted)
    elif scored and len(readings) > 1:
        counts = Counter(reading.scores[criterion] for reading in scored)
        details["votes"] = {f"{score:g}": counts[score] / len(scored) for score in sorted(counts)}
    if len(readings) > 1:
        read = [reading for reading in readings if reading.reason is None]
        details |= {"read": len(scored) or len(read), "replies": len(readings)}
    return details


def _to_json(reading: Reading, unit: JudgmentUnit) -> dict[str, Any]:
    """Return a reading as it is kept; responses of an item go by their places, which an export can keep."""
    places = {member.response_id: str(place) for place, member in enumerate(unit.contenders)}
    shown = {places[r]: dict(given) for r, given in reading.by_response.items() if r in places}
    return {
        "scores": dict(reading.scores),
        "rationale": reading.rationale,
        "reason": reading.reason,
        "confidence": reading.confidence,
        **({"weights": {f"{k:g}": v for k, v in reading.weights.items()}} if reading.weights else {}),
        **({"by_response": shown} if shown else {}),
        **({"detail": dict(reading.detail)} if reading.detail else {}),
    }


def _reading_of(
    judge_config: JudgeConfig, reply: StoredReply, samples: Mapping[int, Sample], task: Task
) -> Heard:
    call = call_of(reply, samples)
    why = is_refused_reply(reply)
    if why is not None:
        return Heard(call, Reading(reason=why))
    try:
        tokens = tokens_of(reply.logprobs, reply.top_logprobs)
        return Heard(call, judge_config.read(call, reply.text, tokens, task))
    except Exception as error:
        # A parser's mistake must not lose the reply: it is stored, and `reparse` reads it once mended.
        log.exception("protocol %s cannot read a reply", judge_config.judge.protocol)
        return Heard(call, Reading(reason=_error_cause(error)))


def _error_cause(error: Exception) -> Sentence:
    return sentence(
        "the protocol's parser failed ({error}); fix it, then reparse", error=type(error).__name__
    )
