"""Phoenix: annotations and evaluations of spans (CSV, JSON, Parquet), with the spans themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.domain import RaterKind
from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.fields import AMBIGUOUS, recognise
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.traces import (
    HUMAN,
    Judges,
    inside,
    latest_of_people,
    number_of,
    reason,
    result_of,
    without_texts,
)
from judgelab.wording import mark, sentence

KINDS: Mapping[str, RaterKind] = {"human": "human", "llm": "judge"}  # all others are programs
SPAN = "context.span_id"
VALUE, DETAILS = "_score", "_execution_details"  # the ends of the columns of an evaluation
Entry = Mapping[str, Any]


class _Given(NamedTuple):
    """An annotation, or an evaluation of a span."""

    span: str
    row: int
    name: str
    kind: RaterKind
    rater: str
    value: Any
    comment: str
    at: Any = None


@result_tools.register("phoenix")
class Phoenix(ResultTool):
    """Joins annotations with spans by the span; evaluations have their texts with them, too.

    The person is in `identifier`, the judge's model in the metadata. A judge that failed has no annotation,
    but an evaluation without a score and with the errors.
    """

    title = "Phoenix"
    summary = mark("Annotations of spans by people, judges and programs, and evaluations, with the spans.")
    version = "20.26.1"
    examples = (
        Example(
            {
                "spans.json": """[{"name": "answer", "parent_id": null, "context.span_id": "s1",
"context.trace_id": "t1", "attributes.llm.model_name": "red", "attributes.metadata": {"item_id": "a"},
"attributes.input.value": "Why?", "attributes.output.value": "It rains."},
{"name": "answer", "parent_id": null, "context.span_id": "s2", "context.trace_id": "t2",
"attributes.llm.model_name": "red", "attributes.metadata": {"item_id": "b"},
"attributes.input.value": "{\\"messages\\": [{\\"role\\": \\"user\\", \\"content\\": \\"Who?\\"}]}",
"attributes.output.value": "{\\"choices\\": [{\\"message\\": {\\"content\\": \\"Bo.\\"}}]}"}]""",
                "annotations.csv": """span_id,annotation_name,annotator_kind,metadata,identifier,\
result.label,result.score,result.explanation
s1,clear,HUMAN,{},Ada,good,5.0,
s1,clear,LLM,"{'model': 'owl', 'direction': 'maximize'}",,good,4.0,"It's good"
s1,length,CODE,{},,,9.0,
""",
                "evals.csv": """context.span_id,question,answer,clear_execution_details,clear_score
s2,Who?,Bo.,"{'status': 'FAILED', 'exceptions': [""BadRequestError('400')""]}",
""",
            },
            items=2,
            responses=2,
            human=1,
            judged=2,
            metrics=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this has spans, annotations of spans, or evaluations beside the ids of spans."""
        if file.head.lstrip()[:1] in (b"{", b"["):
            return (
                file.mentions('"annotator_kind"', '"span_id"')
                or file.mentions(f'"{SPAN}"')
                or file.mentions('"span_kind"', '"span_id"', '"attributes"')
            )
        columns = set(file.columns)
        return SPAN in columns or {"span_id", "annotator_kind"} <= columns

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield each annotation with its span, and one result for an answer without any."""
        spans, given = _Spans(), list[_Given]()
        for file in files:
            for number, entry in file.entries(notes.problems):
                if "annotator_kind" in entry:
                    given.append(_annotation(entry, number))
                elif evaluated := list(_evaluations(entry, number)):
                    given.extend(evaluated)
                    spans.add_texts(entry, number)
                else:
                    spans.add(entry, number)
        # Of several failures of a judge, the one that says why comes first; evaluations precede annotations.
        given.sort(key=lambda one: (one.at is not None, not one.comment and is_missing(one.value)))
        yield from latest_of_people(_results(spans, _named(given), notes))


class _Spans:
    """The answers of spans, by their ids."""

    def __init__(self) -> None:
        self._spans: dict[str, Result] = {}
        self._texts: dict[str, Result] = {}
        self._traces: dict[
            str, list[tuple[bool, str]]
        ] = {}  # whether a span is inside another one, and its id

    def add(self, entry: Entry, number: int) -> None:
        """Add a span; two files may have the same one."""
        span, trace = _context(entry, "span_id"), _context(entry, "trace_id")
        if span in self._spans:
            return
        asked, answer = (inside(_attribute(entry, f"{way}.value")) for way in ("input", "output"))
        asked = asked or _messages(_attribute(entry, "llm.input_messages"))
        answer = answer or _messages(_attribute(entry, "llm.output_messages"))
        about, model = inside(_attribute(entry, "metadata")), text_of(_attribute(entry, "llm.model_name"))
        self._spans[span] = result_of(asked, answer, about, number, system=model)
        self._traces.setdefault(trace or span, []).append((not is_missing(entry.get("parent_id")), span))

    def add_texts(self, row: Entry, number: int) -> None:
        """Add the texts beside an evaluation, for a span that is in none of the files."""
        names = [name for name in row if name != SPAN and not name.endswith((VALUE, DETAILS))]
        own = next((name for name in names if recognise(name) == "response"), None)
        answer = own or next((name for name in names if name in AMBIGUOUS), None)
        if answer is not None:
            asked = {name: row[name] for name in names if name != answer}
            self._texts.setdefault(text_of(row[SPAN]), result_of(asked, row[answer], None, number))

    def answer(self, span: str) -> Result | None:
        """Return the answer of a span, or None if it is in none of the files."""
        return self._spans.get(span) or self._texts.get(span)

    def others(self, scored: set[str], notes: Notes) -> Iterator[Result]:
        """Yield the answers of the traces in which nothing was scored."""
        for spans in self._traces.values():
            left = sorted(spans)
            if not any(span in scored for _, span in spans):
                answer = self._spans[left[0][1]]
                if answer.response:
                    yield answer
                else:
                    notes.leave_out(sentence("traces without an answer"))
                left = left[1:]
            if n := sum(span not in scored for _, span in left):
                notes.leave_out(sentence("steps of traces that nobody scored"), n)


def _context(entry: Entry, key: str) -> str:
    context = entry.get("context")
    return text_of(context.get(key) if isinstance(context, Mapping) else entry.get(f"context.{key}"))


def _attribute(entry: Entry, path: str) -> Any:
    found = entry.get(f"attributes.{path}")
    attributes = inside(entry.get("attributes"))
    if not is_missing(found) or not isinstance(attributes, Mapping):
        return found
    if path in attributes:
        return attributes[path]
    for step in path.split("."):
        attributes = attributes.get(step) if isinstance(attributes, Mapping) else None
    return attributes


def _messages(cell: Any) -> list[dict[str, Any]]:
    """Return messages as other tools write them: {"message.role": …} is {"role": …}."""
    found = []
    for one in inside(cell) or []:
        message = one.get("message") if isinstance(one, Mapping) else None
        if isinstance(message, Mapping):
            found.append(dict(message))
        elif isinstance(one, Mapping):
            found.append({key.removeprefix("message."): value for key, value in one.items()})
    return found


def _annotation(entry: Entry, number: int) -> _Given:
    result = entry.get("result")
    parts = result if isinstance(result, Mapping) else {}
    label, score, comment = (
        parts.get(key, entry.get(f"result.{key}", entry.get(key)))
        for key in ("label", "score", "explanation")
    )
    kind = KINDS.get(text_of(entry["annotator_kind"]).lower(), "metric")
    person = text_of(entry.get("identifier")) or text_of(entry.get("user_id"))
    return _Given(
        text_of(entry.get("span_id") or entry.get(SPAN)),
        number,
        text_of(entry.get("annotation_name") or entry.get("name")),
        kind,
        (person or HUMAN) if kind == "human" else _model(entry.get("metadata")) or person,
        label if is_missing(score) and not is_missing(label) else number_of(score),
        text_of(comment),
        entry.get("updated_at") or entry.get("created_at"),
    )


def _evaluations(row: Entry, number: int) -> Iterator[_Given]:
    for column in row:
        name = column.removesuffix(DETAILS)
        if not column.endswith(DETAILS) or f"{name}{VALUE}" not in row:
            continue
        score, details = inside(row[f"{name}{VALUE}"]), inside(row[column])
        if not isinstance(score, Mapping):
            found = details.get("exceptions") if isinstance(details, Mapping) else None
            failed = text_of(found[-1]) if isinstance(found, list) and found else ""
            yield _Given(text_of(row[SPAN]), number, name, "judge", "", None, failed)
            continue
        kind = KINDS.get(text_of(score.get("kind")).lower(), "metric")
        value = score.get("score")
        yield _Given(
            text_of(row[SPAN]),
            number,
            text_of(score.get("name")) or name,
            kind,
            HUMAN if kind == "human" else _model(score.get("metadata")),
            score.get("label") if is_missing(value) else value,
            text_of(score.get("explanation")),
        )


def _model(metadata: Any) -> str:
    about = inside(metadata)
    return text_of(about.get("model")) if isinstance(about, Mapping) else ""


def _named(given: Sequence[_Given]) -> Iterator[_Given]:
    """Yield what was given; a judge without a name is the only one of its annotations, or has their name."""
    judges = Judges()
    for one in given:
        if one.kind == "judge":
            judges.add(one.name, one.rater)
    for one in given:
        if one.kind == "metric":
            yield one._replace(rater=one.name)
        else:
            yield one if one.rater else one._replace(rater=judges.name(one.name))


def _results(spans: _Spans, given: Iterator[_Given], notes: Notes) -> Iterator[Result]:
    scored, nameless = set[str](), set[str]()
    for one in given:
        scored.add(one.span)
        value = None if is_missing(one.value) else one.value
        if value is None and one.kind != "judge":
            notes.leave_out(sentence("scores without a value"))
            continue
        answer = spans.answer(one.span)
        if answer is None:
            nameless.add(one.span)
        elif not answer.response:
            notes.leave_out(sentence("scores of steps without an answer"))
            continue
        comment = one.comment or (reason(value) if one.kind == "judge" else "")
        score = Score(one.rater, one.kind, one.name, value, comment, one.at)
        yield (answer or Result(one.span, one.row))._replace(score=score)
    yield from spans.others(scored, notes)
    if nameless:
        notes.said.append(without_texts(len(nameless)))
