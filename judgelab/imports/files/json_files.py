"""JSON and JSON lines files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from judgelab.domain import Problem
from judgelab.imports.core import fields
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.files.headers import MAX_COLUMNS, too_wide
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.wording import mark, sentence

TOO_LONG_NUMBER = mark("a number has too many digits to be read; write it as text or correct it")
Shape = Literal["lines", "document"]
MAX_DOCUMENT = 100_000_000  # bytes; a document is read as a whole, unlike JSON lines
COMPARISON = {"question", "response_a", "response_b"}


def shape_of(source: Source, encoding: str) -> Shape | None:
    """Return whether the text is JSON lines or one JSON document; None if it is neither."""
    with source.open() as stream, io.TextIOWrapper(stream, encoding=encoding) as text:
        first = ""
        while not first.strip():
            first = text.readline()
            if not first:
                return None
        start = first.lstrip()[0]
        if start == "[":
            return "document"
        if start != "{":
            return "lines" if source.suffix in {".jsonl", ".ndjson"} else None
        if source.suffix in {".jsonl", ".ndjson"} and first.strip() != "{":
            return "lines"
        return "lines" if _is_object(first) and any(line.strip() for line in text) else "document"


def columns_of(source: Source, encoding: str, shape: Shape) -> tuple[str, ...]:
    """Return the keys of all rows in order; only the last row may have a response."""
    seen: dict[str, None] = {}
    for _, cells in rows(source, encoding, shape, ProblemLog()):
        seen.update(dict.fromkeys(cells))
        if len(seen) > MAX_COLUMNS:
            raise Unreadable(too_wide(len(seen)))
    return tuple(seen)


def list_and_rest(source: Source, encoding: str) -> tuple[str, tuple[str, ...]]:
    """Return the key of the list that is read of a document, and the other keys, which are not read."""
    data = read_document(source, encoding)
    if not isinstance(data, dict) or len(data) < 2:
        return "", ()
    try:
        entries = _rows_of(data)
    except Unreadable:
        return "", ()  # reported when the file is read
    key = next((key for key, value in data.items() if value is entries), "")
    return key, tuple(other for other in data if other != key) if key else ()


def rows(
    source: Source, encoding: str, shape: Shape, problems: ProblemLog
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (line or position in the list from 1, object); anything else becomes a problem."""
    entries = _lines(source, encoding, problems) if shape == "lines" else _document(source, encoding)
    for number, entry in entries:
        if isinstance(entry, dict):
            yield number, entry
        else:
            problems.append(
                Problem(sentence('this is not an object; write {"item_id": ..., ...}'), row=number)
            )


def read_document(source: Source, encoding: str = "utf-8-sig") -> Any:
    """Return the whole JSON document; raises `Unreadable` with the row of an error."""
    if source.size > MAX_DOCUMENT:
        raise Unreadable(
            sentence(
                "the JSON document has {size} MB, more than the {most} MB allowed, because it is read as "
                "a whole; write one object per line (.jsonl)",
                size=source.size // 1_000_000,
                most=MAX_DOCUMENT // 1_000_000,
            )
        )
    with source.open() as stream:
        try:
            return json.loads(stream.read().decode(encoding))
        except json.JSONDecodeError as error:
            raise Unreadable(
                sentence(
                    "invalid JSON at character {place} ({error}); correct it there",
                    place=str(error.colno),
                    error=error.msg,
                ),
                row=error.lineno,
            ) from None
        except UnicodeDecodeError:
            raise Unreadable(sentence("the file is not UTF-8; save it as UTF-8")) from None
        except RecursionError:
            raise Unreadable(sentence("the JSON is nested too deeply; write flat objects")) from None
        except ValueError:
            raise Unreadable(TOO_LONG_NUMBER) from None


def _lines(source: Source, encoding: str, problems: ProblemLog) -> Iterator[tuple[int, Any]]:
    with source.open() as stream, io.TextIOWrapper(stream, encoding=encoding, newline="\n") as text:
        for number, line in enumerate(text, start=1):
            if not line.strip():
                continue
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                problems.append(Problem(_not_json(line, error), row=number))


def _not_json(line: str, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return sentence("the line is nested too deeply; write flat objects")
    if not isinstance(error, json.JSONDecodeError):
        return TOO_LONG_NUMBER
    if line.rstrip().endswith(",") and error.msg == "Extra data":
        return sentence("the line ends with a comma; remove it, each line is a separate object")
    return sentence(
        "the line is not JSON (character {place}: {error}); correct it or remove it",
        place=str(error.colno),
        error=error.msg,
    )


def _document(source: Source, encoding: str) -> Iterator[tuple[int, Any]]:
    data = read_document(source, encoding)
    if isinstance(data, dict):
        data = _rows_of(data)
    if not isinstance(data, list):
        raise Unreadable(sentence("the file contains no list of objects; write [{...}, {...}]"))
    yield from enumerate(data, start=1)


def _rows_of(data: Mapping[str, Any]) -> Any:
    """Return the list in an object such as {"data": [...]}, the rows of {"id": {...}}, or the only row."""
    if {fields.recognise(key) for key in data} & {"item_id", "question", "context"}:
        if len(data) == 1 or not all(isinstance(value, (list, dict)) for value in data.values()):
            return [data]
    else:
        lists = [value for value in data.values() if isinstance(value, list)]
        if len(lists) == 1:
            return lists[0]
        if not data or not all(isinstance(value, (list, dict)) for value in data.values()):
            return [data]
        if rows := _rows_by_id(data):
            return rows
    raise Unreadable(
        sentence(
            "the file contains a single object of columns; write a list of objects: "
            '[{"item_id": ..., "question": ...}, ...]'
        )
    )


def _rows_by_id(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of an object of rows, or none if it has something else.

    The key is the item's id, unless the row has one, or compares two responses to a question: the same
    question may be in several such rows.
    """
    if not all(isinstance(row, dict) for row in data.values()):
        return []
    known = [{fields.recognise(str(name)) for name in row} - {None} for row in data.values()]
    if not set.intersection(*known):
        return []
    return [
        row if "item_id" in fields_of_row or fields_of_row >= COMPARISON else {"item_id": key, **row}
        for fields_of_row, (key, row) in zip(known, data.items(), strict=True)
    ]


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
