"""Match the raters and criteria named in a file with the known ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from judgelab.domain import Criterion, Problem
from judgelab.errors import InvalidInput
from judgelab.imports.checking.remarks import Remarks
from judgelab.imports.checking.text_checker import TextChecker
from judgelab.imports.core.cells import spelling_key
from judgelab.imports.core.codes import MissingCode
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.rater_names import RaterNames
from judgelab.imports.core.scale_inference import DEFAULT_KEY, ScoreSurvey, key_of, new_criterion_sentence
from judgelab.scales import CANNOT_JUDGE, Scale, may_pass, scale_from_json
from judgelab.wording import counted, mark, sentence

NO_CRITERION = mark(
    "the row does not name a criterion, but the project has several ({criteria}); fill in the criterion "
    "in every row, name its column with --map criterion=COLUMN, or name the score columns with --map "
    "score[CRITERION]=COLUMN"
)


class ScoredRecord(Protocol):
    """A record of a rater's score or comparison, as read from a file."""

    @property
    def rater(self) -> str:
        """Return the rater's name."""

    @property
    def criterion(self) -> str:
        """Return the criterion's name; empty if the file has none."""

    @property
    def row(self) -> int | None:
        """Return the row number."""

    @property
    def column(self) -> str | None:
        """Return the column's name."""


class NameResolver:
    """Finds criteria by the names people use, and notices raters with two spellings.

    Args:
        criteria: the project's criteria.
        raters: the names of the project's existing raters and judges.
        texts: checks the length of names.
        problems: the log for problems.
        scales: the scales of new criteria by name, as far as a person gave them.
    """

    def __init__(
        self,
        criteria: Sequence[Criterion],
        *,
        raters: Iterable[str],
        texts: TextChecker,
        problems: ProblemLog,
        scales: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.scales: dict[str, Scale] = {c.key: scale_from_json(c.scale) for c in criteria}
        self.surveys: dict[str, ScoreSurvey] = {}
        self._passing = {c.key for c in criteria if may_pass(c.scale)}
        self._texts = texts
        self._problems = problems
        self._keys = [c.key for c in criteria]
        self._by_name = {spelling_key(n): c.key for c in criteria for n in (c.label, key_of(c.key), c.key)}
        self._raters = RaterNames(raters)
        self._criterion_noted = False
        self._given_scales = {key_of(name): dict(scale) for name, scale in scales.items()}
        self._used_scales: dict[str, str] = {}
        for name in scales:
            if key := self._by_name.get(spelling_key(name)) or self._by_name.get(spelling_key(key_of(name))):
                raise InvalidInput(
                    f"--scale {name}: the project already has this criterion; extend its scale with "
                    f"`judgelab project criterion widen PROJECT {key}`."
                )

    @property
    def new_criteria(self) -> tuple[Criterion, ...]:
        """Return the criteria in the files that the project does not have, with inferred scales."""
        given = [
            Criterion(key, name or "Score", self._given_scales[key])
            for key, name in self._used_scales.items()
        ]
        inferred = [survey.criterion(0) for survey in self.surveys.values()]
        return tuple(
            replace(criterion, position=place)
            for place, criterion in enumerate([*given, *inferred], start=len(self._keys))
        )

    def notices(self) -> Iterator[str]:
        """Yield a notice about each new criterion whose scale was inferred."""
        for survey in self.surveys.values():
            yield new_criterion_sentence(survey.criterion(0), survey.observed_range)

    def finish(self, remarks: Remarks) -> None:
        """Add problems for likely codes among new criteria's scores, and for scales without a criterion."""
        for key, survey in self.surveys.items():
            for code in survey.codes:
                remarks.doubt(f"{code.value:g}")
                self._problems.append(Problem(_code_question(key, code)))
        for key in self._given_scales.keys() - self._used_scales.keys():
            self._problems.append(
                Problem(
                    sentence("--scale {criterion}: there are no scores under this criterion", criterion=key)
                )
            )

    def stored_rater_name(self, name: str, remarks: Remarks) -> str:
        """Return a person's name as stored, and note if it is written differently."""
        stored = self._raters.one_name(name)
        if stored != name:
            remarks.renamed(name, stored)
        return stored

    def check_rater(self, record: ScoredRecord) -> bool:
        """Return whether the rater has a valid, unambiguous name; if not, add a problem."""
        fault = self._raters.fault(record.rater)
        if fault:
            self.add_problem(record, fault, column="rater")
        return not fault and not self._texts.is_name_too_long(record.rater, "rater", record.row)

    def known_criterion(self, name: str) -> str | None:
        """Return the key of a criterion of the project or of the files' scores, or None."""
        key = self._by_name.get(spelling_key(name)) or self._by_name.get(spelling_key(key_of(name)))
        new = key_of(name)
        return key or (new if new in self.surveys or new in self._used_scales else None)

    def key_named(self, name: str) -> str:
        """Return the key that a criterion of this name has or gets; without a name, that of the only one."""
        name = name or (self._keys[0] if len(self._keys) == 1 else DEFAULT_KEY)
        return self.known_criterion(name) or key_of(name)

    def scale_of(self, key: str) -> Scale | None:
        """Return the scale of a criterion of the project, of the files or given for them, or None."""
        given = self._given_scales.get(key)
        return self.scales.get(key) or (None if given is None else scale_from_json(given))

    def criterion(self, record: ScoredRecord) -> str | None:
        """Return the key of the record's criterion, which may be new, or None if it has no valid name."""
        name = record.criterion
        if self._texts.is_name_too_long(name, "criterion", record.row):
            return None
        if not name:
            if len(self._keys) == 1:
                return self._keys[0]
            if self._keys:
                if not self._criterion_noted:
                    self._criterion_noted = True
                    self.add_problem(
                        record, sentence(NO_CRITERION, criteria=", ".join(self._keys)), column="criterion"
                    )
                return None
        key = self._by_name.get(spelling_key(name)) or self._by_name.get(spelling_key(key_of(name)))
        if key is None:
            key = key_of(name or DEFAULT_KEY)
            if key in self._given_scales:
                self._used_scales.setdefault(key, name)
                self.scales.setdefault(key, scale_from_json(self._given_scales[key]))
            else:
                self.surveys.setdefault(key, ScoreSurvey(name))
        return key

    def may_pass(self, key: str) -> bool:
        """Return whether people may say that they cannot judge; a new criterion then allows it."""
        if key in self.surveys:
            self.surveys[key].passing = True
        elif key in self._used_scales:
            self._given_scales[key] = {**self._given_scales[key], CANNOT_JUDGE: True}
        else:
            return key in self._passing
        return True

    def add_problem(self, record: ScoredRecord, message: str, column: str | None = None) -> None:
        """Add a problem with a record."""
        self._problems.append(Problem(message, row=record.row, column=column or record.column))


def _code_question(key: str, code: MissingCode) -> str:
    """Return the question whether a number means "no score"."""
    return counted(
        "{value} occurs {n} time, but the other scores of '{criterion}' range from {low} to {high}; if it "
        "means “no score”, add --missing {value}; if it is a score, give the scale with --scale "
        "{criterion}=LOW:HIGH",
        "{value} occurs {n} times, but the other scores of '{criterion}' range from {low} to {high}; if "
        "it means “no score”, add --missing {value}; if it is a score, give the scale with --scale "
        "{criterion}=LOW:HIGH",
        code.times,
        value=f"{code.value:g}",
        criterion=key,
        low=f"{code.low:g}",
        high=f"{code.high:g}",
    )
