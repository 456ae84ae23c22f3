"""Prodigy: the annotations of a data set as `prodigy db-out` writes them, a line for each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.imports.core.cells import text_of
from judgelab.imports.results.answers import rated_response
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.wording import mark, sentence

LINE = frozenset({"_input_hash", "_task_hash", "answer"})
CHOICE = "accept"  # what was chosen; `answer` only says whether the task was done
NOT_TEXTS = frozenset(
    {"answer", CHOICE, "options", "config", "label", "meta", "user_input", "spans", "tokens"}
)
ACCEPTED = {"accept": 1, "reject": 0}


@result_tools.register("prodigy")
class Prodigy(ResultTool):
    """Reads what each person chose; without choices, whether they accepted or rejected the label shown."""

    title = "Prodigy"
    summary = mark("What each person chose for a text; ignored tasks and marked spans are not read.")
    version = "1.15"
    examples = (
        Example(
            {
                "set.jsonl": """\
{"text": "Rain.", "meta": {"item_id": "a", "system": "red"}, "question": "Why?", "_input_hash": 1, \
"_task_hash": 2, "options": [{"id": "bad"}, {"id": "good"}], "accept": ["good"], "answer": "accept", \
"_timestamp": 1793700000, "_annotator_id": "set-ada"}
{"text": "Rain.", "meta": {"item_id": "a", "system": "red"}, "question": "Why?", "_input_hash": 1, \
"_task_hash": 2, "options": [{"id": "bad"}, {"id": "good"}], "accept": [], "answer": "ignore", \
"_timestamp": 1793700000, "_annotator_id": "set-bo"}
{"text": "Sun.", "meta": {"item_id": "a", "system": "blue"}, "question": "Why?", "_input_hash": 3, \
"_task_hash": 4, "options": [{"id": "bad"}, {"id": "good"}], "accept": ["bad"], "answer": "accept", \
"_timestamp": 1793700000, "_annotator_id": "set-bo"}
"""
            },
            items=1,
            responses=2,
            human=2,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether the first line is an answer with the hashes of its input and task."""
        return file.first_object.keys() >= LINE

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield a result for each person's last answer to a task."""
        latest: dict[tuple[str, Any], tuple[int, Mapping[str, Any]]] = {}
        for file in files:
            for number, line in file.lines(notes.problems):
                latest[_rater(line), line.get("_task_hash")] = (number, line)
        for (rater, _task), (number, line) in latest.items():
            texts = {name: value for name, value in line.items() if _is_text(name, value)}
            meta = line.get("meta")
            own = text_of(line.get("_input_hash"))
            result = rated_response({**texts, **(meta if isinstance(meta, Mapping) else {})}, number, own)
            yield result._replace(score=_score(rater, line, notes))


def _rater(line: Mapping[str, Any]) -> str:
    return text_of(line.get("_annotator_id") or line.get("_session_id")) or "human"


def _is_text(name: str, value: Any) -> bool:
    return name not in NOT_TEXTS and not name.startswith("_") and isinstance(value, (str, int, float))


def _score(rater: str, line: Mapping[str, Any], notes: Notes) -> Score | None:
    if spans := line.get("spans"):
        notes.leave_out(sentence("marked spans"), len(spans))
    answer, picked, criterion = line.get("answer"), line.get(CHOICE), text_of(line.get("label")) or CHOICE
    comment, at = text_of(line.get("user_input")), line.get("_timestamp")
    if answer not in ACCEPTED:
        notes.leave_out(sentence("ignored tasks"))
    elif not isinstance(picked, list):
        if line.get("label"):
            return Score(rater, "human", criterion, ACCEPTED[answer], comment, at)
        notes.leave_out(sentence("tasks without a choice"))
    elif answer == "reject" or not picked:
        notes.leave_out(sentence("tasks without a choice"))
    elif len(picked) > 1:
        notes.leave_out(sentence("answers with several choices"))
    else:
        return Score(rater, "human", criterion, picked[0], comment, at)
    return None
