"""DeepEval: a test run as `test_run_*.json` or `.deepeval/.latest_run_full.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.imports.core.cells import is_missing, list_of, text_of
from judgelab.imports.core.fields import recognise
from judgelab.imports.core.records import derived_id
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import answer_text, conversation_text, last_answer, message_text
from judgelab.wording import mark, sentence

# The names of cases without one: of DeepEval, and of pytest for a test with several cases.
NUMBERED = re.compile(r"(conversational_)?test_case_\d+|\w+\[\D*\d+\]")
HUMAN = "human"


@result_tools.register("deepeval")
class DeepEval(ResultTool):
    """Reads each metric of each test case: a judge's if a model gave it.

    DeepEval keeps no scores of people; those that a case's own data hold under names that begin with "human"
    are read as such. A metric that failed has no score, but the result "not passed".
    """

    title = "DeepEval"
    summary = mark("Scores of metrics and their judges for each test case of a test run.")
    version = "4.3.1"
    examples = (
        Example(
            {
                "test_run_1.json": """{"testCases": [{"name": "a", "input": "Why?",
"actualOutput": "It rains.",
"expectedOutput": "Rain.", "retrievalContext": ["Clouds.", "Wind."], "success": true, "metricsData": [
 {"name": "Clear [GEval]", "threshold": 0.5, "success": true, "score": 0.9, "reason": "ok",
  "evaluationModel": "owl"},
 {"name": "Exact Match", "threshold": 1, "success": false, "score": 0}],
 "metadata": {"human_clear": 4, "rater": "Ada", "topic": "weather"}, "comments": "fine"},
{"name": "b", "input": "Who?", "actualOutput": "Bo.", "success": false, "metricsData": [
 {"name": "Clear [GEval]", "threshold": 0.5, "success": false, "evaluationModel": "owl",
  "error": "invalid JSON"}]}],
"conversationalTestCases": [{"name": "c", "turns": [{"role": "user", "content": "Hi."},
 {"role": "assistant", "content": "Hello."}], "metricsData": [
 {"name": "Polite", "success": true, "score": 1, "evaluationModel": "owl"}]}],
"hyperparameters": {"model": "red"}, "testPassed": 1, "testFailed": 1}"""
            },
            items=3,
            responses=3,
            human=1,
            judged=3,
            metrics=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a JSON file with test cases and their metrics."""
        return file.mentions('"testCases"', '"metricsData"') and file.head.lstrip()[:1] == b"{"

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield the scores of each test case, and one result for a case without any."""
        for file in files:
            data = file.document()
            run = data.get("testRunData") or data
            cases = [*(run.get("testCases") or []), *(run.get("conversationalTestCases") or [])]
            shared = _shared_names(cases)
            for number, case in enumerate(cases, start=1):
                result = _result(case, number, run, shared)
                if not result.response:
                    notes.leave_out(sentence("test cases without an answer"))
                    continue
                scores = [*_metrics(case, notes), *_persons(case)]
                for score in scores:
                    yield result._replace(score=score)
                if not scores:
                    yield result


def _shared_names(cases: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the names of several cases with different inputs, which are those of a test function."""
    inputs: dict[str, str] = {}
    return {
        name
        for case in cases
        if (name := text_of(case.get("name")))
        and inputs.setdefault(name, text_of(case.get("input"))) != text_of(case.get("input"))
    }


def _result(case: Mapping[str, Any], number: int, run: Mapping[str, Any], shared: set[str]) -> Result:
    own = case.get("metadata") or case.get("additionalMetadata") or {}
    if turns := [turn for turn in case.get("turns") or [] if isinstance(turn, Mapping)]:
        response = last_answer(turns)
        last = next((i for i, turn in reversed(list(enumerate(turns))) if message_text(turn) == response), 0)
        question = conversation_text(turns[:last])
    else:
        response, question = answer_text(case.get("actualOutput")), text_of(case.get("input"))
    given = case.get("retrievalContext") or case.get("context")
    context = "\n\n".join(text_of(part) for part in list_of(given)) if not is_missing(given) else ""
    name = text_of(case.get("name"))
    return Result(
        derived_id("i", question, "") if not name or name in shared or NUMBERED.fullmatch(name) else name,
        number,
        response,
        _system(run, own),
        question,
        context,
        text_of(case.get("expectedOutput") or case.get("expectedOutcome")),
        text_of(next((value for key, value in own.items() if recognise(key) == "group"), "")),
    )


def _system(run: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """Return the name of the system: the run's model, or what a case or the run calls it."""
    named = (run.get("hyperparameters") or {}).get("model")
    named = named or next((value for key, value in own.items() if recognise(key) == "system"), "")
    return text_of(named or run.get("identifier"))


def _metrics(case: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
    for metric in case.get("metricsData") or []:
        name, value, error = text_of(metric.get("name")), metric.get("score"), text_of(metric.get("error"))
        judge = text_of(metric.get("evaluationModel"))
        if error:
            value = None
        if judge:
            yield Score(judge, "judge", name, value, error or text_of(metric.get("reason")))
        elif value is None:
            notes.leave_out(sentence("metrics without a value"))
        else:
            yield Score(name, "metric", name, value, text_of(metric.get("reason")))


def _persons(case: Mapping[str, Any]) -> Iterator[Score]:
    own = case.get("metadata") or case.get("additionalMetadata") or {}
    rater = next((text_of(value) for key, value in own.items() if recognise(key) == "rater"), "") or HUMAN
    for key, value in own.items():
        if key.lower().startswith(HUMAN) and isinstance(value, (int, float)):
            yield Score(rater, "human", key, value, text_of(case.get("comments")))
