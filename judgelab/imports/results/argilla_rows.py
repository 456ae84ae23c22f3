"""Argilla: records as rows (`to_csv`, `to_json` of flat records), a column for each part of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.imports.core.cells import is_missing, list_of, text_of
from judgelab.imports.results.answers import is_remark, rated_response
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.wording import mark, sentence

RESPONSES, USERS, STATUS, SUGGESTION = ".responses", ".responses.users", ".responses.status", ".suggestion"
AGENT, SUBMITTED = ".suggestion.agent", "submitted"
OWN = frozenset({"id", "status", "_server_id"})


class _Answer(NamedTuple):
    user: str
    value: Any
    status: str


@result_tools.register("argilla_rows")
class ArgillaRows(ResultTool):
    """Reads submitted responses of people, and suggestions as those of the agents that made them."""

    title = "Argilla"
    summary = mark("Submitted responses and suggestions in rows; answers with several labels are not read.")
    version = "2.8.0"
    examples = (
        Example(
            {
                "records.jsonl": """\
{"id": "a::red", "status": "pending", "question": "Why?", "answer": "Rain.", "system": "red", \
"item_id": "a", "clear.responses": [5, 4], "clear.responses.users": ["u1", "u2"], \
"clear.responses.status": ["submitted", "draft"], \
"note.responses": ["a longer text\\nof two lines"], "note.responses.users": ["u1"], \
"note.responses.status": ["submitted"], "clear.suggestion": 3, "clear.suggestion.score": 0.7, \
"clear.suggestion.agent": "owl"}"""
            },
            items=1,
            responses=1,
            human=1,
            judged=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether a column has the people who answered a question."""
        return any(name.endswith(USERS) for name in (*file.first_object, *file.columns))

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield each person's answer to each question about a record, and each suggestion."""
        rows = [(number, row) for file in files for number, row in file.entries(notes.problems)]
        names = dict.fromkeys(name for _, row in rows for name in row)
        questions = [name.removesuffix(USERS) for name in names if name.endswith(USERS)]
        parts = tuple(f"{question}." for question in questions)
        remarks = {
            question
            for question in questions
            if is_remark(question, [one.value for _, row in rows for one in _answers(row, question)])
        }
        for number, row in rows:
            texts = {
                name: value for name, value in row.items() if not (name in OWN or name.startswith(parts))
            }
            result = rated_response(texts, number, text_of(row.get("id")))
            scores = list(_scores(row, [one for one in questions if one not in remarks], remarks, notes))
            yield from (result._replace(score=score) for score in scores)
            if not scores:
                yield result


def _answers(row: Mapping[str, Any], question: str) -> list[_Answer]:
    users, values = list_of(row.get(question + USERS)), list_of(row.get(question + RESPONSES))
    statuses = list_of(row.get(question + STATUS)) or [SUBMITTED] * len(users)
    return [
        _Answer(text_of(user), value, text_of(status))
        for user, value, status in zip(users, values, statuses, strict=False)
    ]


def _scores(
    row: Mapping[str, Any], questions: Sequence[str], remarks: set[str], notes: Notes
) -> Iterator[Score]:
    comments: dict[str, list[str]] = {}
    for question in remarks:
        for answer in _answers(row, question):
            if answer.status == SUBMITTED and not is_missing(answer.value):
                comments.setdefault(answer.user, []).append(text_of(answer.value))
    for question in questions:
        for user, value, status in _answers(row, question):
            if status != SUBMITTED:
                notes.leave_out(sentence("{status} answers", status=status))
            elif isinstance(value, (list, Mapping)):
                notes.leave_out(sentence("answers with several labels or spans"))
            elif not is_missing(value):
                yield Score(user, "human", question, value, "\n".join(comments.get(user, ())))
        suggested = row.get(question + SUGGESTION)
        if not is_missing(suggested) and not isinstance(suggested, (list, Mapping)):
            yield Score(text_of(row.get(question + AGENT)) or "suggestion", "judge", question, suggested)
