"""Rows of FastChat's judges (`gpt-4_pair.jsonl`): a judge and its prompt in one cell, turns, and errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgelab.domain import Problem
from judgelab.errors import InvalidInput
from judgelab.imports.columns.conversations import turn_of
from judgelab.imports.columns.tables import Table
from judgelab.imports.core.cells import name_of
from judgelab.imports.core.problems import ProblemLog
from judgelab.wording import sentence

WINNERS = ("g1_winner", "g2_winner")
NEEDED = frozenset({"question_id", "turn", "judge", *WINNERS})
NO_VERDICT = "error"


def read_fastchat_rows(table: Table) -> None:
    """Name each item after its question and turn, the judge without its prompt, and empty failed verdicts.

    Item ids are those that conversations get (`81-2`), so that responses imported with them are found.
    """
    if not set(table.columns) >= NEEDED:
        return
    read = table.reader

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in read(problems):
            try:
                yield number, {**cells, **_read(cells)}
            except InvalidInput as error:
                problems.append(Problem(error.args[0], row=number, column="turn"))

    table.columns, table.reader = tuple(column for column in table.columns if column != "turn"), rows
    table.notices.append(
        sentence("each turn is an item: its id is that of the question and the turn, such as '81-2'")
    )


def _read(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells that replace those of the row; raises `InvalidInput`."""
    turn, question, judge = turn_of(cells.get("turn")), name_of(cells.get("question_id")), cells.get("judge")
    failed = {column: None for column in WINNERS if cells.get(column) == NO_VERDICT}
    item = {"question_id": f"{question}-{turn}"} if question and turn else {}
    return {**failed, **item, "judge": judge[0] if isinstance(judge, list) and judge else judge}
