"""Conversations in files of comparisons: the question and both answers, up to the turn that was judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from judgelab.domain import Problem
from judgelab.errors import InvalidInput
from judgelab.imports.columns.tables import Table
from judgelab.imports.core import fields
from judgelab.imports.core.cells import is_missing, list_of, name_of, score_of, text_of
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.files.sources import Unreadable
from judgelab.wording import sentence

BETWEEN_ANSWERS = "\n\n---\n\n"
_USERS = frozenset({"user", "human", "prompter"})
_SYSTEMS = frozenset({"system", "developer"})


class _Columns(NamedTuple):
    """The columns that are read, and those that are added."""

    sides: tuple[str, str]
    turn: str
    item_id: str
    question: str
    group: str


def read_conversations(table: Table) -> None:
    """Turn the columns `conversation_a` and `conversation_b` into texts, and add the question.

    With a column `turn`, each turn is an item of its own: its id ends in the turn, and the question and the
    answers of earlier turns precede those of the turn itself.
    """
    columns = _columns(table.columns)
    if columns is None:
        return
    added = tuple(name for name in (columns.question, columns.group) if name not in table.columns)
    kept = tuple(column for column in table.columns if not columns.turn or column != columns.turn)
    read = table.reader

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in read(problems):
            try:
                yield number, {**cells, **_texts(cells, columns)}
            except InvalidInput as error:
                problems.append(Problem(error.args[0], row=number, column=columns.sides[0]))

    first = _first_id(table, columns)
    table.columns, table.reader = (*kept, *(name for name in added if name)), rows
    if columns.turn and first:
        table.notices.append(
            sentence(
                "each turn of a conversation is an item, such as '{item}', and includes the turns before it",
                item=first,
            )
        )


def _columns(names: tuple[str, ...]) -> _Columns | None:
    """Return the columns of a file with two conversations, or None."""
    by_name = {fields.normalised(name): name for name in names}
    sides = tuple(by_name.get(f"conversation{side}", "") for side in "ab")
    if not all(sides):
        return None
    known = {fields.recognise(name) for name in names if name not in sides}
    if "response_a" in known:
        return None
    ids = [name for name in names if fields.recognise(name) == "item_id"]
    turn = by_name.get("turn", "")
    return _Columns(
        (sides[0], sides[1]),
        turn,
        min(ids, key=fields.rank, default=""),
        "" if "question" in known else "question",
        "group" if turn and "group" not in known else "",
    )


def _texts(cells: Mapping[str, Any], columns: _Columns) -> dict[str, Any]:
    """Return the cells that replace those of the conversations; raises `InvalidInput`."""
    turn = turn_of(cells.get(columns.turn))
    first, second = (_exchange(cells.get(column), turn, column) for column in columns.sides)
    if first[0] != second[0]:
        raise InvalidInput(
            sentence(
                "the questions in {first} and {second} differ; compare answers to the same question",
                first=columns.sides[0],
                second=columns.sides[1],
            )
        )
    texts = dict(zip(columns.sides, (first[1], second[1]), strict=True))
    if columns.question:
        texts[columns.question] = first[0]
    if turn:
        name = name_of(cells.get(columns.item_id))
        texts |= {columns.item_id: f"{name}-{turn}"} if columns.item_id and name else {}
        texts |= {columns.group: f"turn {turn}"} if columns.group else {}
    return texts


def _exchange(cell: Any, turn: int, column: str) -> tuple[str, str]:
    """Return the questions and the answers up to a turn, or up to the last one if it is 0."""
    before, questions, answers = list[str](), list[str](), list[str]()
    for message in list_of(cell):
        role, text = _message(message, column)
        if role in _SYSTEMS:
            before.append(text)
        elif role in _USERS:
            questions.append(text)
        else:
            answers.append(text)
    last = turn or len(questions)
    if not last or min(len(questions), len(answers)) < last:
        raise InvalidInput(
            sentence(
                "{column} ends before turn {turn}; correct the turn or the conversation",
                column=column,
                turn=last or 1,
            )
        )
    return "\n\n".join([*before, *questions[:last]]), BETWEEN_ANSWERS.join(answers[:last])


def _message(message: Any, column: str) -> tuple[str, str]:
    """Return the role and the text of a message."""
    if not isinstance(message, Mapping) or not {"role", "from"} & message.keys():
        raise InvalidInput(
            sentence(
                "{column} is not a list of messages; write {example}",
                column=column,
                example='[{"role": "user", "content": ...}, {"role": "assistant", "content": ...}]',
            )
        )
    role = message.get("role", message.get("from"))
    content = message.get("content", message.get("value"))
    if isinstance(content, (list, tuple)):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = "\n".join(text_of(part) for part in parts)
    return name_of(role).casefold(), text_of(content)


def turn_of(cell: Any) -> int:
    """Return the number of a turn; 0 if the cell is empty."""
    if is_missing(cell):
        return 0
    turn = score_of(cell)
    if not (turn.is_integer() and turn >= 1):
        raise InvalidInput(sentence("'{turn}' is not a turn; write 1 for the first one", turn=name_of(cell)))
    return int(turn)


def _first_id(table: Table, columns: _Columns) -> str:
    """Return the id of the first item that is read, or ""."""
    try:
        for _, cells in islice(table.reader(ProblemLog()), 1):
            return name_of(_texts(cells, columns).get(columns.item_id))
    except (InvalidInput, Unreadable, UnicodeDecodeError):
        pass
    return ""
