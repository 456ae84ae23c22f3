"""Ragas: the table of an evaluation (`to_pandas`, as CSV or JSON), and annotations of its metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from judgelab.imports.core.cells import is_missing, list_of, text_of
from judgelab.imports.core.fields import recognise
from judgelab.imports.core.records import derived_id
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import answer_text, conversation_text
from judgelab.wording import joined, mark, sentence

HUMAN, JUDGE = "human", "ragas LLM"  # the files name neither
TEXTS = frozenset(
    (
        *("user_input", "response", "reference", "retrieved_contexts", "reference_contexts", "rubrics"),
        *("retrieved_context_ids", "reference_context_ids", "reference_tool_calls", "reference_topics"),
        *("persona_name", "query_style", "query_length", "synthesizer_name", "multi_responses"),
    )
)
# Metrics that are computed without a judge; names go on with a mode: "rouge_score(mode=fmeasure)".
COMPUTED = (
    *("bleu", "rouge", "chrf", "exact_match", "string_present", "non_llm_", "semantic_similarity"),
    *("tool_call_", "data_compare", "datacompy", "quoted_spans", "id_based_"),
)
LONGEST_LABEL, MOST_LABELS = 40, 10  # of a metric whose values are words
NAMES = re.compile(r"^ragas[_-]+|[_-]+ragas$", re.IGNORECASE)


class _Row(NamedTuple):
    result: Result
    cells: Mapping[str, Any]


@result_tools.register("ragas")
class Ragas(ResultTool):
    """Reads each metric of a table as a judge's or computed, and annotations as a person's score beside it.

    Neither shape has ids or names of systems: items meet by their questions, tables are named after their
    files, and an annotation belongs to the system whose table has the same response.
    """

    title = "Ragas"
    summary = mark("Metrics of each sample, and people's annotations of them.")
    version = "0.4.3"
    examples = (
        Example(
            {
                "ragas_red.csv": """user_input,retrieved_contexts,response,reference,clear,rouge_score(mode=f)
Why?,"['Clouds.', 'Wind.']",It rains.,Rain.,0.5,0.1
Who?,[],Bo.,Bo,,1.0
""",
                "annotations.json": """{"clear": [{"metric_input": {"user_input": "Why?",
"response": "It rains.", "reference": "Rain."}, "metric_output": 0.5,
"prompts": {"one": {"prompt_output": {"reason": "ok"},
"edited_output": {"reason": "unclear"}}}, "is_accepted": false, "target": 0.25}]}""",
            },
            items=2,
            responses=2,
            human=1,
            judged=2,
            metrics=2,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a table of user input, responses and metrics, or annotations of these."""
        start = file.head.lstrip()[:1]
        if start == b"{" and file.mentions('"metric_input"', '"metric_output"', '"is_accepted"'):
            return True
        if start in (b"{", b"["):
            return file.mentions('"user_input"', '"response"') and not file.mentions('"rater"')
        columns = set(file.columns)
        named = {recognise(name) for name in columns - TEXTS}
        return {"user_input", "response"} <= columns and not named & {"rater", "score", "criterion", "system"}

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield annotations first, which have reasons, then the metrics of the tables."""
        annotated = [file for file in files if file.mentions('"metric_input"')]
        tables = [file for file in files if file not in annotated]
        names = _systems(tables)
        rows = [row for file, name in zip(tables, names, strict=True) for row in _rows(file, name, notes)]
        systems = {(row.result.item, row.result.response): row.result.system for row in reversed(rows)}
        for file in annotated:
            yield from _annotations(file.document(), systems, notes)
        if names:
            told = joined(list(dict.fromkeys(names)))
            notes.said.append(
                sentence("the files name no system; each is named after its file: {names}", names=told)
            )
        kinds = _metrics([row.cells for row in rows])
        for name in {name for row in rows for name in row.cells} - TEXTS - set(kinds):
            notes.leave_out(sentence("column {column}", column=name))
        for row in rows:
            yield from _scored(row, kinds, notes)


def _systems(tables: Sequence[ResultFile]) -> list[str]:
    """Return names for the systems: the files' names, or the folders' where files are named alike."""
    paths = [PurePosixPath(file.name) for file in tables]
    stems = [NAMES.sub("", path.stem) or path.stem for path in paths]
    folders = {path.parent for path in paths}
    if len(folders) == len(paths) > 1 and len(set(stems)) == 1:
        return [path.parent.name or path.stem for path in paths]
    return stems


def _rows(file: ResultFile, system: str, notes: Notes) -> Iterator[_Row]:
    for number, cells in _cells(file, notes):
        result = _result(cells, number, system)
        if result.response:
            yield _Row(result, cells)
        else:
            notes.leave_out(sentence("samples without an answer"))


def _cells(file: ResultFile, notes: Notes) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if file.columns:
        yield from file.rows(notes.problems)
        return
    for number, entry in file.objects(notes.problems):
        column = entry.get("user_input")
        if not isinstance(column, Mapping):
            yield number, entry
            continue
        for place, key in enumerate(column, start=1):  # pandas writes columns unless told otherwise
            yield place, {name: one.get(key) for name, one in entry.items() if isinstance(one, Mapping)}


def _result(cells: Mapping[str, Any], number: int, system: str) -> Result:
    asked, contexts = cells.get("user_input"), cells.get("retrieved_contexts")
    question = conversation_text(asked) if isinstance(asked, list) else text_of(asked)
    context = "" if is_missing(contexts) else "\n\n".join(map(text_of, list_of(contexts)))
    item = derived_id("i", question, "")
    return Result(
        *(item, number, answer_text(cells.get("response")), system, question, context),
        text_of(cells.get("reference")),
    )


def _metrics(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return which columns are metrics, and whether a judge gave them."""
    kinds = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows if not is_missing(row.get(name))]
        words = {value for value in map(text_of, values) if not _is_number(value)}
        if (
            name in TEXTS
            or not values
            or len(words) > MOST_LABELS
            or max(map(len, words), default=0) > LONGEST_LABEL
        ):
            continue
        kinds[name] = "metric" if name.lower().startswith(COMPUTED) else "judge"
    return kinds


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in ("True", "False")
    return True


def _scored(row: _Row, kinds: Mapping[str, str], notes: Notes) -> Iterator[Result]:
    scored = False
    for name, kind in kinds.items():
        value = row.cells.get(name)
        missing = is_missing(value)
        if kind == "judge" and name in row.cells:
            reason = sentence("the file has no number") if missing else ""
            score = Score(JUDGE, "judge", name, None if missing else value, reason)
        elif missing:
            notes.leave_out(sentence("metrics without a value"))
            continue
        else:
            score = Score(name, "metric", name, value)
        scored = True
        yield row.result._replace(score=score)
    if not scored:
        yield row.result


def _annotations(
    data: Mapping[str, Any], systems: Mapping[tuple[str, str], str], notes: Notes
) -> Iterator[Result]:
    for metric, entries in data.items():
        for number, entry in enumerate(entries if isinstance(entries, list) else [], start=1):
            result = _result(entry.get("metric_input") or {}, number, "")
            if not result.response:
                notes.leave_out(sentence("samples without an answer"))
                continue
            result = result._replace(system=systems.get((result.item, result.response), ""))
            for score in _opinions(metric, entry, notes):
                yield result._replace(score=score)


def _opinions(metric: str, entry: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
    """Yield the judge's score, and the person's: the same if accepted, else what they set instead."""
    prompts = [one for one in (entry.get("prompts") or {}).values() if isinstance(one, Mapping)]
    outputs = [one.get("prompt_output") for one in prompts]
    edits = [one.get("edited_output") for one in prompts]
    judged, accepted = entry.get("metric_output"), entry.get("is_accepted")
    missing = is_missing(judged)
    reason = _said(outputs, "reason") or (sentence("the file has no number") if missing else "")
    yield Score(JUDGE, "judge", metric, None if missing else judged, reason)
    target = entry.get("target")
    if accepted:
        target = judged
    elif accepted is False and target is None:
        target = _said(edits, "score") or None
    if accepted is None:
        return
    if is_missing(target):
        notes.leave_out(sentence("annotations without a value"))
    else:
        yield Score(HUMAN, "human", metric, target, "" if accepted else _said(edits, "reason"))


def _said(outputs: Sequence[Any], key: str) -> str:
    found = (text_of(one.get(key)) for one in outputs if isinstance(one, Mapping) and key in one)
    return next(filter(None, found), "")
