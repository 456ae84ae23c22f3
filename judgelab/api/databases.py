"""`jl.open`: what the app holds, as frames and scores, read beside a running app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from judgelab.api.html import html_table
from judgelab.api.projects import Project
from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.store.db.db_errors import database_name
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_existing
from judgelab.store.projects.projects import find_project, list_projects

# Messages name the setting that says where the app's database is; here it is the argument.
WORDS = {
    "name another file in JUDGELAB_DATABASE_URL": "name another file",
    "JUDGELAB_DATABASE_URL is right": "its address is right",
    "JUDGELAB_DATABASE_URL does not name": "the address does not name",
    "JUDGELAB_DATABASE_URL names": "the address names",
}


class Database:
    """A database of JudgeLab, opened by `judgelab.open`; a context manager.

    Nothing stays open between two calls: each reads one consistent state and gives its connection back, so
    that the app, its workers and raters go on beside it.
    """

    def __init__(self, store: Store) -> None:
        self._opened: Store | None = store
        self._name = database_name(store.url)

    @property
    def projects(self) -> pd.DataFrame:
        """Return one row a project, newest first: project, name, study, items, responses, demo.

        `project` is the short name that `project()` and the command line take.
        """
        with self._store.reading() as session:
            found = list_projects(session)
        names = ("slug", "name", "study", "items", "responses", "demo")
        frame = pd.DataFrame([[getattr(one, name) for name in names] for one in found], columns=[*names])
        return frame.rename(columns={"slug": "project"})

    def project(self, name: str) -> Project:
        """Return a project by its short name or its title; raises `NotFound` with the names there are."""
        with self._store.reading() as session:
            found = find_project(session, name)
        return Project(self, found.slug)

    def close(self) -> None:
        """Close the database; frames and scores that were read from it stay as they are."""
        if self._opened is not None:
            self._opened.close()
        self._opened = None

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Database: {self._name}{self._state}"

    def _repr_html_(self) -> str:
        if self._opened is None:
            return html_table(pd.DataFrame(), caption=repr(self))
        return html_table(self.projects, caption=repr(self))

    @property
    def _state(self) -> str:
        if self._opened is None:
            return ", closed"
        return ", read only" if self._opened.read_only else ""

    @property
    def _store(self) -> Store:
        if self._opened is None:
            raise InvalidInput("the database is closed; open it again: jl.open(…).")
        return self._opened


def open(where: str | Path | None = None, *, write: bool = False) -> Database:
    """Return a database of the app, to read its projects, scores, ratings and runs.

    Args:
        where: a SQLite file ("judgelab.db"), the URL of a database (postgresql://USER:PASSWORD@HOST/NAME), or
            None for the one that the app uses (JUDGELAB_DATABASE_URL, else judgelab.db here).
        write: whether scores of juries whose members changed are computed anew and stored, as the app does.
            Without it nothing can be written: no file is made and no table upgraded.

    Returns:
        The database. Passwords are never shown.

    Raises:
        StoreUnavailable: there is no such database, or another version of JudgeLab made its tables; the
            message says what to do.

    Example:
        >>> import judgelab as jl, subprocess, sys, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> create = [sys.executable, "-m", "judgelab", "project", "create", "My study"]
        >>> _ = subprocess.run(create, cwd=folder.name, capture_output=True)
        >>> with jl.open(f"{folder.name}/judgelab.db") as db:
        ...     db.projects["project"].tolist(), len(db.project("my-study").items)
        (['my-study'], 0)
        >>> folder.cleanup()
    """
    try:
        return Database(open_existing(_url(where), read_only=not write))
    except StoreUnavailable as error:
        said = str(error)
        for words, ours in {} if where is None else WORDS.items():
            said = said.replace(words, ours)
        raise StoreUnavailable(said) from error


def _url(where: Any) -> str:
    if where is None:
        from judgelab.config import read_settings

        return read_settings().database_url  # as `settings()` makes the folder
    if not isinstance(where, str | Path) or not str(where):
        raise InvalidInput(f'{where!r} names no database; call jl.open("judgelab.db").')
    text = str(where)
    if "://" in text:
        return text
    path = Path(text).expanduser()
    if path.is_dir():
        raise StoreUnavailable(f'{path} is a folder; name the file in it: jl.open("{path / "judgelab.db"}").')
    return f"sqlite:///{path}"
