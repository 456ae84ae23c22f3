"""doccano: exports of classifications, a file for each person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.results.answers import LONGEST_CHOICE, rated_response
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.wording import counted, mark, sentence

COMMENTS, LABEL = "Comments", "label"
OWN = frozenset({"id", LABEL, COMMENTS})  # doccano's id is a place in its data base
COLUMNS = frozenset({"id", "text", LABEL, COMMENTS})
TOGETHER = "all"  # the name of the file of a project in which all share the labels
JOINT = "#"  # between labels in a table


class _Entry(NamedTuple):
    row: int
    rater: str
    labels: tuple[str, ...]
    comment: str
    entry: Mapping[str, Any]


@result_tools.register("doccano")
class Doccano(ResultTool):
    """Reads the label of each text; the file's name is the person's, as doccano writes one file for each."""

    title = "doccano"
    summary = mark("The label that each person gave to a text; marked spans and written texts are not read.")
    version = "1.8"
    examples = (
        Example(
            {
                "ada.jsonl": """\
{"id": 1, "text": "Why?\\n---\\nRain.", "item_id": "a", "system": "red", "label": ["good"], "Comments": []}
{"id": 2, "text": "Why?\\n---\\nSun.", "item_id": "a", "system": "blue", "label": ["bad", "short"], \
"Comments": ["too brief"]}
""",
                "bo.jsonl": """\
{"id": 1, "text": "Why?\\n---\\nRain.", "item_id": "a", "system": "red", "label": [], "Comments": []}
{"id": 2, "text": "Why?\\n---\\nSun.", "item_id": "a", "system": "blue", "label": ["bad"], "Comments": []}
""",
            },
            items=1,
            responses=2,
            human=3,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether the first text has labels and comments, in JSON, lines or a table."""
        if file.columns or file.first_object:
            return (set(file.columns) or file.first_object.keys()) >= COLUMNS
        return file.mentions('"id"', '"text"', '"label"', '"Comments"') and file.head.lstrip()[:1] == b"["

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield a result for each text that a person labelled."""
        entries = [entry for file in files for entry in _entries(file, notes)]
        alone = {entry.labels[0] for entry in entries if len(entry.labels) == 1}
        further = 0
        for row, rater, labels, comment, entry in entries:
            rest = {name: value for name, value in entry.items() if name not in OWN}
            response = rated_response(rest, row)
            scored = [label for label in labels if label in alone] if len(labels) > 1 else list(labels)
            if len(scored) > 1 or (labels and not scored):
                notes.leave_out(sentence("answers with several choices"))
                scored = []
            if not scored:
                yield response
                continue
            others = [label for label in labels if label not in scored]
            further += len(others)
            said = "\n".join(filter(None, (*others, comment)))
            yield response._replace(score=Score(rater, "human", LABEL, scored[0], said))
        if further:
            notes.said.append(
                counted(
                    "{n} further label stands in the comment of its rating",
                    "{n} further labels stand in the comments of their ratings",
                    further,
                )
            )


def _entries(file: ResultFile, notes: Notes) -> Iterator[_Entry]:
    name = PurePath(file.name).stem
    rater = "human" if name == TOGETHER else name
    for row, entry in file.entries(notes.problems):
        given = entry.get(LABEL)
        if isinstance(given, str):
            given = given.split(JOINT)
        labels = [one for one in given or () if not is_missing(one)]
        spans = [one for one in labels if isinstance(one, (list, Mapping))]
        texts = [one for one in labels if one not in spans and len(text_of(one)) > LONGEST_CHOICE]
        for what, unread in ((sentence("marked spans"), spans), (sentence("written texts"), texts)):
            if unread:
                notes.leave_out(what, len(unread))
        kept = tuple(text_of(one) for one in labels if one not in spans and one not in texts)
        comments = entry.get(COMMENTS)
        comment = "\n".join(map(text_of, comments)) if isinstance(comments, list) else text_of(comments)
        yield _Entry(row, rater, kept, comment, entry)
