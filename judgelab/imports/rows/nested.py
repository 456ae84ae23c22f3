"""Read responses and ratings that are nested in a JSON row as lists of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgelab.domain import Problem, RaterKind
from judgelab.errors import InvalidInput
from judgelab.imports.core import fields
from judgelab.imports.core.cells import is_yes, list_of, name_of, text_of
from judgelab.imports.core.problems import ProblemLog, listing
from judgelab.imports.core.records import RecordChunk, ScoreRecord, derived_id
from judgelab.imports.core.times import time_of
from judgelab.store.transfer.records import ResponseRecord
from judgelab.wording import mark, sentence

_NAMES = ("response_id", "system", "rater", "criterion")
_OF_RESPONSES = frozenset({"text", "response", "response_id", "system", "ratings"})
_OF_RATINGS = frozenset(
    {
        *("rater", "rater_kind", "criterion", "score", "scores", "response_id", "system"),
        *("comment", "rated_at", "aggregate"),
    }
)
_RESPONSE = mark('a response must be a text or an object: {"system": ..., "text": ...}')
_RATING = mark('a rating must be an object: {"rater": ..., "score": ...}')


class NestedReader:
    """Adds nested responses and ratings to a chunk; unreadable ones become problems.

    Args:
        problems: the log for problems.
        rater_kind: the default kind of rater.
        kind_given: whether a person gave that kind; otherwise a key named after judges makes a judge.
        aggregate: whether human scores are means of several raters.
    """

    def __init__(
        self, problems: ProblemLog, *, rater_kind: RaterKind, kind_given: bool, aggregate: bool
    ) -> None:
        self.problems = problems
        self.rater_kind = rater_kind
        self._kind_given = kind_given
        self.unread: dict[str, None] = {}
        self.aggregate = aggregate

    def add_responses(self, responses: Any, chunk: RecordChunk, *, item_id: str, row: int) -> None:
        """Add the responses of an item with their ratings."""
        if isinstance(responses, Mapping):
            responses = [_system_entry(system, value) for system, value in responses.items()]
        for entry in list_of(responses):
            if entry is None:
                continue
            named = _by_field(entry) if isinstance(entry, Mapping) else {"text": entry}
            self._note_unread(named, "responses", _OF_RESPONSES)
            value = named.get("text", named.get("response"))
            text = text_of(value)
            given = name_of(named.get("response_id")) or name_of(named.get("system"))
            if self._has_bad_names(named, "responses", row):
                continue
            # A system may have answered nothing; without any key for it, the entry is an error.
            if not text and not (given and (value == "" or "ratings" in named)):
                self._problem(_RESPONSE, "responses", row)
                continue
            system, response_id = name_of(named.get("system")), given or derived_id("r", text)
            chunk.responses.append(ResponseRecord(item_id, response_id, system, text, {}, row))
            base = ScoreRecord(item_id, "", None, response_id=response_id, system=system, row=row)
            self.add_ratings(named.get("ratings"), chunk, base)

    def add_ratings(self, ratings: Any, chunk: RecordChunk, base: ScoreRecord) -> None:
        """Add ratings; `base` has the response for ratings that do not name it."""
        for entry in list_of(ratings):
            if not isinstance(entry, Mapping):
                self._problem(_RATING, "ratings", base.row)
                continue
            named = _by_field(entry)
            if self._scoreless(named, base.row) or self._has_bad_names(named, "ratings", base.row):
                continue
            self._note_unread(named, "ratings", _OF_RATINGS)
            judged = not self._kind_given and any(map(fields.is_judge_column, entry))
            chunk.scores += self._scores(named, base, kind="judge" if judged else self.rater_kind)

    def _note_unread(self, named: Mapping[str, Any], column: str, read: frozenset[str]) -> None:
        """Note the keys of an object that are not read."""
        self.unread.update(dict.fromkeys(f"{column}.{key}" for key in named if key not in read))

    def _scoreless(self, named: Mapping[str, Any], row: int | None) -> bool:
        """Return whether a rating has numbers but no score; if so, add a problem."""
        if {"score", "scores"} & named.keys():
            return False
        numbers = [
            key
            for key, value in named.items()
            if key not in _OF_RATINGS and isinstance(value, (int, float)) and not isinstance(value, bool)
        ]
        if numbers:
            message = sentence(
                "the rating has no score, but it has {keys}; write {example}, or leave the ratings out "
                "with --map ignored=COLUMN",
                keys=listing(numbers),
                example=f'{{"rater": ..., "scores": {{"{numbers[0]}": ...}}}}',
            )
            self._problem(message, "ratings", row)
        return bool(numbers)

    def _scores(
        self, named: Mapping[str, Any], base: ScoreRecord, *, kind: RaterKind
    ) -> Iterator[ScoreRecord]:
        scores = named.get("scores")
        by_criterion = scores if isinstance(scores, Mapping) else {named.get("criterion"): named.get("score")}
        kind = self._kind(named.get("rater_kind"), kind, base.row)
        rated_at = self._time(named.get("rated_at"), base.row)
        for criterion, value in by_criterion.items():
            yield base._replace(
                rater=name_of(named.get("rater")),
                value=value,
                kind=kind,
                criterion=name_of(criterion),
                response_id=name_of(named.get("response_id")) or base.response_id,
                system=name_of(named.get("system")) or base.system,
                comment=text_of(named.get("comment")),
                rated_at=rated_at,
                aggregate=self.aggregate or is_yes(named.get("aggregate")),
                column="ratings",
            )

    def _has_bad_names(self, named: Mapping[str, Any], column: str, row: int | None) -> bool:
        """Return whether a name is a list or an object; if so, add a problem."""
        bad = [name for name in _NAMES if isinstance(named.get(name), (list, tuple, Mapping))]
        for name in bad:
            message = sentence("the {field} must be one name, not a list or an object", field=name)
            self._problem(message, column, row)
        return bool(bad)

    def _kind(self, value: Any, default: RaterKind, row: int | None) -> RaterKind:
        try:
            return fields.rater_kind_of(text_of(value), default)
        except InvalidInput as error:
            self._problem(error.args[0], "ratings", row)
            return default

    def _time(self, value: Any, row: int | None) -> Any:
        try:
            return None if value is None else time_of(value)
        except InvalidInput as error:
            self._problem(error.args[0], "ratings", row)
            return None

    def _problem(self, message: str, column: str, row: int | None) -> None:
        self.problems.append(Problem(message, row=row, column=column))


def _system_entry(system: str, entry: Any) -> Mapping[str, Any]:
    return {"system": system, **entry} if isinstance(entry, Mapping) else {"system": system, "text": entry}


def _by_field(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry by field: "annotator" is the rater; a field's exact name takes precedence."""
    exact = {key: value for key, value in entry.items() if fields.is_field(key)}
    return {**{fields.recognise(key) or key: value for key, value in entry.items()}, **exact}
