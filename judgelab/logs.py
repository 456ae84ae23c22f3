"""One way of logging for every process: lines for a person, or one JSON object a line; never a secret.

A line carries the id of the request it belongs to (`in_request`) and of the error that a person was shown
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
FORGOTTEN_SECONDS = 3600.0
# Words that open a sign-in, an account or a database, wherever they stand in a line.
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
_SAID = (rf"\1:{HIDDEN}@", rf"\1 {HIDDEN}", rf"\1\2{HIDDEN}", rf"\1{HIDDEN}", rf"\1\2{HIDDEN}")
_NAMES_OF_SECRETS = re.compile(r"(?i)(key|token|secret|password|passwd)$")
_request: ContextVar[str] = ContextVar("judgelab_request", default="")
_GIVEN = re.compile(r"[A-Za-z0-9-]{8,64}")


def set_up(chosen: Settings | None = None) -> None:
    """Let this process log as the settings say, to standard error; other packages from WARNING on."""
    chosen = chosen or settings()
    root = logging.getLogger()
    if not any(type(handler) is logging.StreamHandler for handler in root.handlers):
        root.addHandler(logging.StreamHandler(sys.stderr))
        root.setLevel(logging.WARNING)
    formatter = _Json(chosen) if chosen.log_format == "json" else _Plain(chosen)
    for handler in root.handlers:
        if type(handler) is logging.StreamHandler:
            handler.setFormatter(formatter)
            if not any(isinstance(one, _Repeats) for one in handler.filters):
                handler.addFilter(_Repeats())
    logging.getLogger("judgelab").setLevel(level_of(chosen.log_level))
    if chosen.log_format == "json":
        take_over()


def take_over() -> None:
    """Let packages that write lines of their own (Streamlit, uvicorn, DBOS) write through ours."""
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
                logger.removeHandler(handler)
                logger.propagate = True


def level_of(name: str) -> int:
    """Return a level by its name; INFO for a name that is none."""
    return logging.getLevelNamesMapping().get(name.upper(), logging.INFO)


def new_error_id() -> str:
    """Return an id that a person can read out: it stands on their screen and in the log."""
    return uuid.uuid4().hex[:8]


def request_id(given: str | None = None) -> str:
    """Return an id for a request: the one that a proxy gave it, where that is one, or a new one."""
    return given if given and _GIVEN.fullmatch(given) else uuid.uuid4().hex


@contextmanager
def in_request(name: str) -> Iterator[None]:
    """Let all lines written inside carry the id of the request."""
    token = _request.set(name)
    try:
        yield
    finally:
        _request.reset(token)


class _Repeats(logging.Filter):
    """Lets a warning of ours through once a minute: what lasts is found again at every look."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._said: dict[
            tuple[str, str], tuple[float, int]
        ] = {}  # when it was last let through, kept back since

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is written; one that was kept back before says how often."""
        ours = record.name.split(".")[0] == "judgelab" and record.levelno == logging.WARNING
        if not ours or record.exc_info or hasattr(record, "fields") or hasattr(record, "error_id"):
            return True
        try:
            said = (record.name, record.getMessage())
        except (TypeError, ValueError):
            return True  # the handler says what is wrong with it
        with self._lock:
            return self._once(record, said)

    def _once(self, record: logging.LogRecord, said: tuple[str, str]) -> bool:
        at, kept = self._said.get(said, (0.0, 0))
        if 0 <= record.created - at < QUIET_SECONDS:
            self._said[said] = (at, kept + 1)
            return False
        self._said = {
            one: known for one, known in self._said.items() if record.created - known[0] < FORGOTTEN_SECONDS
        }
        self._said[said] = (record.created, 0)
        if kept:
            record.msg, record.args = f"{said[1]} (as {kept} times since)", None
        return True


class _Plain(logging.Formatter):
    """A line for a person."""

    def __init__(self, chosen: Settings) -> None:
        super().__init__(PLAIN)
        self._secrets = _known_secrets(chosen, os.environ)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the trace below it."""
        name = _request.get()
        record.of = f" [request {name}]" if name else ""
        return _without(super().format(record), self._secrets)


class _Json(logging.Formatter):
    """One object a line: time (UTC), level, logger, process, message; request, error and trace if any."""

    def __init__(self, chosen: Settings) -> None:
        super().__init__()
        self._secrets = _known_secrets(chosen, os.environ)

    def format(self, record: logging.LogRecord) -> str:
        """Return the object as one line."""
        said = {
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
        kept = {
            name: _without(value, self._secrets) if isinstance(value, str) else value
            for name, value in said.items()
            if value != ""
        }
        return json.dumps(kept, ensure_ascii=False, default=str)


def _without(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    for pattern, said in zip(_SECRETS, _SAID, strict=True):
        text = pattern.sub(said, text)
    return text


def _known_secrets(chosen: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return what must not be said: passwords of database URLs, keys in the environment."""
    urls = (chosen.database_url, chosen.engine_url, chosen.public_url)
    found = [match[1] for url in urls if (match := re.search(r"://[^/\s:@]*:([^/\s]+)@", url))]
    found += [value.strip() for name, value in environment.items() if _NAMES_OF_SECRETS.search(name)]
    forms = {form for one in found for form in (one, unquote(one), quote(one, safe=""))}
    return tuple(sorted((one for one in forms if len(one) >= SHORTEST_SECRET), key=len, reverse=True))
