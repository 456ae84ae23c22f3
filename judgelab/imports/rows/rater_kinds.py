"""Whether the raters of a file are people, judges or metrics, if no column says so."""

from __future__ import annotations

from judgelab.domain import RaterKind
from judgelab.imports.checking.rater_names import is_like_a_person
from judgelab.imports.columns.mapping import ColumnMapping, Kind, names_judges

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
