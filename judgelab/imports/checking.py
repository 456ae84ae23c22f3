"""Checking records against the project and against one another, before anything is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from judgelab.domain import Criterion, Problem
from judgelab.errors import InvalidInput
from judgelab.imports.cells import is_missing, score_of, text_of
from judgelab.imports.comparing import ComparisonChecker
from judgelab.imports.joining import ONLY, ResponseIndex
from judgelab.imports.material import MaterialChecker
from judgelab.imports.naming import Naming
from judgelab.imports.problems import ProblemLog, shortened
from judgelab.imports.records import Chunk, ScoreRecord
from judgelab.imports.remarks import Remarks
from judgelab.imports.texts import Place, TextChecker
from judgelab.store.records import (
    Batch,
    ItemRecord,
    JudgmentRecord,
    MetricRecord,
    RatingRecord,
    ResponseRecord,
    Sample,
)
from judgelab.wording import sentence


class _Given(NamedTuple):
    """The score a rater gave, and where."""

    place: Place
    content: int
    score: float | None


class Checker:
    """Turns chunks into batches that may be stored, noting every problem on the way.

    Args:
        criteria: the project's criteria.
        index: the responses that exist already.
        raters: the names of those who rated or judged in this project before.
        create_missing: create items and responses, without texts, that only scores name.
    """

    def __init__(
        self,
        criteria: Sequence[Criterion],
        *,
        index: ResponseIndex,
        raters: Iterable[str] = (),
        create_missing: bool = False,
    ) -> None:
        self.problems = ProblemLog()
        self.index = index
        self.create_missing = create_missing
        self._texts = TextChecker(index, self.problems)
        self._naming = Naming(criteria, raters=raters, texts=self._texts, problems=self.problems)
        self._given: dict[int, _Given] = {}
        self._remarks = Remarks()
        self._material = MaterialChecker(index, naming=self._naming, problems=self.problems)
        self._comparing = ComparisonChecker(
            index,
            naming=self._naming,
            texts=self._texts,
            remarks=self._remarks,
            create_missing=create_missing,
        )
        self._told: set[str] = set()  # what is wrong with all rows of a file alike is said once

    def check(self, chunk: Chunk) -> Batch:
        """Return the part of the chunk that may be stored."""
        batch = Batch(source=chunk.source)
        self.problems.source = chunk.source
        for item in chunk.items:
            if not (chunk.adds_only and self._unknown(item)) and self._texts.keep_item(item):
                batch.items.append(item)
        batch.responses += [response for response in chunk.responses if self._texts.keep_response(response)]
        for score in chunk.scores:
            self._check_score(score, batch)
        self._comparing.check(chunk, batch)
        self._material.check(chunk, batch)
        return batch

    @property
    def new_criteria(self) -> tuple[Criterion, ...]:
        """Return the criteria that the files name and the project lacks, with inferred scales."""
        return self._naming.new_criteria

    def notices(self) -> Iterator[str]:
        """Yield what a person should know though nothing is wrong."""
        yield from self._naming.notices()
        yield from self._remarks.sentences()

    def _unknown(self, item: ItemRecord) -> bool:
        """Whether there is no such item and none may be made, which is noted."""
        if item.item_id in self.index or item.question or item.context:
            return False
        if self.create_missing:
            self._remarks.note("item")
            return False
        message = sentence(
            "there is no item '{item}'; import the texts first, or add --create-missing", item=item.item_id
        )
        self.problems.append(Problem(message, row=item.row, column="item_id"))
        return True

    def _check_score(self, record: ScoreRecord, batch: Batch) -> None:
        if record.kind == "human" and is_missing(record.value):
            self._remarks.missing(record.value)
            return
        if not self._naming.rater_ok(record) or (found := self._with_item(record)) is None:
            return
        record = found
        response_id = self._join(record, batch)
        key = "" if record.kind == "metric" else self._naming.criterion(record)
        if response_id is None or key is None:
            return
        if record.kind == "human":
            self._remarks.person(record.rater)
            self._rating(record, batch, response_id=response_id, key=key)
        elif record.kind == "judge":
            self._judgment(record, batch, response_id=response_id, key=key)
        else:
            self._metric(record, batch, response_id=response_id)

    def _with_item(self, record: ScoreRecord) -> ScoreRecord | None:
        """Return the record with its item, which a response's id may tell; None when it cannot be told."""
        if record.item_id:
            return record
        owner = self.index.item_of(record.response_id)
        if not owner.reason:
            return record._replace(item_id=owner.item_id)
        if not (owner.several and "several" in self._told):
            self._naming.bad(record, owner.reason, column="response_id")
        self._told |= {"several"} if owner.several else set()
        return None

    def _join(self, record: ScoreRecord, batch: Batch) -> str | None:
        joined = self.index.find(record.item_id, response_id=record.response_id, system=record.system)
        if not joined.reason:
            return joined.response_id
        if not (joined.missing and self.create_missing):
            self._naming.bad(record, joined.remedied(), column="item_id")
            return None
        if record.item_id not in self.index:
            self._remarks.note("item")
            batch.items.append(ItemRecord(record.item_id, row=record.row))
        self._remarks.note("response")
        response_id = record.response_id or record.system or ONLY
        self.index.add(record.item_id, response_id, record.system)
        batch.responses.append(ResponseRecord(record.item_id, response_id, record.system, row=record.row))
        return response_id

    def _rating(self, record: ScoreRecord, batch: Batch, *, response_id: str, key: str) -> None:
        score, reason = self._read(record.value, record.kind, key, mean=record.aggregate)
        if score is None:
            if self._between(record, key):
                said = sentence("{problem}; if it is a mean of several raters add --means", problem=reason)
            else:
                said = sentence("{problem}; correct the score", problem=reason)
            self._naming.bad(record, said)
            return
        if self._repeated(record, response_id, key, (score, record.comment), score):
            return
        batch.ratings.append(
            RatingRecord(
                record.item_id,
                response_id,
                key,
                record.rater,
                score,
                record.comment,
                record.rated_at,
                record.aggregate,
                record.row,
            )
        )

    def _judgment(self, record: ScoreRecord, batch: Batch, *, response_id: str, key: str) -> None:
        samples = tuple(self._sample(reply, key) for reply in record.samples)
        score, reason = self._judged(record, samples, key)
        if not samples and score is None:
            said = [text_of(v) for v in (record.value, record.comment) if not is_missing(v)]
            samples = (Sample("\n".join(said), None, reason),) if said else ()
        if len(samples) == 1 and samples[0].score is None and score is not None:
            samples = (Sample(samples[0].text, score),)
        if self._repeated(record, response_id, key, (score, record.comment, samples), score):
            return
        if score is None:
            self._remarks.note("unscored")
        batch.judgments.append(
            JudgmentRecord(
                record.item_id,
                response_id,
                key,
                record.rater,
                score,
                reason,
                record.comment,
                samples,
                record.rated_at,
                record.row,
            )
        )

    def _judged(self, record: ScoreRecord, samples: Sequence[Sample], key: str) -> tuple[float | None, str]:
        if not is_missing(record.value):
            return self._read(record.value, "judge", key, mean=True)
        scores = [sample.score for sample in samples if sample.score is not None]
        if scores:
            return fmean(scores), ""
        if samples:
            several = sentence("none of {replies} replies holds a score", replies=len(samples))
            return None, sentence("the reply holds no score") if len(samples) == 1 else several
        return None, sentence("the file gives no score")

    def _sample(self, reply: Any, key: str) -> Sample:
        score, reason = self._read(reply, "judge", key, mean=True)
        return Sample(text_of(reply), score, reason)

    def _metric(self, record: ScoreRecord, batch: Batch, *, response_id: str) -> None:
        if is_missing(record.value):
            return
        try:
            score = score_of(record.value)
        except InvalidInput as error:
            self._naming.bad(record, sentence("{problem}; correct the number", problem=error.args[0]))
            return
        if not self._repeated(record, response_id, "", score, score):
            batch.metrics.append(MetricRecord(record.item_id, response_id, record.rater, score, record.row))

    def _read(self, value: Any, kind: str, key: str, *, mean: bool) -> tuple[float | None, str]:
        """Return the score a cell states, or None and why it states none."""
        scale = self._naming.scales.get(key)
        try:
            score = score_of(value, scale.read if scale else None)
        except InvalidInput as error:
            return None, shortened(error.args[0])
        if scale is None:
            self._naming.surveys[key].add(kind, score, value)
            return score, ""
        reason = scale.reject_mean(score) if mean else scale.reject(score)
        return (None, reason) if reason else (score, "")

    def _between(self, record: ScoreRecord, key: str) -> bool:
        """Whether the scale would take the score as a mean."""
        scale = self._naming.scales.get(key)
        try:
            return scale is not None and not scale.reject_mean(score_of(record.value))
        except InvalidInput:
            return False

    def _repeated(
        self, record: ScoreRecord, response_id: str, key: str, content: Any, score: float | None
    ) -> bool:
        """Whether this very score was given before; a human's other score for the same is a problem."""
        unit = hash((record.item_id, response_id, key, record.rater, record.kind))
        before = self._given.get(unit)
        given = _Given(self._texts.place(record.row), hash(content), score)
        if before is None or before.content == given.content:
            self._given[unit] = given
            if before is not None:
                self._remarks.note("same")
            return before is not None
        if record.kind == "human":
            said = sentence(
                "'{rater}' scored this response {before} in {where} and {score} here; keep one of them",
                rater=record.rater,
                before=str(before.score),
                where=self._texts.where(before.place),
                score=str(score),
            )
            self._naming.bad(record, said)
            return True
        self._remarks.note("again")
        self._given[unit] = given
        return False
