"""Argilla exports: records with fields, and each person's responses to questions about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from judgelab.imports.core.cells import text_of
from judgelab.imports.core.fields import recognise
from judgelab.imports.tools.base import Tool, tools
from judgelab.imports.tools.sheet import Annotator, Answer, SheetBuilder, join_texts
from judgelab.wording import mark, sentence


class _PersonAnswer(NamedTuple):
    """One person's value for one question."""

    annotator: Annotator
    question: str
    value: Any


@tools.register("argilla")
class Argilla(Tool):
    """Reads rating, label and ranking questions by person; text questions become the comment.

    Suggestions are a judge's. A ranking orders fields of the record, which become the item's responses with
    the fields' names. Multiple labels, spans and answers that were not submitted are counted and left out.
    """

    title = "Argilla"
    summary = mark(
        "Ratings, labels and rankings by rater; suggestions are imported as judges; answers with several "
        "labels are not imported."
    )
    marks = (b'"fields"',)

    def recognises(self, entry: Mapping[str, Any]) -> bool:
        """Return whether this is a record with fields and responses or suggestions."""
        fields = entry.get("fields")
        answers = {"responses", "suggestions"} & entry.keys()
        return isinstance(fields, Mapping) and bool(fields) and bool(answers) and "item_id" not in entry

    def add(self, entry: Mapping[str, Any], sheet: SheetBuilder, *, number: int, file: str) -> None:
        """Add each person's answers about the record."""
        fields = {key: value for key, value in entry["fields"].items() if isinstance(value, str)}
        about, unread = _described(entry.get("metadata"))
        for key in [*(entry["fields"].keys() - fields.keys()), *(["metadata"] if unread else [])]:
            sheet.leave_out(sentence("fields '{name}'", name=key))
        item = about.pop("item_id", "") or text_of(entry.get("external_id") or entry.get("id") or number)
        by_person: dict[str, tuple[Annotator, dict[tuple[str, Answer], Any], list[Any]]] = {}
        ranked: set[str] = set()
        for annotator, question, value in _all_answers(entry, sheet):
            _, answers, comments = by_person.setdefault(annotator.name, (annotator, {}, []))
            order = _order(value, fields)
            if order:
                ranked |= {name for tier in order for name in tier}
                answers[question, "ranking"] = order
            elif isinstance(value, list):
                sheet.leave_out(sentence("answers with several labels or spans"))
            elif isinstance(value, str) and (len(value) > 60 or "\n" in value):
                comments.append(value)
            elif value is not None:
                answers[question, "score"] = value
        data: dict[str, Any] = {key: value for key, value in fields.items() if key not in ranked} | about
        if "answer" in data and "response" not in map(recognise, data):
            data["response"] = data.pop("answer")  # people rate what they are shown
        if ranked:
            data["responses"] = [{"system": name, "text": fields[name]} for name in fields if name in ranked]
        for annotator, answers, comments in by_person.values():
            if answers:
                sheet.add(number, item, data, annotator._replace(comment=join_texts(comments)), answers)


def _described(metadata: Any) -> tuple[dict[str, str], bool]:
    """Return the item and system that metadata name, and whether they hold more than that."""
    about: dict[str, str] = {}
    for key, value in metadata.items() if isinstance(metadata, Mapping) else ():
        if recognise(key) in ("item_id", "system") and value is not None:
            about.setdefault(recognise(key) or "", text_of(value))
    return about, bool(metadata) and (not isinstance(metadata, Mapping) or len(about) < len(metadata))


def _all_answers(entry: Mapping[str, Any], sheet: SheetBuilder) -> Iterator[_PersonAnswer]:
    responses, suggestions = entry.get("responses"), entry.get("suggestions")
    if isinstance(responses, Mapping):  # by question, since version 2
        for question, answers in responses.items():
            for answer in answers or ():
                if _is_submitted(answer, sheet):
                    yield _PersonAnswer(
                        Annotator(text_of(answer.get("user_id"))), question, answer.get("value")
                    )
    for answer in responses if isinstance(responses, list) else ():  # by person, version 1
        if _is_submitted(answer, sheet):
            annotator = Annotator(text_of(answer.get("user_id")), at=answer.get("updated_at"))
            for question, value in (answer.get("values") or {}).items():
                yield _PersonAnswer(
                    annotator, question, value.get("value") if isinstance(value, Mapping) else value
                )
    if isinstance(suggestions, Mapping):
        suggestions = [
            {"question_name": name, **suggestion} for name, suggestion in suggestions.items() if suggestion
        ]
    for suggestion in suggestions or ():
        annotator = Annotator(text_of(suggestion.get("agent")) or "suggestion", "judge")
        yield _PersonAnswer(annotator, text_of(suggestion.get("question_name")), suggestion.get("value"))


def _is_submitted(answer: Mapping[str, Any], sheet: SheetBuilder) -> bool:
    if answer.get("status") in (None, "submitted"):
        return True
    sheet.leave_out(sentence("{status} answers", status=str(answer["status"])))
    return False


def _order(value: Any, fields: Mapping[str, str]) -> list[list[str]]:
    """Return a ranking as tiers, best first; empty if the value is not a ranking."""
    if not isinstance(value, list) or len(value) < 2:
        return []
    if all(isinstance(entry, Mapping) and "rank" in entry for entry in value):
        tiers: dict[float, list[str]] = {}
        for entry in value:
            tiers.setdefault(float(entry["rank"] or 0), []).append(text_of(entry.get("value")))
        order = [tiers[rank] for rank in sorted(tiers)]
    else:
        order = [[text_of(entry)] for entry in value]
    return order if all(name in fields for tier in order for name in tier) else []
