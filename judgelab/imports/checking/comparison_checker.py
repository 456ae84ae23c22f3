"""Check comparisons: preferences between two responses and orders of an item's responses."""

from __future__ import annotations

from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.checking.choice_cells import ChoiceCells, UnreadChoice, strength_of
from judgelab.imports.checking.orders import pairs_of, places_of
from judgelab.imports.checking.remarks import Remarks
from judgelab.imports.checking.response_index import ResponseIndex
from judgelab.imports.checking.score_names import NameResolver, ScoredRecord
from judgelab.imports.checking.text_checker import Place, TextChecker
from judgelab.imports.core.cells import is_missing, score_of
from judgelab.imports.core.codes import MissingScoreCodes
from judgelab.imports.core.records import ChoiceRecord, OrderRecord, RecordChunk, derived_id
from judgelab.store.rating.votes import NAMED_BOTH
from judgelab.store.transfer.records import (
    ItemRecord,
    JudgedPairRecord,
    PreferenceRecord,
    RankingRecord,
    RecordBatch,
    ResponseRecord,
)
from judgelab.wording import sentence

MAX_RANKED = 100  # responses of one item that a person can order


class ComparisonChecker:
    """Turns comparisons into records of known responses, and collects all problems.

    Args:
        index: the existing responses; grows with those that only comparisons name.
        naming: finds criteria and raters.
        texts: checks new responses.
        remarks: counts remarks for the notices.
        create_missing: whether to create responses without texts if only comparisons name them.
        missing: recognises cells without a choice.
        numbers: whether 1 and 2 have their usual meaning, the first and the second response.
    """

    def __init__(
        self,
        index: ResponseIndex,
        *,
        naming: NameResolver,
        texts: TextChecker,
        remarks: Remarks,
        create_missing: bool,
        missing: MissingScoreCodes,
        numbers: bool,
    ) -> None:
        self._index = index
        self._naming = naming
        self._texts = texts
        self._remarks = remarks
        self._create_missing = create_missing
        self._missing = missing
        self._cells = ChoiceCells(index, remarks, numbers=numbers)
        self._given: dict[tuple[Any, ...], tuple[Place, Any]] = {}
        self._asked: set[tuple[Any, ...]] = set()  # a file's codes without a meaning are reported once

    def check(self, chunk: RecordChunk, batch: RecordBatch) -> None:
        """Add the chunk's valid comparisons to the batch."""
        for choice in chunk.choices:
            rater = self._naming.stored_rater_name(choice.rater, self._remarks)
            self._check_choice(choice._replace(rater=rater), batch)
        for order in chunk.orders:
            rater = self._naming.stored_rater_name(order.rater, self._remarks)
            self._check_order(order._replace(rater=rater), batch)

    def _check_choice(self, record: ChoiceRecord, batch: RecordBatch) -> None:
        unread = self._missing(record.value)
        if unread and record.kind == "human":
            self._remarks.note("no choice")
            return
        key = self._criterion(record, record.kind)
        if key is None:
            return
        pair = [
            self._response(record, batch, name=name, text=text)
            for name, text in zip(record.names, record.texts, strict=True)
        ]
        first, second = pair
        if first is None or second is None:
            return
        if first == second:
            same = sentence(
                "both responses are '{response}'; a comparison needs two different ones", response=first
            )
            self._naming.add_problem(record, same, "response_b")
            return
        try:
            choice, strength = ("", 1) if unread else self._cells.choice(record, (first, second))
            shown = self._cells.shown_first(record, (first, second))
            unsaid = is_missing(record.strength)
            strength = strength if unsaid else strength_of(record.strength)
            confidence = None if is_missing(record.confidence) else score_of(record.confidence)
        except UnreadChoice as error:
            asked = (self._texts.place(None), record.column, error.asked)
            if record.numbers.usual or asked not in self._asked:
                self._naming.add_problem(record, error.args[0])
            self._asked.add(asked)
            return
        except InvalidInput as error:
            self._naming.add_problem(record, error.args[0])
            return
        chosen = {"a": first, "b": second, "tie": "tie", "": ""}[choice]
        if record.kind != "human":
            reason = sentence("the file has no choice") if unread else ""
            content = (choice, reason, shown, record.comment, confidence, record.rated_at)
            self._add_judged(record, batch, key, (first, second), content)
            return
        if confidence is not None:
            self._remarks.note("confidence")
        place = (record.item_id, frozenset((first, second)), key, record.rater)
        if not self._repeated(record, place, (chosen, strength), chosen):
            stored_strength = None if unsaid and strength == 1 else strength
            batch.preferences.append(
                PreferenceRecord(
                    *(record.item_id, first, second, key, record.rater, choice, stored_strength, shown),
                    *(record.comment, record.rated_at, record.row),
                )
            )

    def _add_judged(
        self,
        record: ChoiceRecord | OrderRecord,
        batch: RecordBatch,
        key: str,
        pair: tuple[str, str],
        content: Any,
    ) -> None:
        """Add a judge's choice; of two for the same pair in the same order, the last one counts."""
        item_id, (first, second) = record.item_id, pair
        choice, reason, shown, comment, confidence, judged_at = content
        place = (item_id, frozenset(pair), key, record.rater, {"a": first, "b": second, "": ""}[shown])
        before = self._given.get(place)
        if before is not None and before[1] == content:
            self._remarks.note("same")
            return
        if before is not None:
            self._remarks.note("again")
        self._given[place] = (self._texts.place(record.row), content)
        if reason:
            self._remarks.note("unscored")
        batch.judged_pairs.append(
            JudgedPairRecord(
                *(item_id, first, second, key, record.rater, choice, reason, shown, comment),
                *(confidence, judged_at, record.row),
            )
        )

    def _check_order(self, record: OrderRecord, batch: RecordBatch) -> None:
        if not any(record.tiers):
            self._remarks.note("no choice")
            return
        key = self._criterion(record, record.kind)
        if key is None:
            return
        if record.form == "best_worst":
            for name_voted in record.tiers[0] + record.tiers[1]:
                if self._response(record, batch, name=name_voted) is None:
                    return
        tiers = [[self._response(record, batch, name=name) for name in tier] for tier in record.tiers]
        names = [name for tier in tiers for name in tier]
        if None in names:
            return
        comment = record.comment
        if record.form == "best_worst":
            places, both = self._voted(record.item_id, tiers)
            if both:
                self._remarks.note("both")
                comment = "; ".join(filter(None, [comment, named_both(both)]))
        else:
            places = places_of(tiers)
        if len(places) < max(2, len(names) if record.form == "ranking" else 2):
            few = sentence("a ranking needs at least two responses, each named once; correct it")
            self._naming.add_problem(record, few)
            return
        if len(places) > MAX_RANKED:
            many = sentence(
                "{ranked} responses are ranked, more than the {most} allowed",
                ranked=len(places),
                most=MAX_RANKED,
            )
            self._naming.add_problem(record, many)
            return
        if record.kind != "human":
            for pair, choice in pairs_of(places, record.form):
                content = (choice, "", "", comment, None, record.rated_at)
                self._add_judged(record, batch, key, pair, content)
            return
        place = (record.item_id, key, record.rater)
        if not self._repeated(record, place, tuple(sorted(places.items())), sentence("a different order")):
            batch.rankings.append(
                RankingRecord(
                    *(record.item_id, key, record.rater, record.form, places, comment),
                    *(record.rated_at, record.row),
                )
            )

    def _criterion(self, record: ScoredRecord, kind: str) -> str | None:
        """Return the criterion, or None if the record cannot be stored, and add a problem."""
        if not self._naming.check_rater(record):
            return None
        if kind == "human":
            self._remarks.person(record.rater)
        key = self._naming.criterion(record)
        if key in self._naming.surveys:
            self._naming.surveys[key].compared = True
        return key

    def _response(
        self, record: ChoiceRecord | OrderRecord, batch: RecordBatch, *, name: str, text: str = ""
    ) -> str | None:
        """Return the id of the named response, which is created if the file has its text."""
        joined = self._index.named(record.item_id, name)
        if not joined.reason:
            return joined.response_id
        if not name:
            self._naming.add_problem(record, sentence("the row does not name the two responses compared"))
            return None
        if not (joined.missing and (text or self._create_missing)):
            self._naming.add_problem(record, joined.with_remedy())
            return None
        response_id = derived_id("r", text) if text else name
        system = "" if text else name
        response = ResponseRecord(record.item_id, response_id, system, text, {}, record.row)
        if not text:
            self._remarks.note("response")
            if record.item_id not in self._index:
                self._remarks.note("item")
                batch.items.append(ItemRecord(record.item_id, row=record.row))
        if self._texts.keep_response(response):
            batch.responses.append(response)
        return response_id

    def _voted(self, item_id: str, tiers: list[list[str | None]]) -> tuple[dict[str, int], list[str]]:
        """Return the ranks of an item's responses from best and worst votes, and those voted both."""
        best, worst = ({str(name) for name in tier} for tier in tiers)
        places = {name: 2 for name in self._index.responses(item_id)}
        places |= {name: 1 for name in best - worst} | {name: 3 for name in worst - best}
        return places, sorted(best & worst)

    def _repeated(self, record: ScoredRecord, place: tuple[Any, ...], content: Any, choice: str) -> bool:
        """Return whether the rater made this comparison before; a different choice is a problem."""
        before = self._given.get(place)
        if before is None:
            self._given[place] = (self._texts.place(record.row), content)
            return False
        if before[1] == content:
            self._remarks.note("same")
            return True
        message = sentence(
            "'{rater}' chose differently in {where} (here: {said}); keep one of the two",
            rater=record.rater,
            where=self._texts.earlier_place(before[0]),
            said=choice,
        )
        self._naming.add_problem(record, message)
        return True


def named_both(names: list[str]) -> str:
    """Return the comment on a vote that names responses both best and worst."""
    return f"{NAMED_BOTH}{', '.join(names)}"
