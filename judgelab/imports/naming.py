"""Who gave a score and under which criterion: names that a file writes, held against those that are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from judgelab.domain import Criterion, Problem
from judgelab.imports.cells import spelling_key
from judgelab.imports.inference import DEFAULT_KEY, Survey, key_of, said
from judgelab.imports.problems import ProblemLog
from judgelab.imports.raters import RaterNames
from judgelab.imports.texts import TextChecker
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import mark, sentence

NO_CRITERION = mark(
    "the row names no criterion and the project has {criteria}; fill it in in all rows, map its column with "
    "--map criterion=COLUMN, or name the columns with --map score[CRITERION]=COLUMN"
)


class Said(Protocol):
    """What a rater said, as a file states it."""

    @property
    def rater(self) -> str:
        """Who said it."""

    @property
    def criterion(self) -> str:
        """Under which criterion; empty when the file does not say."""

    @property
    def row(self) -> int | None:
        """In which row."""

    @property
    def column(self) -> str | None:
        """In which column."""


class Naming:
    """Finds criteria by the ways people write them, and notices raters who are written in two ways.

    Args:
        criteria: the project's criteria.
        raters: the names of those who rated or judged in this project before.
        texts: where too long names are noted.
        problems: where problems are noted.
    """

    def __init__(
        self,
        criteria: Sequence[Criterion],
        *,
        raters: Iterable[str],
        texts: TextChecker,
        problems: ProblemLog,
    ) -> None:
        self.scales: dict[str, Scale] = {c.key: scale_from_json(c.scale) for c in criteria}
        self.surveys: dict[str, Survey] = {}
        self._texts = texts
        self._problems = problems
        self._keys = [c.key for c in criteria]
        self._by_name = {spelling_key(n): c.key for c in criteria for n in (c.label, key_of(c.key), c.key)}
        self._raters = RaterNames(raters)
        self._criterion_told = False

    @property
    def new_criteria(self) -> tuple[Criterion, ...]:
        """Return the criteria that the files name and the project lacks, with inferred scales."""
        start = len(self._keys)
        return tuple(s.criterion(start + i) for i, s in enumerate(self.surveys.values()))

    def notices(self) -> Iterator[str]:
        """Yield a sentence about each new criterion and where its scale comes from."""
        for criterion, survey in zip(self.new_criteria, self.surveys.values(), strict=True):
            yield said(criterion, scored=bool(survey.low))

    def rater_ok(self, record: Said) -> bool:
        """Whether the rater has a name that can be told from all others, else it is noted."""
        fault = self._raters.fault(record.rater)
        if fault:
            self.bad(record, fault)
        return not fault and not self._texts.bad_name(record.rater, "rater", record.row)

    def known_criterion(self, name: str) -> str | None:
        """Return the key of a criterion that the project has, or that scores of the files name; else None."""
        key = self._by_name.get(spelling_key(name)) or self._by_name.get(spelling_key(key_of(name)))
        return key or (key_of(name) if key_of(name) in self.surveys else None)

    def criterion(self, record: Said) -> str | None:
        """Return the key of the criterion that is meant, a new one if need be, or None when none is named."""
        name = record.criterion
        if self._texts.bad_name(name, "criterion", record.row):
            return None
        if not name:
            if len(self._keys) == 1:
                return self._keys[0]
            if self._keys:
                if not self._criterion_told:
                    self._criterion_told = True
                    self.bad(
                        record, sentence(NO_CRITERION, criteria=", ".join(self._keys)), column="criterion"
                    )
                return None
        key = self._by_name.get(spelling_key(name)) or self._by_name.get(spelling_key(key_of(name)))
        if key is None:
            key = key_of(name or DEFAULT_KEY)
            self.surveys.setdefault(key, Survey(name))
        return key

    def bad(self, record: Said, message: str, column: str | None = None) -> None:
        """Note what is wrong with a record."""
        self._problems.append(Problem(message, row=record.row, column=column or record.column))
