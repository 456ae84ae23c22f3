"""Turn database errors into messages for the person who can fix them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from judgelab import wording
from judgelab.errors import DiskFull, InvalidInput, StoreUnavailable
from judgelab.wording import Sentence, mark

T = TypeVar("T")
OLDEST_SQLITE = (3, 35)  # the first with RETURNING
URL_SHAPES = "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
DOWN = mark(
    "the database server is not responding; check that it is running and that JUDGELAB_DATABASE_URL is right."
)
WRONG_LOGIN = mark("the database server rejected the login; check the user name and password in {place}.")
ENDED = mark("the database server closed the connection, and nothing from this step was stored; try again.")
FULL = mark("the disk is full; nothing was stored. Free some space and try again.")
FAILS = mark(
    "the database server's disk is failing, or its files are damaged; nothing from this step was stored. "
    "See the server's log."
)
READ_ONLY = mark("{place} is read-only; make it and its folder writable for this user and try again.")
NO_RIGHT = mark("this user has no permission to write to {place}; ask for it, or use another user.")
SERVER_FULL = mark("the database server has too many connections; try again later.")
SERVER_READ_ONLY = mark(
    "the database server is read-only (a standby, or configured so); in JUDGELAB_DATABASE_URL, name the "
    "server that accepts writes."
)
REFUSED = mark("the database server refused the connection: {words}")

# PostgreSQL's error codes (its appendix A), which do not depend on the language. For errors on
# connecting, psycopg has none.
_BY_SQLSTATE = {
    **dict.fromkeys(("58030", "XX001", "XX002"), FAILS),
    **dict.fromkeys(("57P01", "57P02", "25P03", "57P05"), ENDED),
    **{"53100": FULL, "42501": NO_RIGHT, "25006": SERVER_READ_ONLY},
}
_AT_CONNECTING = re.compile(r"failed: \S+:  (.+)")  # a severity in the server's language, then two spaces

# Patterns of the database's message -> our message; the first match counts.
_BY_WORDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("database is locked",),
        mark("{place} has been locked by another program for 30 seconds; close that program and try again."),
    ),
    (
        ("readonly database", "read-only"),
        READ_ONLY,
    ),
    (
        ("unable to open database file",),
        mark("can't open {place}; check that its folder exists and is writable."),
    ),
    (
        ("file is not a database",),
        mark("{place} is not a JudgeLab database; name another file in JUDGELAB_DATABASE_URL."),
    ),
    (
        ("disk image is malformed", "disk I/O error"),
        mark("{place} is damaged, or its disk is failing; replace it with a backup."),
    ),
    (
        ("database or disk is full", "No space left", "could not extend file"),
        FULL,
    ),
    (
        ("password authentication failed", "no password supplied", "no pg_hba.conf entry"),
        WRONG_LOGIN,
    ),
    (
        ("permission denied for",),
        NO_RIGHT,
    ),
    (
        (
            r'FATAL: .*" does not exist',
        ),  # not for a missing table or column, which is our bug and not a wrong URL
        mark(
            "{place} names a database or a user that does not exist on the server; create it, or correct "
            "the name."
        ),
    ),
    (
        ("failed to resolve host", "could not translate host name"),
        mark("the host in {place} is unknown; check its name."),
    ),
    (
        ("too many clients", "too many connections", "remaining connection slots"),
        SERVER_FULL,
    ),
    (("terminating connection", "server closed the connection", "the connection is lost"), ENDED),
    (("the connection is closed", "connection already closed", "SSL SYSCALL error"), ENDED),
    (("the database system is", "not currently accepting connections"), DOWN),
)
_NO_ANSWER = ("Connection refused", "connection failed", "timeout expired", "connection timeout")


@contextmanager
def explain_db_errors(url: str) -> Iterator[None]:
    """Turn the database's errors into messages for the user."""
    try:
        yield
    except DBAPIError as error:
        message = message_for(url, str(error.orig), state=getattr(error.orig, "sqlstate", None) or "")
        if message is None:
            raise
        raise (DiskFull if message == FULL else StoreUnavailable)(message) from error
    except OverflowError as error:
        raise InvalidInput(
            wording.sentence("a number is too large for the database; enter a smaller one.")
        ) from error
    except UnicodeEncodeError as error:
        if error.reason != "surrogates not allowed":
            raise
        raise InvalidInput(
            wording.sentence("a name or text contains half of a two-part character; type it again.")
        ) from error


def message_for(url: str, error: str, *, state: str = "") -> Sentence | None:
    """Return what to do about a database error, or None if the error is unknown.

    Args:
        url: the database's URL.
        error: its message.
        state: its error code, if it has one.
    """
    if state in _BY_SQLSTATE:
        return wording.sentence(_BY_SQLSTATE[state], place=database_name(url))
    for patterns, text in _BY_WORDS:
        if any(re.search(pattern, error) for pattern in patterns):
            return wording.sentence(text, place=database_name(url))
    if refused := _AT_CONNECTING.search(error):
        return wording.sentence(REFUSED, words=refused[1])
    if any(re.search(pattern, error) for pattern in _NO_ANSWER):
        return wording.sentence(DOWN)
    return None


def database_name(url: str) -> str:
    """Return a database URL for display: the file, or the URL without its password."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return wording.sentence("the database URL")
    if parsed.get_backend_name() == "sqlite":
        return parsed.database or wording.sentence("the in-memory database")
    return parsed.render_as_string(hide_password=True)


def refuse_memory(url: str, setting: str) -> None:
    """Raise `StoreUnavailable` for an in-memory SQLite database, which processes cannot share."""
    parsed = check_url(lambda: make_url(url))
    if parsed.get_backend_name() != "sqlite":
        return
    name = parsed.database or ":memory:"
    if ":memory:" in name or parsed.query.get("mode") == "memory":
        raise StoreUnavailable(
            wording.sentence(
                "{setting} names an in-memory database, which the app and its workers can't share; write "
                "{shapes}.",
                setting=setting,
                shapes=URL_SHAPES,
            )
        )


def refuse_old_sqlite(version: tuple[int, ...]) -> None:
    """Raise `StoreUnavailable` for a SQLite version without the SQL that we use."""
    if version < OLDEST_SQLITE:
        raise StoreUnavailable(
            wording.sentence(
                "this Python has SQLite {version}, but JudgeLab needs {oldest} or newer; use another "
                "Python, or PostgreSQL.",
                version=".".join(map(str, version)),
                oldest=".".join(map(str, OLDEST_SQLITE)),
            )
        )


def check_url(make: Callable[[], T]) -> T:
    """Return the result of `make`; raises `StoreUnavailable` if the database URL is unusable."""
    try:
        return make()
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
        raise StoreUnavailable(
            wording.sentence(
                "JUDGELAB_DATABASE_URL does not name a usable database; write {shapes}.", shapes=URL_SHAPES
            )
        ) from error
