"""Mechanical Turk: the results of a batch, a row for each worker's assignment."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.results.answers import chosen, is_about_people, is_remark, rated_response
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.wording import mark, sentence

INPUT, ANSWER = "Input.", "Answer."
TASK_ANSWERS = "taskAnswers"  # all answers of a form as one JSON list
HEAD = frozenset({"HITId", "WorkerId"})


@result_tools.register("mturk")
class MechanicalTurk(ResultTool):
    """Reads each answer of a worker as a score; columns of the choices of one question are one answer."""

    title = "Mechanical Turk"
    summary = mark("Answers of each worker in the results of a batch; rejected assignments are left out.")
    version = "2026"
    examples = (
        Example(
            {
                "batch.csv": """\
"HITId","WorkerId","AssignmentStatus","SubmitTime","Input.item_id","Input.system","Input.question",\
"Input.answer","Answer.clear.1","Answer.clear.2","Answer.taskAnswers","Approve","Reject"
"H1","A1","Approved","Mon Nov 02 09:01:10 PST 2026","a","red","Why?","Rain.","false","true",\
"[{""short"":{""1"":true,""2"":false},""comment"":""fine"",""age"":""30""}]","x",""
"H1","A2","Rejected","Mon Nov 02 09:02:10 PST 2026","a","red","Why?","Rain.","true","false","[]","","spam"
"H2","A2","Submitted","Mon Nov 02 09:03:10 PST 2026","a","blue","Why?","Sun.","true","false","[]","",""
"""
            },
            items=1,
            responses=2,
            human=3,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether the table has tasks, workers and their answers."""
        columns = file.columns
        return set(columns) >= HEAD and any(column.startswith(ANSWER) for column in columns)

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield a result for each answer of each assignment that was not rejected."""
        for file in files:
            rows = []
            for number, row in file.rows(notes.problems):
                if _is_rejected(row):
                    notes.leave_out(sentence("rejected assignments"))
                else:
                    rows.append((number, row, _answers(row)))
            yield from _results(rows, notes)


def _is_rejected(row: Mapping[str, Any]) -> bool:
    status = text_of(row.get("AssignmentStatus")).strip().lower()
    return status == "rejected" or (status != "approved" and not is_missing(row.get("Reject")))


def _results(
    rows: Sequence[tuple[int, Mapping[str, Any], Mapping[str, Any]]], notes: Notes
) -> Iterator[Result]:
    names = dict.fromkeys(name for _, _, answers in rows for name in answers)
    about = [name for name in names if is_about_people(name)]
    remarks = [name for name in names if is_remark(name, (answers.get(name) for _, _, answers in rows))]
    for number, row, answers in rows:
        result = _response(row, number)
        comment = "\n".join(text_of(answers[name]) for name in remarks if not is_missing(answers.get(name)))
        notes.left_out.update(sentence("answers about the worker") for name in about if name in answers)
        for name, value in answers.items():
            if name in about or name in remarks:
                continue
            if isinstance(value, (list, Mapping)):
                notes.leave_out(sentence("answers with several choices"))
            elif not is_missing(value):
                score = Score(text_of(row["WorkerId"]), "human", name, value, comment, row.get("SubmitTime"))
                yield result._replace(score=score)


def _response(row: Mapping[str, Any], number: int) -> Result:
    inputs = {name.removeprefix(INPUT): cell for name, cell in row.items() if name.startswith(INPUT)}
    return rated_response(inputs, number, text_of(row["HITId"]))


def _answers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers by question, with the choice of questions that have a column for each choice."""
    cells = {
        name.removeprefix(ANSWER): cell
        for name, cell in row.items()
        if name.startswith(ANSWER) and not is_missing(cell)
    }
    answers: dict[str, Any] = {}
    choices: dict[str, dict[str, Any]] = {}
    for name, cell in cells.items():
        question, dot, choice = name.rpartition(".")
        if name == TASK_ANSWERS:
            for form in _parsed(cell) if isinstance(_parsed(cell), list) else ():
                answers |= form if isinstance(form, Mapping) else {}
        elif dot and isinstance(chosen(cell), bool):
            choices.setdefault(question, {})[choice] = cell
        else:
            answers[name] = _parsed(cell)
    return {name: _choice(value) for name, value in {**answers, **choices}.items()}


def _choice(value: Any) -> Any:
    """Return the choice, an object of choices if several were made, or None."""
    if not isinstance(value, Mapping) or chosen(value) is not None:
        return chosen(value)
    return value if any(chosen(each) is True for each in value.values()) else None


def _parsed(cell: Any) -> Any:
    text = text_of(cell).strip()
    if text[:1] not in ("[", "{"):
        return cell
    try:
        return json.loads(text)
    except ValueError:
        return cell
