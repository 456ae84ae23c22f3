"""promptfoo: `results.json` of an evaluation, or its export after people have looked at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.imports.core.cells import text_of
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import answer_text, item_texts
from judgelab.wording import mark, sentence

HUMAN, OVERALL = "human", "overall"
MANUAL = "Manual result"  # the reason that promptfoo writes when a person sets a score
# Assertions that a model grades; all others are computed.
GRADED = frozenset(
    (
        *("llm-rubric", "g-eval", "factuality", "model-graded-closedqa", "model-graded-factuality"),
        *("answer-relevance", "context-faithfulness", "context-recall", "context-relevance", "pi"),
        *("conversation-relevance", "select-best", "max-score", "classifier", "moderation", "search-rubric"),
    )
)


@result_tools.register("promptfoo")
class Promptfoo(ResultTool):
    """Reads each assertion as a judge's or metric's score, and thumbs and manual scores as a person's.

    A person's result replaces that of the row; the judge's stays in its own assertion. A judge that failed
    has the score 0 and an error; it is read as unscored.
    """

    title = "promptfoo"
    summary = mark("Scores of judges, metrics and people for each prompt, provider and test.")
    version = "0.121.20"
    examples = (
        Example(
            {
                "results.json": """{"evalId": "eval-a", "results": {"version": 3, "prompts": [], "results": [
{"testIdx": 0, "promptIdx": 0, "provider": {"id": "x:red", "label": "red"}, "vars": {"q": "Why?"},
 "response": {"output": "Because."}, "success": true, "score": 1, "gradingResult": {"pass": true, "score": 1,
 "componentResults": [
 {"pass": true, "score": 0.5, "reason": "ok",
  "assertion": {"type": "llm-rubric", "metric": "clear"}},
 {"pass": true, "score": 1, "reason": "", "assertion": {"type": "contains", "value": "B"}},
 {"pass": true, "score": 1, "reason": "Manual result", "assertion": {"type": "human"}}]}},
{"testIdx": 0, "promptIdx": 0, "provider": {"id": "x:blue", "label": "blue"}, "vars": {"q": "Why?"},
 "response": {"output": "No idea."}, "success": false, "score": 0,
 "gradingResult": {"pass": false, "score": 0,
 "componentResults": [
 {"pass": false, "score": 0, "reason": "no JSON", "metadata": {"graderError": true},
  "assertion": {"type": "llm-rubric", "metric": "clear"}}]}}]}}"""
            },
            items=1,
            responses=2,
            human=1,
            judged=2,
            metrics=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a JSON file with an evaluation's id and results."""
        return file.mentions('"evalId"', '"results"', '"prompts"') and file.head.lstrip()[:1] == b"{"

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield one result for each assertion of each row, and each person's."""
        for file in files:
            data = file.document()
            judge = _judge_of(data.get("config") or {})
            rows = (data.get("results") or {}).get("results") or []
            prompts = {row.get("promptIdx") for row in rows}
            providers = {_provider(row) for row in rows}
            for number, row in enumerate(rows, start=1):
                yield from _results(row, number, judge, by_prompt=len(prompts) > len(providers), notes=notes)


def _results(
    row: Mapping[str, Any], number: int, judge: str, *, by_prompt: bool, notes: Notes
) -> Iterator[Result]:
    test = row.get("testCase") or {}
    texts = item_texts(
        row.get("vars") or test.get("vars") or {},
        item=text_of(test.get("description") or ""),
        question=text_of((row.get("prompt") or {}).get("raw", "")),
    )
    response = (row.get("response") or {}).get("output")
    if response is None:
        notes.leave_out(sentence("rows without an answer"))
        return
    system = _provider(row)
    if by_prompt:
        system = f"{system} · {text_of((row.get('prompt') or {}).get('label'))[:60]}"
    result = Result(
        texts.item,
        number,
        answer_text(response),
        system,
        texts.question,
        texts.context,
        texts.reference,
        texts.group,
    )
    scores = list(_scores(row, judge))
    for score in scores:
        yield result._replace(score=score)
    if not scores:
        yield result


def _scores(row: Mapping[str, Any], usual_judge: str) -> Iterator[Score]:
    grading = row.get("gradingResult") or {}
    components = [part for part in grading.get("componentResults") or [] if isinstance(part, Mapping)]
    options = (row.get("testCase") or {}).get("options") or {}
    graded, person = [], None
    for part in components:
        assertion = part.get("assertion") or {}
        kind = text_of(assertion.get("type"))
        if kind == HUMAN:
            person = part
            continue
        name = text_of(assertion.get("metric")) or _named(kind, assertion.get("value"))
        failed = bool((part.get("metadata") or {}).get("graderError"))
        value, reason = (None if failed else part.get("score")), text_of(part.get("reason"))
        if kind.removeprefix("not-") in GRADED:
            graded.append(name)
            judge = (
                _id_of(assertion.get("provider")) or _id_of(options.get("provider")) or usual_judge or kind
            )
            yield Score(judge, "judge", name, value, reason)
        else:
            yield Score(kind, "metric", name, value, reason)
    if person is None and text_of(grading.get("reason")).startswith(MANUAL):
        person = grading
    if person is not None:
        criterion = graded[0] if len(set(graded)) == 1 else OVERALL
        yield Score(HUMAN, "human", criterion, person.get("score"), text_of(person.get("comment")))


def _named(kind: str, value: Any) -> str:
    text = text_of(value).strip() if isinstance(value, (str, int, float)) else ""
    return f"{kind}: {text[:60]}" if text else kind


def _provider(row: Mapping[str, Any]) -> str:
    provider = row.get("provider")
    if isinstance(provider, Mapping):
        return text_of(provider.get("label") or provider.get("id"))
    return text_of(provider)


def _id_of(provider: Any) -> str:
    return text_of(provider.get("id")) if isinstance(provider, Mapping) else text_of(provider)


def _judge_of(config: Mapping[str, Any]) -> str:
    return _id_of(((config.get("defaultTest") or {}).get("options") or {}).get("provider"))
