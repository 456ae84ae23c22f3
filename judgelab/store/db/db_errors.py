"""What a database says when it refuses, in words for the person who can mend it."""

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
OLDEST_SQLITE = (3, 35)  # the first that returns the rows it wrote
URL_SHAPES = "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
DOWN = mark(
    "the database server does not answer; check that it runs and that JUDGELAB_DATABASE_URL is right."
)
WRONG_LOGIN = mark("the database server does not let this user in; check name and password in {place}.")
ENDED = mark("the database server ended the connection and nothing of this step was stored; try again.")
FULL = mark("the disk is full; nothing was stored. Free some space and try again.")
FAILS = mark(
    "the database server's disk fails, or its files are damaged; nothing of this step was stored. Its log "
    "says more."
)
READ_ONLY = mark("{place} is read-only; make it and its folder writable for this user and try again.")
NO_RIGHT = mark("this user may not write to {place}; ask for the right or name another.")
SERVER_FULL = mark("the database server is full; try again later.")
SERVER_READ_ONLY = mark(
    "the database server is read-only (a standby, or told so); name the one that takes writes in "
    "JUDGELAB_DATABASE_URL."
)
REFUSED = mark("the database server refused the connection: {words}")

# PostgreSQL's codes (its appendix A) for what it says of a statement, in whatever language. For what it says
# at connecting psycopg hands over none.
_BY_SQLSTATE = {
    **dict.fromkeys(("58030", "XX001", "XX002"), FAILS),
    **dict.fromkeys(("57P01", "57P02", "25P03", "57P05"), ENDED),
    **{"53100": FULL, "42501": NO_RIGHT, "25006": SERVER_READ_ONLY},
}
_AT_CONNECTING = re.compile(r"failed: \S+:  (.+)")  # a severity, in the server's language, and two spaces

# Words of the database, as patterns -> our sentence; the first that is found counts.
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
        mark("{place} cannot be opened; check that its folder exists and is writable."),
    ),
    (
        ("file is not a database",),
        mark("{place} is not a JudgeLab database; name another file in JUDGELAB_DATABASE_URL."),
    ),
    (
        ("disk image is malformed", "disk I/O error"),
        mark("{place} is damaged or its disk fails; put a copy of it in its place."),
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
        (r'FATAL: .*" does not exist',),  # a missing relation or column is our mistake, not the address's
        mark(
            "{place} names a database or a user that the server does not have; create it, or correct the "
            "name."
        ),
    ),
    (("failed to resolve host", "could not translate host name"), mark("the host in {place} is not known.")),
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
    """Turn the database's own refusals into a sentence for the user."""
    try:
        yield
    except DBAPIError as error:
        said = message_for(url, str(error.orig), state=getattr(error.orig, "sqlstate", None) or "")
        if said is None:
            raise
        raise (DiskFull if said == FULL else StoreUnavailable)(said) from error
    except OverflowError as error:
        raise InvalidInput(
            wording.sentence("a number is larger than a database can hold; give a smaller one.")
        ) from error
    except UnicodeEncodeError as error:
        if error.reason != "surrogates not allowed":
            raise
        raise InvalidInput(
            wording.sentence(
                "a name or text holds bytes that are no letters (half of a two-part character); type it anew."
            )
        ) from error


def message_for(url: str, said: str, *, state: str = "") -> Sentence | None:
    """Return what to do about what the database said, or None when that is not known.

    Args:
        url: the database.
        said: its words.
        state: its code for that, where it has one.
    """
    if state in _BY_SQLSTATE:
        return wording.sentence(_BY_SQLSTATE[state], place=database_name(url))
    for words, text in _BY_WORDS:
        if any(re.search(word, said) for word in words):
            return wording.sentence(text, place=database_name(url))
    if refused := _AT_CONNECTING.search(said):
        return wording.sentence(REFUSED, words=refused[1])
    if any(re.search(word, said) for word in _NO_ANSWER):
        return wording.sentence(DOWN)
    return None


def database_name(url: str) -> str:
    """Return a database URL for a person's eyes: the file, or the address without its password."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return wording.sentence("the database URL")
    if parsed.get_backend_name() == "sqlite":
        return parsed.database or wording.sentence("the database in memory")
    return parsed.render_as_string(hide_password=True)


def refuse_memory(url: str, setting: str) -> None:
    """Raise `StoreUnavailable` for a SQLite database in memory: each process would see one of its own."""
    parsed = check_url(lambda: make_url(url))
    if parsed.get_backend_name() != "sqlite":
        return
    name = parsed.database or ":memory:"
    if ":memory:" in name or parsed.query.get("mode") == "memory":
        raise StoreUnavailable(
            wording.sentence(
                "{setting} names a database in memory, which the app and its workers cannot share; write "
                "{shapes}.",
                setting=setting,
                shapes=URL_SHAPES,
            )
        )


def refuse_old_sqlite(version: tuple[int, ...]) -> None:
    """Raise `StoreUnavailable` for a SQLite that does not know the words we write to it."""
    if version < OLDEST_SQLITE:
        raise StoreUnavailable(
            wording.sentence(
                "this Python brings SQLite {version} and JudgeLab needs {oldest} or newer; use another "
                "Python, or PostgreSQL.",
                version=".".join(map(str, version)),
                oldest=".".join(map(str, OLDEST_SQLITE)),
            )
        )


def check_url(make: Callable[[], T]) -> T:
    """Return what `make` makes of a database URL; raises `StoreUnavailable` for a URL that names none."""
    try:
        return make()
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
        raise StoreUnavailable(
            wording.sentence(
                "JUDGELAB_DATABASE_URL names no database that can be used; write {shapes}.", shapes=URL_SHAPES
            )
        ) from error
