"""Opik: traces with feedback scores, as `search_traces` gives them or `opik export` writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab import literals
from judgelab.imports.core.cells import text_of
from judgelab.imports.files.sources import Unreadable
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import is_judge_name
from judgelab.imports.results.traces import HUMAN, result_of
from judgelab.wording import mark, sentence

PERSON, RULE = "ui", "online_scoring"  # the sources of a person's score and of a judge's; "sdk" is either
# In a cell of a table, which is Python: datetime.datetime(2026, 11, 3, 10, 0, tzinfo=datetime.timezone.utc)
TIMES = re.compile(r"datetime\.datetime\(((?:\d+, )*\d+)((?:[^()]|\([^()]*\))*)\)")


@result_tools.register("opik")
class Opik(ResultTool):
    """Reads what each author gave: the score on top is the mean over authors, which nobody said."""

    title = "Opik"
    summary = mark("Feedback scores of people, judges and programs for each trace.")
    version = "2.2.122"
    examples = (
        Example(
            {
                "search_traces.json": """[{"id": "t1", "project_id": "p", "input": {"question": "Why?"},
"output": {"answer": "It rains."}, "metadata": {"item_id": "a", "model": "red"}, "feedback_scores": [
 {"name": "clear", "value": 4.5, "source": "ui", "value_by_author": {
  "Ada": {"value": 5, "source": "ui"}, "Bo": {"value": 4, "source": "ui"}}},
 {"name": "clear_judge", "value": 3, "source": "online_scoring", "created_by": "admin", "reason": "ok",
  "value_by_author": {"admin": {"value": 2, "source": "online_scoring"},
   "Ada": {"value": 4, "source": "ui", "reason": "corrected"}}},
 {"name": "length", "value": 9, "source": "sdk"}]},
{"id": "t2", "project_id": "p", "input": {"messages": [{"role": "user", "content": "Who?"}]},
"output": {"messages": [{"role": "assistant", "content": "Bo."}]}, "metadata": {"model": "red"},
"feedback_scores": null}]"""
            },
            items=2,
            responses=2,
            human=3,
            judged=1,
            metrics=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this holds traces with feedback scores: JSON, or the table of an export."""
        if file.head.lstrip()[:1] in (b"{", b"["):
            return file.mentions('"feedback_scores"', '"project_id"', '"input"', '"output"')
        return {"trace_id", "trace_project_id", "trace_feedback_scores"} <= set(file.columns)

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield the scores of each trace, and one result for a trace without any."""
        for file in files:
            for number, trace, spans in _traces(file, notes):
                result = _result(trace, number, spans)
                if not result.response:
                    notes.leave_out(sentence("traces without an answer"))
                    continue
                if scored := trace.get("span_feedback_scores"):
                    notes.leave_out(sentence("scores of spans within traces"), len(scored))
                scores = [
                    score for given in trace.get("feedback_scores") or [] for score in _scores(given, notes)
                ]
                for score in scores:
                    yield result._replace(score=score)
                if not scores:
                    yield result


def _traces(file: ResultFile, notes: Notes) -> Iterator[tuple[int, Mapping[str, Any], Sequence[Any]]]:
    """Yield the place, trace and spans of each trace in a file."""
    if file.columns:
        for number, row in file.rows(notes.problems):
            if text_of(row.get("trace_id")):  # further rows of a trace are its spans
                yield number, _of_row(row), ()
        return
    for number, entry in file.objects(notes.problems):
        trace = entry.get("trace")
        if isinstance(trace, Mapping):
            yield number, trace, entry.get("spans") or ()
        else:
            yield number, entry, ()


def _of_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a trace whose columns an export has put side by side: trace_input_question."""
    trace: dict[str, Any] = {"feedback_scores": _listed(row.get("trace_feedback_scores"))}
    for part in ("input", "output", "metadata"):
        prefix = f"trace_{part}"
        inside = {key.removeprefix(f"{prefix}_"): row[key] for key in row if key.startswith(f"{prefix}_")}
        trace[part] = inside or row.get(prefix)
    return trace


def _listed(cell: Any) -> Any:
    text = text_of(cell).strip()
    if not text:
        return []
    try:
        return literals.literal_value(TIMES.sub(_quoted_time, text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise Unreadable(
            sentence("the feedback scores of a trace cannot be read; export the traces as JSON")
        ) from None


def _quoted_time(found: re.Match[str]) -> str:
    if not found[2].endswith("timezone.utc"):
        return "None"
    parts = [*map(int, found[1].split(", ")), 0, 0, 0]
    return repr("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}+00:00".format(*parts))


def _result(trace: Mapping[str, Any], number: int, spans: Sequence[Any]) -> Result:
    models = [text_of(span.get("model")) for span in spans if isinstance(span, Mapping) and span.get("model")]
    return result_of(
        trace.get("input"),
        trace.get("output"),
        trace.get("metadata"),
        number,
        item=text_of(trace.get("dataset_item_id")),
        system=models[-1] if models else "",
    )


def _scores(given: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
    name = text_of(given.get("name"))
    by_author = given.get("value_by_author") or {}
    entries = list(by_author.items()) or [(given.get("created_by") or "", given)]
    for author, one in entries:
        source = text_of(one.get("source") or given.get("source")).lower()
        rater, kind = text_of(one.get("author") or author), _kind(source, name)
        value, comment = one.get("value"), text_of(one.get("reason"))
        if value is None:
            value = one.get("category_name")
        if kind == "judge":
            yield Score(name, kind, name, value, comment, one.get("last_updated_at"))
        elif value is None:
            notes.leave_out(sentence("scores without a value"))
        elif kind == "metric":
            yield Score(name, kind, name, value, comment)
        else:
            yield Score(rater or HUMAN, kind, name, value, comment, one.get("last_updated_at"))


def _kind(source: str, name: str) -> Any:
    if source == PERSON:
        return "human"
    return "judge" if source == RULE or is_judge_name(name) else "metric"
