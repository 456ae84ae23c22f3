"""The body of a chat completion as replies. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.backends.openai_errors import broken_body_error
from judgelab.db_text import db_safe_json
from judgelab.domain import FILTERED, REFUSAL, Reply, Usage
from judgelab.wording import sentence

THOUGHTS_BEGIN, THOUGHTS_END = "<think>", "</think>"
MOST_TOKENS = 2**31 - 1  # what a column of whole numbers holds
REASONING = ("reasoning_content", "reasoning")  # where servers put what the model thought


class ParsedReplies(NamedTuple):
    """The replies of one call, and whether the model thought before it wrote them."""

    replies: list[Reply]
    reasoned: bool


def read_replies(body: str, sent: Mapping[str, Any], *, latency: float, request_id: str) -> ParsedReplies:
    """Return the choices of a body as it came.

    What else stands in it may be anything: counts and probabilities that are none are left out.

    Raises:
        ValueError: it is no JSON.
        BackendError: it holds no choices.
    """
    # Read from the JSON itself: the client's typed objects cost as much CPU as the whole call.
    data = parse_body(body)
    choices = data.get("choices") if isinstance(data, dict) else None
    counted = _counted(data)
    if not isinstance(choices, list) or not choices or not all(isinstance(c, dict) for c in choices):
        raise broken_body_error(body, _usage(counted), request_id=request_id)
    replies = [
        Reply(
            text=_text(choice),
            # The whole body is kept once; its other choices keep their own part.
            body=body if position == 0 else json.dumps({"choices": [choice]}, ensure_ascii=False),
            model=str(data.get("model") or ""),
            finish_reason=_finish_reason(choice),
            usage=_usage(counted) if position == 0 else Usage(),
            latency=latency,
            sent=dict(sent),
            logprobs=_logprobs(choice),
            top_logprobs=_top_logprobs(choice),
            counted=counted if position == 0 else {},
            request_id=request_id,
        )
        for position, choice in enumerate(choices)
    ]
    details = counted.get("completion_tokens_details")
    thought = isinstance(details, dict) and bool(details.get("reasoning_tokens"))
    return ParsedReplies(replies, thought or any(_thought(choice) for choice in choices))


def parse_body(body: str) -> Any:
    """Return the JSON as databases take it, with None for numbers that are none or endless.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    try:
        data = json.loads(body, parse_constant=_left_out, parse_float=_finite)
        return db_safe_json(data) if "\\u" in body else data  # such letters come written as escapes only
    except RecursionError:
        raise too_deep() from None


def too_deep() -> ValueError:
    """Return the error for JSON in which too many brackets are open at once."""
    return ValueError(sentence("it is nested too deeply"))


def _left_out(_: str) -> None:
    return None


def _finite(written: str) -> float | None:
    number = float(written)
    return number if math.isfinite(number) else None


def filtered_reply(body: str, sent: Mapping[str, Any], *, latency: float, request_id: str) -> Reply:
    """Return the placeholder reply for a prompt that the endpoint's content filter rejected."""
    return Reply(
        text="", body=body, finish_reason=FILTERED, latency=latency, sent=dict(sent), request_id=request_id
    )


def is_cut_off(replies: Sequence[Reply], *, wants_object: bool) -> bool:
    """Return whether the token limit ended every reply before it said anything that can be read.

    Args:
        replies: the replies of one call.
        wants_object: whether the server was bound to write JSON, of which a part is nothing.
    """
    return all(
        reply.finish_reason == "length" and (wants_object or not reply.text.strip()) for reply in replies
    )


def _message(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    message = choice.get("message")
    return message if isinstance(message, dict) else {}


def _text(choice: Mapping[str, Any]) -> str:
    # None when the model refused, called a tool, or spent its whole budget on reasoning.
    message = _message(choice)
    text = message.get("content") or message.get("refusal") or ""
    if isinstance(text, list):  # parts, as some gateways write them
        text = "".join(str(part.get("text") or "") for part in text if isinstance(part, dict))
    return _without_thoughts(str(text))


def _without_thoughts(text: str) -> str:
    """Return the text without reasoning that a server without a reasoning parser put before the answer."""
    if THOUGHTS_END in text:
        return text.rpartition(THOUGHTS_END)[2].lstrip()
    return "" if text.lstrip().startswith(THOUGHTS_BEGIN) else text


def _thought(choice: Mapping[str, Any]) -> bool:
    message = _message(choice)
    written = str(message.get("content") or "")
    return any(message.get(name) for name in REASONING) or THOUGHTS_END in written


def _finish_reason(choice: Mapping[str, Any]) -> str:
    message = _message(choice)
    if message.get("refusal") and not message.get("content"):
        return REFUSAL
    return str(choice.get("finish_reason") or "")


def _counted(data: Any) -> dict[str, Any]:
    usage = data.get("usage") if isinstance(data, dict) else None
    return usage if isinstance(usage, dict) else {}


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens")))


def token_count(value: object) -> int | None:
    """Return a number of tokens or of requests, None where there is none that a database holds."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def _tokens(choice: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list) or not all(isinstance(token, dict) for token in content):
        return None
    return content or None


def _logprobs(choice: Mapping[str, Any]) -> list[tuple[str, float]] | None:
    content = _tokens(choice)
    if content is None:
        return None
    pairs = _pairs(content)
    return pairs if len(pairs) == len(content) else None  # with one missing the reply would read otherwise


def _top_logprobs(choice: Mapping[str, Any]) -> list[list[tuple[str, float]]] | None:
    content = _tokens(choice)
    if content is None or not any(token.get("top_logprobs") for token in content):
        return None
    return [_pairs(token.get("top_logprobs")) for token in content]


def _pairs(tokens: object) -> list[tuple[str, float]]:
    """Return token and log-probability of each that has both."""
    listed = tokens if isinstance(tokens, list) else []
    return [
        (alternative["token"], float(alternative["logprob"]))
        for alternative in listed
        if isinstance(alternative, dict)
        and isinstance(alternative.get("token"), str)
        and isinstance(alternative.get("logprob"), int | float)
    ]
