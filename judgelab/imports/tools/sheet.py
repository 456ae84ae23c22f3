"""A table built from another tool's annotations: one row for each person and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.word_scales import leading_number
from judgelab.wording import sentence

Answer = Literal["score", "choice", "ranking"]
ID, RATER, KIND, COMMENT, TIME = "id", "annotator", "annotator kind", "remarks", "annotated at"
_OWN_FIELDS = {ID: "item_id", RATER: "rater", KIND: "rater_kind", COMMENT: "comment", TIME: "rated_at"}


@dataclass(frozen=True)
class ToolSheet:
    """The table, with the meaning of its columns as far as known from the tool.

    Attributes:
        fields: the field of each column with a known meaning; data columns are recognised by their names.
        words: the words that people chose, by question; numbers are not included.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[int, Mapping[str, Any]]]
    fields: Mapping[str, str]
    words: Mapping[str, Sequence[str]]
    notices: tuple[str, ...]
    problems: ProblemLog


class Annotator(NamedTuple):
    """A person or judge, with the time and comment of an annotation."""

    name: str
    kind: str = "human"
    at: Any = None
    comment: str = ""


@dataclass
class SheetBuilder:
    """Collects rows, and finds out the kind of answers to each question.

    Args:
        title: the tool's name on the screen.
    """

    title: str
    _rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    _answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    _left_out: Counter[str] = field(default_factory=Counter)
    _data: dict[str, None] = field(default_factory=dict)

    def add(
        self,
        number: int,
        item: str,
        data: Mapping[str, Any],
        annotator: Annotator,
        answers: Mapping[tuple[str, Answer], Any],
    ) -> None:
        """Add one person's answers about one text, by (question, kind of answer)."""
        row: dict[str, Any] = {
            ID: item,
            RATER: annotator.name,
            KIND: annotator.kind,
            COMMENT: annotator.comment,
            TIME: annotator.at,
        }
        for key, value in data.items():
            name = f"{key} (text)" if key in _OWN_FIELDS else key
            self._data[name] = None
            row[name] = value
        for (question, answer), value in answers.items():
            seen = self._answers.setdefault(question, {"as": answer, "words": {}})
            if answer == "score" and isinstance(value, str):
                value = leading_number(value)
                if isinstance(value, str):
                    seen["words"][value.strip()] = None
            row[f"{question} ({self.title})"] = value
        self._rows.append((number, row))

    def leave_out(self, what: str) -> None:
        """Count something that is not read, for a notice at the end."""
        self._left_out[what] += 1

    def finish(self, problems: ProblemLog) -> ToolSheet:
        """Return the table."""
        fields, words = dict(_OWN_FIELDS), {}
        for question, seen in self._answers.items():
            fields[f"{question} ({self.title})"] = f"{seen['as']}[{question}]"
            words[question] = tuple(word for word in seen["words"] if not is_missing(word))
        used = [name for name in _OWN_FIELDS if any(not is_missing(row.get(name)) for _, row in self._rows)]
        answers = [f"{question} ({self.title})" for question in self._answers]
        return ToolSheet(
            (*used, *self._data, *answers),
            self._rows,
            {column: name for column, name in fields.items() if column in used or column in answers},
            {question: chosen for question, chosen in words.items() if chosen},
            tuple(
                sentence("not read from {tool}: {what} ({n})", n=n, what=what, tool=self.title)
                for what, n in self._left_out.items()
            ),
            problems,
        )


def join_texts(values: Sequence[Any]) -> str:
    """Return several texts as one, separated by line ends."""
    return "\n".join(filter(None, (text_of(value).strip() for value in values)))
