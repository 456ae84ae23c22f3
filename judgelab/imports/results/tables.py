"""Result files of one tool as one table, whose columns need no mapping."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.domain import RaterKind
from judgelab.imports.core.cells import is_missing
from judgelab.imports.core.fields import KIND_OF_SYSTEM
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.imports.results.base import Notes, Result, ResultFile, ResultTool, result_tools
from judgelab.imports.results.repeats import response_of, scales_apart, told_apart
from judgelab.wording import counted, joined, sentence

log = logging.getLogger("judgelab.imports")
# What a tool raises if a file has a text where the tool writes an object, and the like.
ODD = (AttributeError, TypeError, KeyError, IndexError, ValueError)
COLUMNS = {
    "item_id": "item_id",
    "group": "group",
    "question": "question",
    "context": "context",
    "reference": "reference",
    "system": "system",
    "response_id": "response_id",
    "response": "response",
    "rater": "rater",
    "rater_kind": "rater_kind",
    "criterion": "criterion",
    "score": "score",
    "comment": "comment",
    "rated_at": "rated_at",
}


PAIRS = {
    name: name
    for name in (
        *("item_id", "group", "question", "context", "reference", "system_a", "system_b"),
        *("response_a", "response_b", "choice", "first", "rater", "rater_kind", "criterion"),
        *("comment", "rated_at"),
    )
}

# Columns of systems of which some gave several responses to an item; these are named after their texts.
SEVERAL = {f"{name}_{KIND_OF_SYSTEM}": name for name in ("system_a", "system_b")}
PAIRS |= SEVERAL


class ResultTable(NamedTuple):
    """The files of one tool as a table: its columns that hold anything, rows, and what is said about them.

    `unclear` is a rater of whom the files do not tell whether it is a person; `pairs` are the choices between
    two responses, if the files have scores of single ones, too.
    """

    sources: tuple[Source, ...]
    columns: tuple[str, ...]
    rows: Sequence[tuple[int, Mapping[str, Any]]]
    notices: tuple[str, ...]
    problems: ProblemLog
    unclear: str = ""
    pairs: ResultTable | None = None


class FilesOfTool(NamedTuple):
    """The files that one tool wrote."""

    tool: ResultTool
    files: list[ResultFile]

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the files."""
        return tuple(file.source for file in self.files)

    def read(self, raters: RaterKind | None = None) -> ResultTable:
        """Return what the files hold as a table; raises `Unreadable` if one is damaged.

        `raters` is the kind of the raters of whom the files tell none, if a person gave it.
        """
        tool, notes = self.tool, Notes(raters=raters)
        try:
            found = list(tool.read(self.files, notes))
            results = told_apart([result for result in found if result.choice is None], notes)
            pairs = list(dict.fromkeys(result for result in found if result.choice is not None))
        except ODD as error:
            log.info("%s: %r", self.files[0].name, error)
            raise Unreadable(
                sentence(
                    "the file is not as {tool} {version} writes it; export it again, or as a table (.csv)",
                    tool=tool.title,
                    version=tool.version,
                )
            ) from error
        left_out = [
            sentence("not read from {tool}: {what} ({n})", n=n, what=what, tool=tool.title)
            for what, n in notes.left_out.items()
            if n
        ]
        notices = (_what_it_is(tool, [*results, *pairs]), *notes.said, *scales_apart(results), *left_out)
        read = [_table(self.sources, some) for some in (results, pairs) if some] or [_table(self.sources, ())]
        pairs_too = read[1]._replace(sources=self.sources[::-1]) if len(read) > 1 else None
        return read[0]._replace(
            notices=notices, problems=notes.problems, unclear=notes.unclear, pairs=pairs_too
        )


def result_files_by_tool(sources: Sequence[Source]) -> tuple[list[FilesOfTool], list[Source]]:
    """Return the files that evaluation tools wrote, tool by tool, and the other files."""
    tools = [(name, kind()) for name, kind in result_tools.items()]
    by_tool: dict[str, list[ResultFile]] = {}
    others: list[Source] = []
    for file in map(ResultFile, sources):
        name = next((name for name, tool in tools if tool.recognises(file)), None)
        if name is None:
            others.append(file.source)
        else:
            by_tool.setdefault(name, []).append(file)
    found = [FilesOfTool(tool, by_tool[name]) for name, tool in tools if name in by_tool]
    for tool, files in found:
        beside = [source for source in others if tool.belongs(source.name, files)]
        by_place = {id(source) for source in beside}
        others = [source for source in others if id(source) not in by_place]
        files += map(ResultFile, beside)
    return found, others


def _table(sources: tuple[Source, ...], results: Sequence[Result]) -> ResultTable:
    rows = [(result.row, _cells(result)) for result in results]
    if _has_several_texts(results):
        for _, row in rows:
            row |= {column: row.pop(name) for column, name in SEVERAL.items()}
    names = dict.fromkeys((*COLUMNS, *PAIRS))
    used = tuple(name for name in names if any(not is_missing(row.get(name)) for _, row in rows))
    # Only judges who failed are in a file without any choice.
    used += tuple(name for name in ("choice",) if rows and name in rows[0][1] and name not in used)
    return ResultTable(sources, used, rows, (), ProblemLog())


def _has_several_texts(results: Sequence[Result]) -> bool:
    """Return whether a system that was compared gave two different responses to an item."""
    texts: dict[tuple[str, str], str] = {}
    for item, system, response in _sides(results):
        if texts.setdefault((item, system), response) != response:
            return True
    return False


def _sides(results: Sequence[Result]) -> Iterator[tuple[str, str, str]]:
    """Yield item, system and text of both responses of each choice."""
    for result in results:
        if (choice := result.choice) is not None:
            yield result.item, result.system, result.response
            yield result.item, choice.system, choice.response


def _cells(result: Result) -> dict[str, Any]:
    if (choice := result.choice) is not None:
        return {
            "item_id": result.item,
            "group": result.group,
            "question": result.question,
            "context": result.context,
            "reference": result.reference,
            "system_a": result.system,
            "system_b": choice.system,
            "response_a": result.response,
            "response_b": choice.response,
            "choice": choice.value,
            "first": choice.first,
            "rater": choice.rater,
            "rater_kind": choice.kind,
            "criterion": choice.criterion,
            "comment": choice.comment,
            "rated_at": choice.at,
        }
    cells: dict[str, Any] = {
        "item_id": result.item,
        "group": result.group,
        "question": result.question,
        "context": result.context,
        "reference": result.reference,
        "system": result.system,
        "response_id": result.response_id,
        "response": result.response,
    }
    if (score := result.score) is not None:
        cells |= {
            "rater": score.rater,
            "rater_kind": score.kind,
            "criterion": score.criterion,
            "score": score.value,
            "comment": score.comment,
            "rated_at": score.at,
        }
    return cells


def _what_it_is(tool: ResultTool, results: Sequence[Result]) -> str:
    given = [one for result in results for one in (result.score, result.choice) if one is not None]
    by_kind = {
        kind: {one.rater for one in given if one.kind == kind} for kind in ("human", "judge", "metric")
    }
    sides = {(item, system, "", response) for item, system, response in _sides(results)}
    parts = [
        counted("{n} item", "{n} items", len({result.item for result in results})),
        counted(
            "{n} response",
            "{n} responses",
            len(sides | {response_of(one) for one in results if one.response or one.score or one.choice}),
        ),
    ]
    if by_kind["human"]:
        parts.append(counted("{n} rater", "{n} raters", len(by_kind["human"])))
    if by_kind["judge"]:
        parts.append(counted("{n} judge", "{n} judges", len(by_kind["judge"])))
    if by_kind["metric"]:
        parts.append(counted("{n} metric", "{n} metrics", len(by_kind["metric"])))
    return sentence("{tool} results: {contents}", tool=tool.title, contents=joined(parts))
