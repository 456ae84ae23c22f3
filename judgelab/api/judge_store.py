"""Where `jl.judge` works: a database of its own that keeps the replies, or one that is given."""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pandas as pd

from judgelab.api.texts import TextColumns
from judgelab.config import settings
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotFound
from judgelab.imports.core.cells import name_of
from judgelab.imports.core.fields import rank, recognise
from judgelab.imports.core.records import derived_id
from judgelab.imports.service import import_files
from judgelab.runs.endpoints import service as endpoints
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging.endpoints import end_cool_down
from judgelab.store.judging.run_results import response_rows
from judgelab.store.models.base import now
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import create_project, find_project, list_projects, slug_of
from judgelab.store.rating.criteria import add_criteria

REPLIES = "judgelab-replies.db"
LEFT_FOR = timedelta(days=7)


class Workplace(NamedTuple):
    """A database with the project in which a frame is judged; `given` by the user, or our own."""

    store: Store
    project: str
    given: bool


@contextmanager
def workplace(store: str | Path | None, project: str | None, *, keeps_replies: bool) -> Iterator[Workplace]:
    """Yield where to judge: in the database that is given, else in our own, of which replies stay only.

    Args:
        store: a database's file or URL.
        project: the project's name there.
        keeps_replies: whether our own database is the one on disk that keeps replies for the next call.
    """
    if store is not None:
        text = str(store)
        opened = open_store(text if "://" in text else f"sqlite:///{Path(text).expanduser().absolute()}")
        try:
            yield Workplace(opened, project or "judged", True)
        finally:
            opened.close()
        return
    if project is not None:
        raise InvalidInput(
            f'project="{project}" needs a database: '
            f'jl.judge(df, …, store="judgelab.db", project="{project}").'
        )
    with _own_file(keeps_replies) as path:
        own = open_store(f"sqlite:///{path}")
        _forget_left(own)
        name = f"frame {uuid.uuid4().hex}"
        try:
            yield Workplace(own, name, False)
        finally:
            # The frame's texts leave the file; replies stay under a hash of what was asked.
            _delete(own, name)
            own.close()


def replies_file() -> Path:
    """Return the file that keeps replies between calls: in JUDGELAB_HOME, else in the user's cache folder."""
    if settings().home:
        return Path(settings().home).absolute() / REPLIES
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "judgelab" / REPLIES


@contextmanager
def _own_file(keeps_replies: bool) -> Iterator[Path]:
    if not keeps_replies:
        with tempfile.TemporaryDirectory(prefix="judgelab-") as folder:
            yield Path(folder) / REPLIES
        return
    path = replies_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"replies cannot be kept in {path.parent} ({error.strerror}); set JUDGELAB_HOME to another "
            "folder, or call jl.judge(df, …, cache=False)."
        ) from None
    yield path


def _forget_left(store: Store) -> None:
    """Delete frames of processes that were killed long ago; others may still be judged."""
    with store.writing() as session:
        for project in list_projects(session):
            if now() - find_project(session, project.slug).created_at > LEFT_FOR:
                delete_project(session, project.slug)


def _delete(store: Store, name: str) -> None:
    with store.writing() as session, suppress(NotFound):
        delete_project(session, slug_of(name))


def prepare_project(place: Workplace, criteria: Sequence[Criterion]) -> str:
    """Return the slug of the project with these criteria, made where it does not exist.

    Raises:
        InvalidInput: a criterion of the project has another scale.
    """
    name = place.project
    with place.store.writing() as session:
        try:
            info = find_project(session, slug_of(name))
        except NotFound:
            return create_project(session, name=name, criteria=criteria).slug
        known = {criterion.key: criterion for criterion in info.criteria}
        for criterion in criteria:
            if criterion.key in known and known[criterion.key].scale != criterion.scale:
                raise InvalidInput(
                    f"the project '{name}' has the criterion '{criterion.key}' on another scale; name "
                    'another project: jl.judge(df, …, store=…, project="…").'
                )
        add_criteria(session, info.id, [each for each in criteria if each.key not in known])
        return info.slug


class ImportedRow(NamedTuple):
    """A row of the frame as it is stored: its item, system and response, None without a response."""

    item: str
    system: str
    response: int | None


def import_frame(store: Store, slug: str, texts: TextColumns) -> list[ImportedRow]:
    """Store the frame's rows as items and responses; return them in order.

    Raises:
        ImportProblems: lists all problems by row.
    """
    records = _records(texts)
    stored = [record for record in records if record["response"] is not None]
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in stored)
    import_files(store, slug, [("frame.jsonl", lines.encode("utf-8", "surrogatepass"))], kind="items")
    with store.reading() as session:
        rows = response_rows(session, find_project(session, slug).id)
    return [
        ImportedRow(
            record["item_id"],
            record["system"],
            None if record["response"] is None else rows[record["item_id"], record["response_id"]],
        )
        for record in records
    ]


def _records(texts: TextColumns) -> list[dict[str, Any]]:
    frame = texts.frame
    nobody = [""] * len(frame)
    items, systems, groups = (_named(frame, field) or nobody for field in ("item_id", "system", "group"))
    responses, references = texts.texts("response"), texts.reference_lists()
    questions, contexts = texts.texts("question"), texts.texts("context")
    records: list[dict[str, Any]] = []
    seen: Counter[tuple[str, str]] = Counter()
    for row, response in enumerate(responses):
        question, context = questions[row] or "", contexts[row] or ""
        item = items[row] or derived_id("q", question or context or response or "", context)
        response_id = derived_id("r", systems[row], response or "")
        seen[item, response_id] += 1
        if (number := seen[item, response_id]) > 1:
            response_id = f"{response_id}-{number}"
        records.append(
            {
                "item_id": item,
                "question": question,
                "context": context,
                "group": groups[row],
                "system": systems[row],
                "response_id": response_id,
                "response": response,
                "reference": references[row],
            }
        )
    return records


def _named(frame: pd.DataFrame, field: str) -> list[str] | None:
    """Return the names in the column that an import takes for the field, None without one."""
    found = [column for column in frame.columns if recognise(column) == field]
    if not found:
        return None
    return [
        "" if cell is pd.NA or cell is pd.NaT else name_of(cell)
        for cell in frame[min(found, key=rank)].tolist()
    ]


def prepare_endpoint(
    place: Workplace, base_url: str, *, variable: str | None, concurrency: int | None, named: bool
) -> str:
    """Return the name of the endpoint of a server, made where it does not exist.

    Args:
        place: where to judge.
        base_url: the server's address.
        variable: the environment variable that holds the key, if there is one.
        concurrency: calls at the same time; None leaves it as it is.
        named: whether a key was given, so that no other way to the key will do.
    """
    store = place.store
    at_server = [each for each in endpoints.list_endpoints(store) if each.base_url == base_url.rstrip("/")]
    same = [each for each in at_server if (each.api_key_env, each.keyring_name) == (variable, None)]
    found = same or (at_server if place.given and not named else [])
    limit: Mapping[str, Any] = {} if concurrency is None else {"concurrency": concurrency}
    if found:
        if not place.given:  # who calls again has seen to what was wrong
            with store.writing() as session:
                end_cool_down(session, found[0].id)
        if limit and found[0].concurrency != concurrency:
            endpoints.update_endpoint(store, found[0].name, **limit)
        return found[0].name
    taken = {each.name for each in endpoints.list_endpoints(store)}
    host = urlsplit(base_url).netloc.rpartition("@")[2] or "server"
    name = next(each for number in range(1, 1000) if (each := _numbered(host, number)) not in taken)
    try:
        return endpoints.add_endpoint(store, name, base_url=base_url, api_key_env=variable, **limit).name
    except InvalidInput:
        if all(each.name != name for each in endpoints.list_endpoints(store)):
            raise
    # Another process has added it meanwhile.
    return prepare_endpoint(place, base_url, variable=variable, concurrency=concurrency, named=named)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} {number}"
