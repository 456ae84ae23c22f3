"""The errors of OpenAI's client as ours: a short cause, whether to try again, whether to stop the run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from judgelab.backends.base import Connection
from judgelab.backends.keys import redact_key
from judgelab.backends.retry_after import retry_after
from judgelab.backends.unreachable import find_obstacle
from judgelab.db_text import db_safe_text
from judgelab.domain import Exchange, Usage
from judgelab.errors import BackendError
from judgelab.wording import Sentence, mark, sentence

if TYPE_CHECKING:
    from openai import APIStatusError

RETRYABLE_STATUS = {408: "timeout", 409: "server_error", 429: "rate_limit", 503: "overload", 529: "overload"}
STOPPING_STATUS = {401: "bad_key", 403: "bad_key", 402: "quota", 404: "not_found", 405: "not_found"}
QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
REMEDIES = {
    "bad_key": mark("check the key in {key}"),
    "no_key": mark("it requires a key: name the environment variable that contains it"),
    "quota": mark("the account has no credit left; top it up, then resume the run"),
    "not_found": mark("check the model's name and that the address ends in /v1"),
    "no_model": mark("check the model's name"),
    "no_v1": mark("the address does not end in /v1; try {address}/v1"),
}
NO_JSON = mark("endpoint '{endpoint}' ({address}) sent a reply that is not valid JSON: {error}")
A_PAGE = mark(
    "endpoint '{endpoint}' ({address}) answered with a web page instead of JSON; check that this is the "
    "address of the API (most end in /v1) and that it needs no sign-in page."
)
# What a content filter in front of a model answers to a prompt that it does not let through.
FILTER_CODES = frozenset(
    {"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation", "invalid_prompt"}
)
REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id")
EXCERPT = 300
NOT_COUNTED = Usage()


def translate_error(
    error: Exception, connection: Connection, key: str, sent: Mapping[str, Any] | None = None
) -> BackendError:
    """Return the error of one call as ours, with the key taken out of its text.

    Args:
        error: what the client raised.
        connection: the way to the endpoint.
        key: the key that was sent; it stands in nothing that is returned.
        sent: the parameters that were sent.
    """
    import openai

    translated = error if isinstance(error, BackendError) else None
    if translated is None and isinstance(error, openai.APIStatusError):
        translated = _of_status(error, connection, key)
    if translated is None and isinstance(error, openai.APIConnectionError):
        translated = _of_connection(error, connection, key)
    if translated is None:
        body = error.doc if isinstance(error, json.JSONDecodeError) else ""
        template = A_PAGE if body.lstrip()[:1] == "<" else NO_JSON
        broken = sentence(
            template,
            endpoint=connection.name,
            address=connection.base_url,
            error=_short(redact_key(str(error), key)),
        )
        translated = _error(broken, "broken_body", Exchange(status=200, body=redact_key(body, key)))
    translated.exchange = replace(translated.exchange or Exchange(), sent=dict(sent or {}))
    return translated


def broken_body_error(body: str, usage: Usage = NOT_COUNTED, *, request_id: str = "") -> BackendError:
    """Return the error for a 200 without choices; `usage` is what the server counted anyway."""
    message = sentence("the reply has no choices: {body}", body=_short(body))
    return _error(message, "broken_body", Exchange(status=200, request_id=request_id, body=body, usage=usage))


def unexpected_shape_error(answer: object, connection: Connection, key: str) -> BackendError:
    """Return the error for an answer that is JSON, but not what was asked for."""
    message = sentence(
        "endpoint '{endpoint}' ({address}) sent a reply that is not in the format of OpenAI's API",
        endpoint=connection.name,
        address=connection.base_url,
    )
    return _error(message, "broken_body", Exchange(status=200, body=redact_key(str(answer), key)))


def _of_connection(error: BaseException, connection: Connection, key: str) -> BackendError:
    """Classify connection errors: unreachable server, broken connection, or timeout."""
    from aiohttp import ClientConnectorError, ClientError, ConnectionTimeoutError, ServerTimeoutError
    from httpx2 import TooManyRedirects

    where = {"endpoint": connection.name, "address": connection.base_url}
    chain = list(_chain(error))
    ours = next((cause for cause in chain if isinstance(cause, BackendError)), None)
    if ours is not None:
        return ours
    if any(isinstance(cause, TooManyRedirects) for cause in chain):
        circle = sentence(
            "endpoint '{endpoint}' ({address}) redirects in a loop; check the address.", **where
        )
        return BackendError(circle, cause="redirected", retryable=False, stops_run=True)
    if any(isinstance(cause, (ClientConnectorError, ConnectionTimeoutError)) for cause in chain):
        obstacle = find_obstacle(chain, connection.base_url)
        closed = sentence(
            "endpoint '{endpoint}' ({address}) cannot be reached: {reason}.", **where, reason=obstacle.reason
        )
        return BackendError(
            closed,
            cause="unreachable" if obstacle.passing else "tls",
            retryable=obstacle.passing,
            stops_run=not obstacle.passing,
        )
    silent = any(isinstance(cause, (ServerTimeoutError, TimeoutError)) for cause in chain)
    if silent or not any(isinstance(cause, (ClientError, OSError)) for cause in chain):
        message = sentence(
            "endpoint '{endpoint}' ({address}) did not answer within {seconds} s.",
            **where,
            seconds=f"{connection.timeout:g}",
        )
        return _error(message, "timeout")
    lost = sentence(
        "the connection to endpoint '{endpoint}' ({address}) broke before the reply was complete: {reason}.",
        **where,
        reason=_short(redact_key(_network_said(chain), key)),
    )
    return _error(lost, "connection")


def _chain(error: BaseException) -> list[BaseException]:
    errors = []
    cause: BaseException | None = error
    while cause is not None:
        errors.append(cause)
        cause = cause.__cause__ or cause.__context__
    return errors


def _network_said(chain: list[BaseException]) -> str:
    """Return the innermost words of the network, without the layers around them."""
    last = chain[-1]
    message = last.strerror if isinstance(last, OSError) and last.strerror else str(last)
    words = " ".join(str(message).split()).removeprefix("400, message: ").rstrip(".")
    return words or type(last).__name__


def _of_status(error: APIStatusError, connection: Connection, key: str) -> BackendError:
    status = error.status_code
    message = _short(redact_key(_said(error), key))
    headers = error.response.headers
    if error.code in QUOTA_CODES:
        cause, retryable = "quota", False
    elif status in STOPPING_STATUS:
        cause, retryable = STOPPING_STATUS[status], False
    elif status in RETRYABLE_STATUS or status >= 500:
        cause, retryable = RETRYABLE_STATUS.get(status, "server_error"), True
    else:
        cause, retryable = "bad_request", False
    if cause not in REMEDIES and headers.get("x-should-retry") in ("true", "false"):
        retryable = headers["x-should-retry"] == "true"
    answered = sentence(
        "endpoint '{endpoint}' answered {status}: {said}",
        endpoint=connection.name,
        status=str(status),
        said=message,
    )
    if cause in REMEDIES:
        remedy = _remedy(cause, error, connection)
        answered = sentence("{problem} ({remedy})", problem=answered, remedy=remedy)
    return BackendError(
        answered,
        cause=cause,
        retryable=retryable,
        stops_run=cause in REMEDIES,
        retry_after=retry_after(headers),
        exchange=Exchange(
            status=status,
            request_id=request_id(headers),
            body=redact_key(error.response.text, key),
        ),
    )


def is_filtered(error: APIStatusError) -> bool:
    """Return whether a refusal (400) is a content filter's: the prompt is to blame, not how it was sent."""
    return error.code in FILTER_CODES or any(f'"{code}"' in error.response.text for code in FILTER_CODES)


def _remedy(cause: str, error: APIStatusError, connection: Connection) -> Sentence:
    if cause == "bad_key" and connection.keyring_name:
        return sentence(
            "check the key in the keyring; `judgelab endpoint key {endpoint}` replaces it",
            endpoint=connection.name,
        )
    if cause == "bad_key" and not connection.api_key_env:
        return sentence(REMEDIES["no_key"])
    if cause == "not_found":
        details = f"{error.code} {_said(error)}".lower()
        path = urlsplit(connection.base_url).path
        if "model" in details or "deployment" in details:
            return sentence(REMEDIES["no_model"])
        if "v1" not in path and "deployments" not in path:
            return sentence(REMEDIES["no_v1"], address=connection.base_url)
    return sentence(REMEDIES[cause], key=connection.api_key_env)


def request_id(headers: Mapping[str, str]) -> str:
    """Return the endpoint's own name of a call, or nothing."""
    return next((db_safe_text(headers[name]) for name in REQUEST_IDS if name in headers), "")


def _said(error: APIStatusError) -> str:
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    return str(message or error.message)


def _error(message: str, cause: str, exchange: Exchange | None = None) -> BackendError:
    return BackendError(message, cause=cause, retryable=True, exchange=exchange)


def _short(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"
