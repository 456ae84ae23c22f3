"""The errors of OpenAI's client as ours: a short cause, whether to try again, whether to stop the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgelab.backends.base import Connection
from judgelab.errors import BackendError
from judgelab.wording import mark, sentence

if TYPE_CHECKING:
    from openai import APIStatusError

RETRYABLE_STATUS = {408: "timeout", 409: "server_error", 429: "rate_limit"}
STOPPING_STATUS = {401: "bad_key", 403: "bad_key", 402: "quota", 404: "not_found"}
REMEDIES = {
    "bad_key": mark("check the key in {key}"),
    "no_key": mark("it wants a key: name the environment variable that holds it"),
    "quota": mark("the account has no credit left; raise it, then resume the run"),
    "not_found": mark("check the model's name and that the address ends in /v1"),
}
EXCERPT = 300


def translated(error: Exception, connection: Connection, key: str) -> BackendError:
    """Return the error of one call as ours, with the key taken out of its text."""
    import openai

    if isinstance(error, BackendError):
        return error
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, connection, key)
    where = {"endpoint": connection.name, "address": connection.base_url}
    if isinstance(error, openai.APIConnectionError):
        refusal = _refusal(error)
        if refusal is None:
            silent = sentence(
                "endpoint '{endpoint}' ({address}) did not answer within {seconds} s.",
                **where,
                seconds=f"{connection.timeout:g}",
            )
            return _error(silent, "timeout")
        closed = sentence(
            "endpoint '{endpoint}' ({address}) cannot be reached: {reason}.", **where, reason=refusal
        )
        return _error(closed, "connection")
    broken = sentence(
        "endpoint '{endpoint}' ({address}) sent a body that is no JSON: {error}",
        **where,
        error=_short(str(error), key),
    )
    return _error(broken, "broken_body")


def _refusal(error: BaseException) -> str | None:
    """Return what the network said; None when it was only silent. The client calls both a timeout."""
    said = None
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
            said = cause.strerror or str(cause)
        cause = cause.__cause__ or cause.__context__
    return said


def broken_body(body: str) -> BackendError:
    """Return the error for a 200 whose body holds no choices."""
    said = sentence("the reply holds no choices: {body}", body=_short(body, ""))
    return _error(said, "broken_body")


def _of_status(error: APIStatusError, connection: Connection, key: str) -> BackendError:
    status = error.status_code
    said = _short(_said(error), key)
    if error.code == "insufficient_quota":
        cause, retryable = "quota", False
    elif status in STOPPING_STATUS:
        cause, retryable = STOPPING_STATUS[status], False
    elif status in RETRYABLE_STATUS or status >= 500:
        cause, retryable = RETRYABLE_STATUS.get(status, "server_error"), True
    else:
        cause, retryable = "bad_request", False
    named = cause if cause != "bad_key" or connection.api_key_env else "no_key"
    answered = sentence(
        "endpoint '{endpoint}' answered {status}: {said}",
        endpoint=connection.name,
        status=str(status),
        said=said,
    )
    if named in REMEDIES:
        remedy = sentence(REMEDIES[named], key=connection.api_key_env)
        answered = sentence("{problem} ({remedy})", problem=answered, remedy=remedy)
    return BackendError(
        answered,
        cause=cause,
        retryable=retryable,
        stops_run=cause in REMEDIES,
        retry_after=_retry_after(error),
    )


def _said(error: APIStatusError) -> str:
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return str(said or error.message)


def _retry_after(error: APIStatusError) -> float | None:
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) / unit)
        except (KeyError, ValueError):
            continue
    return None


def _error(message: str, cause: str) -> BackendError:
    return BackendError(message, cause=cause, retryable=True)


def _short(text: str, key: str) -> str:
    text = text.replace(key, "***") if key else text
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"
