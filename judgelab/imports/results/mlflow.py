"""MLflow: assessments of traces, as `search_traces` gives them (JSON, CSV) or in a list of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgelab.imports.core.cells import text_of
from judgelab.imports.core.fields import recognise
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

PERSON, JUDGES = "HUMAN", ("LLM_JUDGE", "AI_JUDGE")  # all others are programs
UNNAMED = "default"  # what MLflow writes for a source without a name
REFERENCES = ("expected_response", "expected_answer", "expected_output")
Assessment = Mapping[str, Any]


@dataclass
class _Trace:
    result: Result | None = None
    row: int = 0
    assessments: dict[str, Assessment] = field(default_factory=dict)  # by their ids: two files may have one


@result_tools.register("mlflow")
class MLflow(ResultTool):
    """Reads each assessment as the score of its source; a judge's score that was overridden is kept.

    A judge that failed is filed as a program under the same name; it is read as unscored.
    """

    title = "MLflow"
    summary = mark("Assessments of traces by people, judges and programs.")
    version = "3.17.2"
    examples = (
        Example(
            {
                "traces.json": """[{"info": {"trace_id": "tr-1", "trace_metadata": {}, "assessments": [
{"assessment_id": "a1", "assessment_name": "clear", "trace_id": "tr-1", "valid": false,
 "source": {"source_type": "LLM_JUDGE", "source_id": "x:/owl"}, "feedback": {"value": 2.0}},
{"assessment_id": "a2", "assessment_name": "clear", "trace_id": "tr-1", "valid": true, "overrides": "a1",
 "source": {"source_type": "HUMAN", "source_id": "Ada"}, "feedback": {"value": 4.0}, "rationale": "kind"},
{"assessment_id": "a3", "assessment_name": "expected_response", "trace_id": "tr-1",
 "source": {"source_type": "HUMAN", "source_id": "root"}, "expectation": {"value": "Rain."}}]},
"data": {"spans": [{"name": "predict", "parent_span_id": null, "attributes": {
 "mlflow.spanInputs": "{\\"question\\": \\"Why?\\", \\"item_id\\": \\"a\\", \\"system\\": \\"red\\"}",
 "mlflow.spanOutputs": "\\"It rains.\\""}}]}},
{"info": {"trace_id": "tr-2", "trace_metadata": {"mlflow.traceInputs": "{\\"question\\": \\"Who?\\"}",
 "mlflow.traceOutputs": "\\"Bo.\\""}, "assessments": [
{"assessment_id": "a4", "assessment_name": "clear", "trace_id": "tr-2",
 "source": {"source_type": "CODE", "source_id": "clear"},
 "feedback": {"value": null, "error": {"error_message": "no JSON"}}},
{"assessment_id": "a5", "assessment_name": "length", "trace_id": "tr-2",
 "source": {"source_type": "CODE", "source_id": "length"}, "feedback": {"value": 3}}]}}]"""
            },
            items=2,
            responses=2,
            human=1,
            judged=2,
            metrics=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a list of traces or of assessments, or the table of `search_traces`."""
        if file.head.lstrip()[:1] in (b"{", b"["):
            return file.mentions('"assessment_name"', '"source_type"', '"source"') or file.mentions(
                '"trace_id"', '"trace_metadata"'
            )
        columns = set(file.columns)
        return {"trace_id", "trace_metadata", "request", "response"} <= columns or (
            {"request_id", "request", "response", "spans", "tags"} <= columns  # before version 3
        )

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield the scores of each trace, and one result for a trace without any."""
        yield from latest_of_people(_results(_traces(files, notes), notes))


def _traces(files: Sequence[ResultFile], notes: Notes) -> dict[str, _Trace]:
    traces: dict[str, _Trace] = {}
    for file in files:
        for number, entry in file.entries(notes.problems):
            whole = _whole(entry)
            info = whole.get("info") or entry
            trace = traces.setdefault(text_of(info.get("trace_id") or info.get("request_id")), _Trace())
            if "assessment_name" in entry:
                found = [entry]
                trace.row = trace.row or number
            else:
                given = inside(info.get("assessments") or [])
                found = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
                trace.result = trace.result or _result(whole, info, number)
            for place, one in enumerate(found):
                trace.assessments.setdefault(text_of(one.get("assessment_id") or f"{number} {place}"), one)
    return traces


def _whole(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the trace itself, which a table has as JSON in a cell, beside parts of it as Python."""
    found = inside(entry.get("trace"))
    return found if isinstance(found, Mapping) else entry


def _result(trace: Mapping[str, Any], info: Mapping[str, Any], number: int) -> Result:
    spans = inside((trace.get("data") or {}).get("spans") or trace.get("spans") or [])
    root = next((one for one in spans if isinstance(one, Mapping) and not one.get("parent_span_id")), {})
    attributes = root.get("attributes") or {}
    about = inside(info.get("trace_metadata") or {})
    asked, answer = (
        # The previews and metadata of a trace are cut off.
        _first(
            attributes.get(f"mlflow.span{way}"), trace.get(column), about.get(f"mlflow.trace{way}"), preview
        )
        for way, column, preview in (
            ("Inputs", "request", info.get("request_preview")),
            ("Outputs", "response", info.get("response_preview")),
        )
    )
    tags = inside(info.get("tags") or {})
    own = {**about, **tags} if isinstance(tags, Mapping) else about
    known = {key: value for key, value in own.items() if not key.startswith("mlflow.")}
    return result_of(inside(asked), inside(answer), known, number, system=_model(spans))


def _model(spans: Sequence[Any]) -> str:
    """Return the model that the last step asked, if any step names one."""
    names = [
        text_of(inside(attributes.get("mlflow.llm.model")))
        for one in spans
        if isinstance(one, Mapping) and isinstance(attributes := one.get("attributes"), Mapping)
    ]
    return next(filter(None, reversed(names)), "")


def _first(*values: Any) -> Any:
    return next((value for value in values if value not in (None, "")), None)


def _results(traces: Mapping[str, _Trace], notes: Notes) -> Iterator[Result]:
    judges = Judges()
    for trace in traces.values():
        for one in trace.assessments.values():
            if _source(one)[0] in JUDGES:
                judges.add(text_of(one.get("assessment_name")), _judge(one))
    without = 0
    for name, trace in traces.items():
        given = list(trace.assessments.values())
        if trace.result is None:
            without += 1
        elif not trace.result.response:
            notes.leave_out(sentence("traces without an answer"))
            continue
        result = trace.result or Result(name, trace.row)
        if not result.reference:
            result = result._replace(reference=_reference(given, notes))
        scores = [score for one in given if "feedback" in one for score in _score(one, given, judges, notes)]
        for score in scores:
            yield result._replace(score=score)
        if not scores:
            yield result
    if without:
        notes.said.append(without_texts(without))


def _score(one: Assessment, given: Sequence[Assessment], judges: Judges, notes: Notes) -> Iterator[Score]:
    kind, source = _source(one)
    name, value = text_of(one.get("assessment_name")), number_of((one.get("feedback") or {}).get("value"))
    comment, at = text_of(one.get("rationale")), one.get("create_time")
    failed = _error(one)
    if isinstance(value, (list, Mapping)):
        notes.leave_out(sentence("scores that are lists or objects"))
    elif kind == PERSON:
        if value is None:
            notes.leave_out(sentence("scores without a value"))
        elif one.get("overrides") and any(_rated_alone(other, one) for other in given):
            notes.leave_out(
                sentence("corrections of a score by people who had rated the response themselves")
            )
        else:
            yield Score(source or HUMAN, "human", name, value, comment, at)
    elif kind in JUDGES or (failed and value is None and judges.score(name)):
        judge = _judge(one) if kind in JUDGES else judges.name(name)
        yield Score(judge, "judge", name, None if failed else value, failed or comment or reason(value), at)
    elif value is None:
        notes.leave_out(sentence("metrics without a value"))
    else:
        yield Score(name, "metric", name, value, comment)


def _rated_alone(other: Assessment, override: Assessment) -> bool:
    return (
        "feedback" in other
        and not other.get("overrides")
        and other.get("valid", True)
        and _source(other) == _source(override)
        and other.get("assessment_name") == override.get("assessment_name")
    )


def _reference(given: Sequence[Assessment], notes: Notes) -> str:
    found = ""
    for one in given:
        if "expectation" not in one:
            continue
        name, value = text_of(one.get("assessment_name")), (one.get("expectation") or {}).get("value")
        if isinstance(value, str) and not found and (name in REFERENCES or recognise(name) == "reference"):
            found = value
        else:
            notes.leave_out(sentence("expectations other than an expected response"))
    return found


def _source(one: Assessment) -> tuple[str, str]:
    source = one.get("source") or {}
    name = text_of(source.get("source_id"))
    return text_of(source.get("source_type")), "" if name == UNNAMED else name


def _judge(one: Assessment) -> str:
    return _source(one)[1] or text_of(one.get("assessment_name"))


def _error(one: Assessment) -> str:
    error = (one.get("feedback") or {}).get("error")
    if isinstance(error, Mapping):
        return text_of(error.get("error_message") or error.get("error_code"))
    return text_of(error)
