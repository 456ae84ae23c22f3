"""Check records against the project and against one another before anything is stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.domain import Criterion, Problem
from judgelab.errors import InvalidInput
from judgelab.imports.checking.comparison_checker import ComparisonChecker
from judgelab.imports.checking.item_uses import ItemUseChecker
from judgelab.imports.checking.remarks import Remarks
from judgelab.imports.checking.response_index import ONLY_RESPONSE, ResponseIndex
from judgelab.imports.checking.score_names import NameResolver
from judgelab.imports.checking.score_reading import ScoreReader
from judgelab.imports.checking.spellings import Spellings
from judgelab.imports.checking.text_checker import Place, TextChecker
from judgelab.imports.core.cells import is_missing, score_of, text_of
from judgelab.imports.core.codes import MissingScoreCodes
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.records import RecordChunk, ScoreRecord
from judgelab.scales import PASSED
from judgelab.store.transfer.records import (
    ImportedJudgment,
    ItemRecord,
    MetricRecord,
    RatingRecord,
    RecordBatch,
    ResponseRecord,
    SampleRecord,
)
from judgelab.wording import mark, sentence


class _EarlierScore(NamedTuple):
    """An earlier score of a rater, and its place."""

    place: Place
    content: int
    score: float | None


class Checker:
    """Turns chunks of records into batches that can be stored, and collects all problems.

    Args:
        criteria: the project's criteria.
        index: the existing responses.
        raters: the names of the project's existing raters and judges.
        create_missing: whether to create items and responses without texts if only scores name them.
        missing: recognises cells without a score.
        scales: the scales of new criteria by name, as far as a person gave them.
        choice_numbers: whether 1 and 2 as choices have their usual meaning.
        of_words: keys of the criteria whose scales were made of the words in the files.
    """

    def __init__(
        self,
        criteria: Sequence[Criterion],
        *,
        index: ResponseIndex,
        raters: Iterable[str] = (),
        create_missing: bool = False,
        missing: MissingScoreCodes | None = None,
        scales: Mapping[str, Mapping[str, Any]] | None = None,
        choice_numbers: bool = True,
        of_words: Collection[str] = (),
    ) -> None:
        self.problems = ProblemLog()
        self.index = index
        self.create_missing = create_missing
        self._texts = TextChecker(index, self.problems)
        self._naming = NameResolver(
            criteria, raters=raters, texts=self._texts, problems=self.problems, scales=scales or {}
        )
        self._given: dict[int, _EarlierScore] = {}
        self._remarks = Remarks()
        self._missing = missing or MissingScoreCodes()
        self._scores = ScoreReader(self._naming, self._missing, self._remarks, of_words)
        self._material = ItemUseChecker(
            index, naming=self._naming, problems=self.problems, missing=self._missing
        )
        self._comparing = ComparisonChecker(
            index,
            naming=self._naming,
            texts=self._texts,
            remarks=self._remarks,
            create_missing=create_missing,
            missing=self._missing,
            numbers=choice_numbers,
        )
        self._items, self._systems = Spellings(index.items()), Spellings(index.systems())
        self._noted_once: set[str] = set()  # problems shared by all rows are reported once

    def check(self, chunk: RecordChunk) -> RecordBatch:
        """Return the part of the chunk that can be stored."""
        batch = RecordBatch(source=chunk.source)
        self.problems.source = chunk.source
        for item in chunk.items:
            if not (chunk.adds_only and self._unknown(item)) and self._texts.keep_item(item):
                batch.items.append(item)
        batch.responses += [response for response in chunk.responses if self._texts.keep_response(response)]
        for score in chunk.scores:
            self._check_score(score, batch)
        self._comparing.check(chunk, batch)
        self._material.check(chunk, batch)
        for item in batch.items:
            self._items.add(item.item_id)
        for response in batch.responses:
            self._systems.add(response.system)
        return batch

    def finish(self) -> None:
        """Add problems that only show over all scores; call once, after the last chunk."""
        self.problems.source = ""
        self._naming.finish(self._remarks)
        self._scores.finish(self.problems)

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Return the cells that may mean "no score", as written in the files."""
        return tuple(self._remarks.doubts)

    @property
    def unread_choices(self) -> tuple[str, ...]:
        """Return the cells that are no choice between two responses, as written in the files."""
        return tuple(self._remarks.unread_choices)

    @property
    def new_criteria(self) -> tuple[Criterion, ...]:
        """Return the criteria in the files that the project does not have, with inferred scales."""
        return self._naming.new_criteria

    def notices(self) -> Iterator[str]:
        """Yield notices for a person that are not problems."""
        yield from self._naming.notices()
        yield from self._remarks.sentences()
        for what, spellings in ((mark("items"), self._items), (mark("systems"), self._systems)):
            if spellings.alike:
                yield sentence(
                    "{what} {names} differ only in spelling and are stored separately; if they are the "
                    "same, use one spelling",
                    what=sentence(what),
                    names=", ".join(f"'{first}' / '{other}'" for first, other in spellings.alike),
                )

    def _unknown(self, item: ItemRecord) -> bool:
        """Return whether the item is unknown and may not be created; if so, add a problem."""
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

    def _check_score(self, record: ScoreRecord, batch: RecordBatch) -> None:
        if record.kind == "human" and self._scores.has_none(record):
            self._remarks.missing(record.value)
            return
        if record.kind == "human":
            record = record._replace(rater=self._naming.stored_rater_name(record.rater, self._remarks))
        if not self._naming.check_rater(record) or (with_item := self._with_item(record)) is None:
            return
        record = with_item
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
        """Return the record with its item, found by the response id if needed; None if it is unknown."""
        if record.item_id:
            return record
        owner = self.index.item_of(record.response_id)
        if not owner.reason:
            return record._replace(item_id=owner.item_id)
        if not (owner.several and "several" in self._noted_once):
            self._naming.add_problem(record, owner.reason, column="response_id")
        self._noted_once |= {"several"} if owner.several else set()
        return None

    def _join(self, record: ScoreRecord, batch: RecordBatch) -> str | None:
        joined = self.index.find(record.item_id, response_id=record.response_id, system=record.system)
        if not joined.reason:
            return joined.response_id
        if not (joined.missing and self.create_missing):
            self._naming.add_problem(record, joined.with_remedy(), column="item_id")
            return None
        if record.item_id not in self.index:
            self._remarks.note("item")
            batch.items.append(ItemRecord(record.item_id, row=record.row))
        self._remarks.note("response")
        response_id = record.response_id or record.system or ONLY_RESPONSE
        self.index.add(record.item_id, response_id, record.system)
        batch.responses.append(ResponseRecord(record.item_id, response_id, record.system, row=record.row))
        return response_id

    def _rating(self, record: ScoreRecord, batch: RecordBatch, *, response_id: str, key: str) -> None:
        score, reason = self._scores.read(record.value, record.kind, key, mean=record.aggregate)
        if score is None and reason != PASSED:
            self._naming.add_problem(record, self._scores.refusal(record, key, reason))
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

    def _judgment(self, record: ScoreRecord, batch: RecordBatch, *, response_id: str, key: str) -> None:
        samples = tuple(self._scores.sample(reply, key) for reply in record.samples)
        score, reason = self._scores.judge_score(record, samples, key)
        if not samples and score is None:
            texts = [text_of(v) for v in (record.value, record.comment) if not is_missing(v)]
            samples = (SampleRecord("\n".join(texts), None, reason),) if texts else ()
        if len(samples) == 1 and samples[0].score is None and score is not None:
            samples = (SampleRecord(samples[0].text, score),)
        if self._repeated(record, response_id, key, (score, record.comment, samples), score):
            return
        if score is None and reason != PASSED:
            self._remarks.note("unscored")
        batch.judgments.append(
            ImportedJudgment(
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

    def _metric(self, record: ScoreRecord, batch: RecordBatch, *, response_id: str) -> None:
        if self._missing(record.value):
            return
        try:
            score = score_of(record.value)
        except InvalidInput as error:
            self._naming.add_problem(record, sentence("{problem}; correct the number", problem=error.args[0]))
            return
        if not self._repeated(record, response_id, "", score, score):
            batch.metrics.append(MetricRecord(record.item_id, response_id, record.rater, score, record.row))

    def _repeated(
        self, record: ScoreRecord, response_id: str, key: str, content: Any, score: float | None
    ) -> bool:
        """Return whether the score was given before; a different score by the same human is a problem."""
        unit = hash((record.item_id, response_id, key, record.rater, record.kind))
        before = self._given.get(unit)
        given = _EarlierScore(self._texts.place(record.row), hash(content), score)
        if before is None or before.content == given.content:
            self._given[unit] = given
            if before is not None:
                self._remarks.note("same")
            return before is not None
        if record.kind == "human":
            message = sentence(
                "'{rater}' scored this response {before} in {where} and {score} here; keep one of them",
                rater=record.rater,
                before=_in_words(before.score),
                where=self._texts.earlier_place(before.place),
                score=_in_words(score),
            )
            self._naming.add_problem(record, message)
            return True
        self._remarks.note("again")
        self._given[unit] = given
        return False


def _in_words(score: float | None) -> str:
    return PASSED if score is None else str(score)
