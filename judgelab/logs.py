"""Logging for every process: plain lines, or one JSON object per line, without secrets.

A line has the id of its request (`in_request`) and of the error that a person was shown
(`extra={"error_id": ...}`).
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from threading import Lock
from urllib.parse import quote, unquote

from judgelab.config import Settings, settings

PLAIN = "%(asctime)s %(levelname)s %(name)s: %(message)s%(of)s"
HIDDEN = "***"
SHORTEST_SECRET = 6
QUIET_SECONDS = 60.0
FORGET_SECONDS = 3600.0
# Secrets for signing in to an account or a database, anywhere in a line.
_SECRETS = (
    re.compile(r"(?<=://)([^/\s:@]*):[^/\s]+@"),
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"),
    re.compile(
        r"(?i)\b(authorization|api[-_]?key|password|passwd|pwd|secret|token|cookie|jl_\w+)"
        r"(['\"]?\s*[:=]\s*['\"]?)(?!\*)[^\s'\",;&]+"
    ),
    re.compile(r"(/(?:invite|results|study)/)[\w-]{8,}"),
    re.compile(r"\b(sk|pk|hf|gsk)([-_])[\w-]{12,}"),
)
_REPLACEMENTS = (rf"\1:{HIDDEN}@", rf"\1 {HIDDEN}", rf"\1\2{HIDDEN}", rf"\1{HIDDEN}", rf"\1\2{HIDDEN}")
_NAMES_OF_SECRETS = re.compile(r"(?i)(key|token|secret|password|passwd)$")
_request: ContextVar[str] = ContextVar("judgelab_request", default="")
_VALID_ID = re.compile(r"[A-Za-z0-9-]{8,64}")


def set_up(config: Settings | None = None) -> None:
    """Configure logging to standard error from the settings; other packages log warnings and errors."""
    config = config or settings()
    root = logging.getLogger()
    if not any(type(handler) is logging.StreamHandler for handler in root.handlers):
        root.addHandler(logging.StreamHandler(sys.stderr))
        root.setLevel(logging.WARNING)
    formatter = _JsonFormatter(config) if config.log_format == "json" else _PlainFormatter(config)
    for handler in root.handlers:
        if type(handler) is logging.StreamHandler:
            handler.setFormatter(formatter)
            if not any(isinstance(log_filter, _RepeatFilter) for log_filter in handler.filters):
                handler.addFilter(_RepeatFilter())
    logging.getLogger("judgelab").setLevel(level_of(config.log_level))
    if config.log_format == "json":
        redirect_handlers()


def redirect_handlers() -> None:
    """Route the lines of packages with their own handlers (Streamlit, uvicorn, DBOS) through ours."""
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
                logger.removeHandler(handler)
                logger.propagate = True


def level_of(name: str) -> int:
    """Return a level by name; INFO for an unknown name."""
    return logging.getLevelNamesMapping().get(name.upper(), logging.INFO)


def new_error_id() -> str:
    """Return a short id, shown on the screen and written to the log, that a person can quote."""
    return uuid.uuid4().hex[:8]


def request_id(given: str | None = None) -> str:
    """Return an id for a request: the one given by a proxy if it is valid, or a new one."""
    return given if given and _VALID_ID.fullmatch(given) else uuid.uuid4().hex


@contextmanager
def in_request(name: str) -> Iterator[None]:
    """Add the id of the request to all lines written inside the block."""
    token = _request.set(name)
    try:
        yield
    finally:
        _request.reset(token)


class _RepeatFilter(logging.Filter):
    """Writes each of our warnings at most once a minute, as a lasting problem is found again and again."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._seen: dict[
            tuple[str, str], tuple[float, int]
        ] = {}  # when it was last written, and how often it was suppressed since

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is written; if it was suppressed before, it says how often."""
        is_own_warning = record.name.split(".")[0] == "judgelab" and record.levelno == logging.WARNING
        if not is_own_warning or record.exc_info or hasattr(record, "fields") or hasattr(record, "error_id"):
            return True
        try:
            key = (record.name, record.getMessage())
        except (TypeError, ValueError):
            return True  # the handler reports the formatting error
        with self._lock:
            return self._once(record, key)

    def _once(self, record: logging.LogRecord, key: tuple[str, str]) -> bool:
        at, suppressed = self._seen.get(key, (0.0, 0))
        if 0 <= record.created - at < QUIET_SECONDS:
            self._seen[key] = (at, suppressed + 1)
            return False
        self._seen = {
            other: entry for other, entry in self._seen.items() if record.created - entry[0] < FORGET_SECONDS
        }
        self._seen[key] = (record.created, 0)
        if suppressed:
            record.msg, record.args = f"{key[1]} (as {suppressed} times since)", None
        return True


class _PlainFormatter(logging.Formatter):
    """Formats a plain line."""

    def __init__(self, chosen: Settings) -> None:
        super().__init__(PLAIN)
        self._secrets = _known_secrets(chosen, os.environ)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, followed by the traceback if any."""
        name = _request.get()
        record.of = f" [request {name}]" if name else ""
        return _redacted(super().format(record), self._secrets)


class _JsonFormatter(logging.Formatter):
    """Formats a JSON object: time (UTC), level, logger, process, message; request, error, trace if any."""

    def __init__(self, chosen: Settings) -> None:
        super().__init__()
        self._secrets = _known_secrets(chosen, os.environ)

    def format(self, record: logging.LogRecord) -> str:
        """Return the object as one line."""
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
            "request": _request.get(),
            "error": getattr(record, "error_id", ""),
            **getattr(record, "fields", {}),
            "trace": self.formatException(record.exc_info) if record.exc_info else "",
        }
        redacted = {
            name: _redacted(value, self._secrets) if isinstance(value, str) else value
            for name, value in fields.items()
            if value != ""
        }
        return json.dumps(redacted, ensure_ascii=False, default=str)


def _redacted(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    for pattern, replacement in zip(_SECRETS, _REPLACEMENTS, strict=True):
        text = pattern.sub(replacement, text)
    return text


def _known_secrets(chosen: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets to be hidden: passwords in database URLs and keys in the environment."""
    urls = (chosen.database_url, chosen.engine_url, chosen.public_url)
    secrets = [match[1] for url in urls if (match := re.search(r"://[^/\s:@]*:([^/\s]+)@", url))]
    secrets.append(chosen.mail_password.get_secret_value())  # a `.env` file may hold it
    secrets += [value.strip() for name, value in environment.items() if _NAMES_OF_SECRETS.search(name)]
    forms = {form for secret in secrets for form in (secret, unquote(secret), quote(secret, safe=""))}
    return tuple(
        sorted((secret for secret in forms if len(secret) >= SHORTEST_SECRET), key=len, reverse=True)
    )
