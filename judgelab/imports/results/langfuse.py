"""Langfuse: scores (API or export of the table), whose texts are in the observations of the same traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.domain import RaterKind
from judgelab.imports.core.cells import text_of
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.traces import (
    HUMAN,
    Sent,
    inside,
    latest_of_people,
    number_of,
    reason,
    result_of,
    without_texts,
)
from judgelab.wording import mark, sentence

PERSON, EVALUATOR = "ANNOTATION", "EVAL"  # all other scores were sent by programs
TEXTS = ("TEXT", "CORRECTION")  # types of what is no score
GENERATION = "GENERATION"
SCORED = frozenset(("trace", "observation"))
Entry = Mapping[str, Any]


@result_tools.register("langfuse")
class Langfuse(ResultTool):
    """Joins scores with observations by the trace, whose answer is that of its outermost observation.

    The file names neither people, who have ids, nor the models of evaluators.
    """

    title = "Langfuse"
    summary = mark("Scores of people, evaluators and programs, with the observations of their traces.")
    version = "5.0.4"
    examples = (
        Example(
            {
                "observations.jsonl": """{"id": "o1", "traceId": "t1", "type": "GENERATION",
 "input": [{"role": "user", "content": "Why?"}], "output": {"role": "assistant", "content": "It rains."},
 "metadata": {"item_id": "a", "reference": "Rain."}, "model": "red", "parentObservationId": null}
{"id": "o2", "traceId": "t2", "type": "GENERATION", "input": [{"role": "user", "content": "Who?"}],
 "output": "Bo.", "metadata": {}, "model": "red", "parentObservationId": null}
""".replace("\n ", " "),
                "scores.json": """{"data": [
{"id": "s1", "dataType": "NUMERIC", "value": 4.0, "name": "clear", "source": "EVAL", "comment": "ok",
 "subject": {"kind": "trace", "id": "t1"}, "configId": null, "authorUserId": null},
{"id": "s2", "dataType": "NUMERIC", "value": 5.0, "name": "clear", "source": "ANNOTATION",
 "subject": {"kind": "trace", "id": "t1"}, "configId": null, "authorUserId": "usr_1"},
{"id": "s3", "dataType": "NUMERIC", "value": 9, "name": "length", "source": "API",
 "subject": {"kind": "trace", "id": "t1"}, "configId": null, "authorUserId": null}]}""",
            },
            items=2,
            responses=2,
            human=1,
            judged=1,
            metrics=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a list of scores or of observations, or a table of them."""
        if file.head.lstrip()[:1] in (b"{", b"["):
            return (
                (file.mentions('"dataType"', '"source"') and _names_subject(file))
                or file.mentions('"traceId"', '"parentObservationId"')
                or file.mentions('"htmlPath"', '"input"', '"output"')
            )
        columns = set(file.columns)
        return {"traceId", "source", "name", "value"} <= columns or (
            {"traceId", "input", "output"} <= columns and bool({"type", "parentObservationId"} & columns)
        )

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield each score with the answer of its trace, and one result for an answer without any."""
        found = _Traces(files, notes)
        yield from latest_of_people(found.results(notes))


class _Traces:
    """The observations by trace, and the scores by their ids: two files may have one."""

    def __init__(self, files: Sequence[ResultFile], notes: Notes) -> None:
        self._observations: dict[str, list[tuple[int, Entry]]] = {}
        self._scores: dict[str, tuple[int, Entry]] = {}
        self._answers: dict[str, Result] = {}
        for file in files:
            for number, entry in file.entries(notes.problems):
                if "input" not in entry and "output" not in entry:
                    self._add_score(entry, number)
                    continue
                trace = text_of(entry.get("traceId") or entry.get("id"))
                self._observations.setdefault(trace, []).append((number, entry))
                for one in entry.get("observations") or ():
                    if isinstance(one, Mapping):
                        self._observations[trace].append((number, one))
                for one in entry.get("scores") or ():
                    if isinstance(one, Mapping):
                        self._add_score(one, number)

    def _add_score(self, entry: Entry, number: int) -> None:
        self._scores.setdefault(text_of(entry.get("id") or f"{number} {len(self._scores)}"), (number, entry))

    def results(self, notes: Notes) -> Iterator[Result]:
        """Yield the scores in the order of the files, then what nobody scored."""
        sent, nameless, scored = Sent(), set[str](), set[str]()
        for number, entry in self._scores.values():
            kind, trace, observation = _subject(entry)
            if kind not in SCORED:
                notes.leave_out(sentence("scores of sessions or experiments, not of a response"))
                continue
            answer = self._answer(trace, observation)
            if answer is None and trace in self._observations:
                notes.leave_out(sentence("scores of steps without an answer"))
                continue
            if answer is None:
                nameless.add(trace)
            scored.add(trace)
            score = _score(entry, sent, notes)
            yield (answer or Result(trace, number))._replace(score=score)
        for trace in self._observations:
            if trace not in scored:
                if (answer := self._answer(trace, "")) is None:
                    notes.leave_out(sentence("traces without an answer"))
                else:
                    yield answer
        if nameless:
            notes.said.append(without_texts(len(nameless)))
        notes.said.extend(sent.sentences())

    def _answer(self, trace: str, observation: str) -> Result | None:
        known = self._observations.get(trace, [])
        if observation:
            known = [(number, one) for number, one in known if text_of(one.get("id")) == observation]
        order = sorted(known, key=lambda one: _depth(one[1]))
        for number, one in order:
            answer = self._answers.setdefault(text_of(one.get("id")), self._result(trace, one, number))
            if answer.response:
                return answer
        return None

    def _result(self, trace: str, one: Entry, number: int) -> Result:
        models = [text_of(other.get("model")) for _, other in self._observations[trace] if other.get("model")]
        system = text_of(one.get("model")) or (models[-1] if models else "")
        asked, answer = inside(one.get("input")), inside(one.get("output"))
        about: dict[str, Any] = {}
        for _, other in sorted(self._observations[trace], key=lambda given: _depth(given[1])):
            about = {**_metadata(other), **about}
        about |= _metadata(one)
        return result_of(asked, answer, about, number, system=system)


def _names_subject(file: ResultFile) -> bool:
    return file.mentions('"subject"') or file.mentions('"traceId"')


def _depth(entry: Entry) -> tuple[bool, bool, bool]:
    """Return how far inside a trace this is: the trace itself, outermost steps, models asked."""
    inner = bool(text_of(entry.get("parentObservationId")))
    return "traceId" in entry, inner, entry.get("type") != GENERATION


def _metadata(entry: Entry) -> Mapping[str, Any]:
    found = inside(entry.get("metadata"))
    return found if isinstance(found, Mapping) else {}


def _subject(entry: Entry) -> tuple[str, str, str]:
    """Return what was scored, a trace or one of its observations, and the ids of both."""
    subject = entry.get("subject")
    if not isinstance(subject, Mapping):
        trace, observation = text_of(entry.get("traceId")), text_of(entry.get("observationId"))
        return ("observation" if observation else "trace" if trace else ""), trace, observation
    own, trace = text_of(subject.get("id")), text_of(subject.get("traceId") or entry.get("traceId"))
    if text_of(subject.get("kind")) == "observation":
        return "observation", trace or own, own
    return text_of(subject.get("kind")), own, ""


def _score(entry: Entry, sent: Sent, notes: Notes) -> Score | None:
    source, name = text_of(entry.get("source")).upper(), text_of(entry.get("name"))
    if text_of(entry.get("dataType")) in TEXTS:
        notes.leave_out(sentence("texts and corrections that are no scores"))
        return None
    value, comment = _value(entry), text_of(entry.get("comment"))
    kind: RaterKind = "human" if source == PERSON else "judge"
    if source not in (PERSON, EVALUATOR):
        kind = sent.kind_of(name, "metric")
    if value is None and kind != "judge":
        notes.leave_out(sentence("scores without a value"))
        return None
    if kind == "metric":
        return Score(name, kind, name, value, comment)
    rater = (text_of(entry.get("authorUserId")) or HUMAN) if kind == "human" else EVALUATOR
    if kind == "judge" and source != EVALUATOR:
        rater = name
    return Score(rater, kind, name, value, comment or reason(value), entry.get("timestamp"))


def _value(entry: Entry) -> Any:
    """Return the category of a categorical score, which may have a number, too; else the number."""
    value, words = entry.get("value"), entry.get("stringValue")
    if text_of(entry.get("dataType")) == "CATEGORICAL" and text_of(words):
        return words
    return number_of(value) if text_of(value) else number_of(words) if text_of(words) else None
