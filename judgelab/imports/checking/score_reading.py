"""Read the score in a cell on the scale of its criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from statistics import fmean, multimode
from typing import Any

from judgelab.domain import Problem
from judgelab.errors import InvalidInput
from judgelab.imports.checking.remarks import Remarks
from judgelab.imports.checking.score_names import NameResolver
from judgelab.imports.core.cells import passes, score_of, text_of
from judgelab.imports.core.codes import MissingScoreCodes, is_code
from judgelab.imports.core.problems import ProblemLog, shortened
from judgelab.imports.core.records import ScoreRecord
from judgelab.imports.core.word_scales import ordered_words
from judgelab.scales import PASSED
from judgelab.store.transfer.records import SampleRecord
from judgelab.wording import counted, mark, sentence

AMBIGUOUS = frozenset({"none", "n/a", "na", "nil", "missing"})  # labels, or no score
LABEL = mark("{question}; if it is a label, add --scale '{criterion}=categorical:{labels}'")
LABEL_OF_POINTS = mark(
    "{question}; if it is a point of the scale, first create the criterion '{criterion}' with these labels: "
    "{labels}"
)
MAX_CODE_LENGTH = 60  # characters of a cell that may be proposed as a code for a missing score


class ScoreReader:
    """Reads scores and returns the reason if a cell has none.

    Args:
        naming: the known criteria with their scales, and the scores seen under new ones.
        missing: recognises cells without a score.
        remarks: counts remarks for the notices.
        of_words: keys of the criteria whose scales were made of the words in the files.
    """

    def __init__(
        self, naming: NameResolver, missing: MissingScoreCodes, remarks: Remarks, of_words: Collection[str]
    ) -> None:
        self._naming = naming
        self._missing = missing
        self._remarks = remarks
        self._of_words = of_words
        self._asked: dict[str, Counter[str]] = {}

    def has_none(self, record: ScoreRecord) -> bool:
        """Return whether a cell has no score: it is empty, or a word for that which is no label of the scale.

        A word such as "none" among labels that were read from the files may be one of them, which is asked.
        """
        if not self._missing(record.value):
            return False
        key = self._naming.key_named(record.criterion)
        scale = self._naming.scale_of(key)
        if scale is None or not isinstance(record.value, str) or self._missing.given(record.value):
            return True
        word, labels = record.value.strip(), [point.label for point in scale.points()]
        if word and word.casefold() in map(str.casefold, labels):
            return False
        if key in self._of_words and word.lower() in AMBIGUOUS:
            if scale.level == "nominal" or ordered_words([*labels, word]):
                self._asked.setdefault(key, Counter())[word] += 1
                self._remarks.doubt(word)
        return True

    def finish(self, problems: ProblemLog) -> None:
        """Ask about the words that may be labels or mean "no score"."""
        for criterion, words in self._asked.items():
            scale = self._naming.scale_of(criterion)
            labels = [] if scale is None else [point.label for point in scale.points()]
            for word, times in words.items():
                question = counted(
                    "'{word}' occurs {n} time under '{criterion}'; if it means “no score”, add --missing "
                    "'{word}'",
                    "'{word}' occurs {n} times under '{criterion}'; if it means “no score”, add --missing "
                    "'{word}'",
                    times, word=word, criterion=criterion,
                )  # fmt: skip
                ordered = scale is not None and scale.level != "nominal"
                problems.append(
                    Problem(
                        sentence(
                            LABEL_OF_POINTS if ordered else LABEL,
                            question=question,
                            criterion=criterion,
                            labels=",".join([*labels, word]),
                        )
                    )
                )

    def read(self, value: Any, kind: str, key: str, *, mean: bool) -> tuple[float | None, str]:
        """Return a cell's score, or None and the reason, which is `PASSED` for "cannot judge"."""
        scale = self._naming.scales.get(key)
        if passes(value) and (kind == "judge" or self._naming.may_pass(key)):
            self._remarks.note("passed")
            return None, PASSED
        try:
            score = score_of(value, scale.read if scale else None)
        except InvalidInput as error:
            return None, shortened(error.args[0])
        if scale is None:
            self._naming.surveys[key].add(kind, score)
            return score, ""
        reason = scale.reject_mean(score) if mean else scale.reject(score)
        if reason and kind == "judge" and not scale.low <= score <= scale.high:
            self._remarks.outside(key, score)
        return (None, reason) if reason else (score, "")

    def sample(self, reply: Any, key: str) -> SampleRecord:
        """Return one reply of a judge with its score."""
        score, reason = self.read(reply, "judge", key, mean=True)
        return SampleRecord(text_of(reply), score, reason)

    def judge_score(
        self, record: ScoreRecord, samples: Sequence[SampleRecord], key: str
    ) -> tuple[float | None, str]:
        """Return a judge's score from its cell, or else from its replies, or None and the reason."""
        if not self.has_none(record):
            return self.read(record.value, "judge", key, mean=True)
        scores = [sample.score for sample in samples if sample.score is not None]
        scale = self._naming.scales.get(key)
        if scores and scale is not None and not scale.ordered:
            return _most_frequent(scores)
        if scores:
            return fmean(scores), ""
        if samples and all(sample.reason == PASSED for sample in samples):
            return None, PASSED
        if samples:
            several = sentence("none of the {replies} replies has a score", replies=len(samples))
            return None, sentence("no score in the reply") if len(samples) == 1 else several
        return None, sentence("no score in the file")

    def refusal(self, record: ScoreRecord, key: str, reason: str) -> str:
        """Return why a person's score is refused, with the remedy."""
        if passes(record.value):
            return sentence(
                "raters may not say that they cannot judge '{criterion}'; allow it with judgelab project "
                "criterion widen PROJECT {criterion} --cannot-judge",
                criterion=key,
            )
        scale, number = self._naming.scales.get(key), self._number(record, key)
        if scale is not None and number is not None and not scale.reject_mean(number):
            return sentence("{problem}; if it is a mean of several raters add --means", problem=reason)
        cell = text_of(record.value).strip()
        written = cell.lstrip("+-")[:1].isdigit()  # meant as a number, though unreadable
        if number is None and (written or len(cell) > MAX_CODE_LENGTH):
            return sentence("{problem}; correct the score", problem=reason)
        points = () if scale is None or scale.kind != "ordinal" else scale.points()
        if number is None and (
            words := [f"{point.label} {point.value:g}" for point in points if point.label]
        ):
            self._remarks.doubt(cell)
            return sentence(
                "'{cell}' is not one of the words of '{criterion}' ({words}); if it means one of these "
                "points, add --value 'score:{cell}=NUMBER'; if it means “no score”, add "
                "--missing '{cell}'",
                cell=cell,
                criterion=key,
                words=", ".join(words),
            )
        if number is None or is_code(number, scale):
            self._remarks.doubt(cell)
            return sentence(
                "{problem}; correct the score; if it means “no score”, add --missing '{cell}'",
                problem=reason,
                cell=cell,
            )
        return sentence(
            "{problem}; correct the score; if the scale is too narrow, widen it: judgelab project criterion "
            "widen PROJECT {criterion}",
            problem=reason,
            criterion=key,
        )

    def _number(self, record: ScoreRecord, key: str) -> float | None:
        scale = self._naming.scales.get(key)
        try:
            return score_of(record.value, scale.read if scale else None)
        except InvalidInput:
            return None


def _most_frequent(labels: Sequence[float]) -> tuple[float | None, str]:
    """Return the label that most replies have, or None and the reason."""
    most = multimode(labels)
    if len(most) > 1:
        return None, sentence("no label is the most frequent of {replies} replies", replies=len(labels))
    return most[0], ""
