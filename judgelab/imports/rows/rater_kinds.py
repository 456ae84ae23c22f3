"""Whether the raters of a file are people, judges or metrics, if no column says so."""

from __future__ import annotations

from itertools import islice

from judgelab.domain import Problem, RaterKind
from judgelab.imports.columns.column_habits import SAMPLE_ROWS
from judgelab.imports.columns.mapping import ColumnMapping, Kind, names_judges
from judgelab.imports.columns.tables import Table
from judgelab.imports.core.cells import name_of
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.rater_names import is_like_a_model, is_like_a_person
from judgelab.imports.files.sources import Unreadable
from judgelab.wording import sentence

OF_MODELS = frozenset({"reply", "samples", "confidence", "swapped_choice"})  # fields that people do not fill


class RaterKinds:
    """The kinds of the raters in a file.

    In comparisons, a column called `judge` may have people as well, such as "expert_3".

    Args:
        mapping: the meaning of the columns.
        kind: the kind of file.
        given: the kind of all raters, if a person gave it.

    Attributes:
        usual: the kind of raters whose name says nothing else.
    """

    def __init__(self, mapping: ColumnMapping, kind: Kind, given: RaterKind | None) -> None:
        judged = kind == "judgments" or (kind == "preferences" and names_judges(mapping))
        self.usual: RaterKind = given or ("judge" if judged else "human")
        self._by_name = given is None and kind == "preferences" and not OF_MODELS & mapping.fields

    def of(self, rater: str) -> RaterKind:
        """Return the kind of the rater with this name."""
        return "human" if self._by_name and is_like_a_person(rater) else self.usual


def unclear_rater(table: Table, mapping: ColumnMapping, kind: Kind) -> Problem | None:
    """Return the question who the raters are, or None.

    It is asked if a column of raters of comparisons names a model, or a tool's files do not tell it.
    """
    if table.unclear:
        message = sentence(
            "the files do not tell whether '{name}' is a person; if such raters are judges, add --map "
            "rater_kind=judge; if they are people, add --map rater_kind=human",
            name=table.unclear,
        )
        return Problem(message)
    column = mapping.column("rater")
    if kind != "preferences" or not column or "rater_kind" in mapping.fields or names_judges(mapping):
        return None
    try:
        for number, cells in islice(table.reader(ProblemLog()), SAMPLE_ROWS):
            name = name_of(cells.get(column))
            if is_like_a_model(name) or "judge" in name.casefold():
                message = sentence(
                    "'{name}' looks like the name of a model or judge, but that of its column does not; if "
                    "its raters are judges, add --map rater_kind=judge; if they are people, add --map "
                    "rater_kind=human",
                    name=name,
                )
                return Problem(message, row=number, column=column)
    except (Unreadable, UnicodeDecodeError):
        pass  # reported when the file is read
    return None
