"""The grades of a project's answers, what each stands for, and the patterns that lists of them may have."""

from __future__ import annotations

from typing import Literal, NamedTuple

from judgelab.errors import InvalidInput
from judgelab.preparation.generation.items import items_of
from judgelab.preparation.lists.material import Texts, graded_source
from judgelab.preparation.lists.patterns import MOST, PATTERNS, read_pattern
from judgelab.preparation.lists.plan import ListSource
from judgelab.store.db.engine import Store

OF_THE_STUDY = "linkage"  # its answers have the grades 0 to 3
DIGITS = 10  # a pattern has a digit for each grade


class Grades(NamedTuple):
    """The grades that can be asked for.

    Attributes:
        source: what they come from: the study, the criterion's scale, graded references, or a prompt.
        values: the score that each grade stands for, the lowest first; empty if grades are used as they are.
    """

    source: Literal["study", "scale", "references", "written"]
    values: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[str, ...]:
        """Return the patterns to offer, the default first: one text of each grade, then the paper's."""
        if not 2 <= len(self.values) <= DIGITS:
            return PATTERNS
        falling = "".join(str(grade) for grade in reversed(range(len(self.values))))
        twice = "".join(2 * digit for digit in falling)
        fitting = [pattern for pattern in PATTERNS if int(pattern[0]) < len(self.values)]
        return tuple(dict.fromkeys([falling, *([twice] if len(twice) <= MOST else []), *fitting]))

    def scores(self, pattern: str) -> str:
        """Return the scores that a pattern asks for, or its grades where it has others than these.

        >>> Grades("scale", ("1", "2", "3", "4", "5")).scores("43210")
        '5, 4, 3, 2, 1'
        """
        try:
            grades = read_pattern(pattern)
        except InvalidInput:
            return pattern
        if not self.values or max(grades) >= len(self.values):
            return ", ".join(map(str, grades))
        return ", ".join(self.values[grade] for grade in grades)


def project_grades(
    store: Store, slug: str, *, source: ListSource = "graded", texts: Texts = "auto", criterion: str = ""
) -> Grades:
    """Return the grades that lists of a project can have.

    Raises:
        NotFound: no such project.
        InvalidInput: the project has no items, or its scores can't be used as grades.
    """
    if source != "graded":
        return Grades("written")
    with store.reading() as session:
        project, items = items_of(session, slug)
        if project.study == OF_THE_STUDY:
            return Grades("study")
        drawn_from, values = graded_source(project, items, texts=texts, criterion=criterion)
    of_references = drawn_from == "references"
    return Grades("references" if of_references else "scale", tuple(f"{value:g}" for value in values))
