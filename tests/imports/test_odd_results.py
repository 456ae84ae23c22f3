"""Result files with one part of another kind than the tool writes: read, or refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from judgelab.imports.files.sources import Source, Unreadable
from judgelab.imports.results import result_files_by_tool
from judgelab.imports.results.base import result_tools

ODD = (None, [], {}, "x", 3, [None], {"x": None}, [["x"]])


@pytest.mark.parametrize("name", result_tools.names())
def test_an_odd_part_of_a_file_is_read_or_refused(name: str) -> None:
    for example in result_tools.get(name).examples:
        for file, text in example.files.items():
            beside = [Source(other, kept.encode()) for other, kept in example.files.items() if other != file]
            for changed in _changed(text):
                found, _ = result_files_by_tool([Source(file, changed.encode()), *beside])
                for tool in found:
                    _read_or_refused(tool)


def _read_or_refused(tool: Any) -> None:
    try:
        table = tool.read()
    except Unreadable as error:
        assert error.problem.message
        return
    for _, row in table.rows:
        response = row.get("response", "")
        assert isinstance(response, str)
        assert not response.startswith(('{"', "[{")), "a nested object became a text"


def _changed(text: str) -> Iterator[str]:
    """Yield a JSON text, or each line of JSON, with each of its parts replaced by odd ones."""
    try:
        documents = [json.loads(text)]
    except ValueError:
        try:
            documents = [json.loads(line) for line in text.splitlines() if line]
        except ValueError:
            return
    for i, document in enumerate(documents):
        for path in _paths(document):
            for odd in ODD:
                changed = _replaced(document, path, odd)
                yield "\n".join(json.dumps(one) for one in [*documents[:i], changed, *documents[i + 1 :]])


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from _paths(part, (*path, key))


def _replaced(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copied = value.copy()
    copied[path[0]] = _replaced(value[path[0]], path[1:], odd)
    return copied
