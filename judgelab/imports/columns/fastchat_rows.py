"""Rows of FastChat's judges: a judge and its prompt in one cell, turns, and errors.

`gpt-4_pair.jsonl` has the verdicts about two models in both orders, `gpt-4_single.jsonl` scores of one.
"""

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

VERDICTS = {"g1_winner": "error", "g2_winner": "error", "score": -1}  # with the value of a failed call
ALWAYS = frozenset({"question_id", "turn", "judge"})
PAIR, SINGLE = ALWAYS | {"g1_winner", "g2_winner"}, ALWAYS | {"model", "judgment", "score"}
REASON = "comment"  # what the column `judgment` of single scores contains


def read_fastchat_rows(table: Table) -> None:
    """Name each item after its question and turn, the judge without its prompt, and empty failed verdicts.

    Item ids are those that conversations get (`81-2`), so that responses imported with them are found.
    """
    if not any(set(table.columns) >= needed for needed in (PAIR, SINGLE)):
        return
    read = table.reader

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in read(problems):
            try:
                yield number, {**cells, **_read(cells)}
            except InvalidInput as error:
                problems.append(Problem(error.args[0], row=number, column="turn"))

    names = {"judgment": REASON}
    table.columns = tuple(names.get(column, column) for column in table.columns if column != "turn")
    table.reader = rows
    table.notices.append(
        sentence("each turn is an item: its id is that of the question and the turn, such as '81-2'")
    )


def _read(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells that replace those of the row; raises `InvalidInput`."""
    turn, question, judge = turn_of(cells.get("turn")), name_of(cells.get("question_id")), cells.get("judge")
    failed = {column: None for column, error in VERDICTS.items() if cells.get(column) == error}
    item = {"question_id": f"{question}-{turn}"} if question and turn else {}
    reason = {REASON: cells["judgment"]} if "judgment" in cells else {}
    return {**failed, **item, **reason, "judge": judge[0] if isinstance(judge, list) and judge else judge}
