"""Inspect: the log of an evaluation, as `.eval` (an archive of samples) or `.json`."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.imports.core.cells import text_of
from judgelab.imports.core.records import derived_id
from judgelab.imports.files.packed import PackedFiles, packed_files
from judgelab.imports.files.sources import Unreadable
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import conversation_text, is_judge_name, last_answer, message_text
from judgelab.wording import mark, sentence

HEADERS = ("header.json", "_journal/start.json")  # an evaluation that was interrupted has only the second
SAMPLES = "samples/"
ATTACHMENT = "attachment://"
UNCHANGED = "UNCHANGED"  # what an edit left as it was
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0}
NO_ANSWER = "N"
MODELS = ("model", "models", "grader", "grader_model", "judge", "judge_model")  # options that name a judge


class Scorer(NamedTuple):
    """Who gave the scores of one name: a judge or a metric."""

    rater: str
    is_judge: bool


@result_tools.register("inspect")
class Inspect(ResultTool):
    """Reads the first value of each score as the scorer's, and edits as those of the people who made them."""

    title = "Inspect"
    summary = mark("Scores of scorers, and scores that people added or edited, for each sample of a log.")
    version = "0.3.285"
    examples = (
        Example(
            {
                "log.json": """{"version": 2, "status": "success", "eval": {"eval_id": "e1", "task": "t",
"dataset": {"sample_ids": ["a", "b"]}, "model": "local/red",
"scorers": [{"name": "model_graded_qa", "options": {"model": "local/owl"}}, {"name": "match"}]}, "samples": [
{"id": "a", "epoch": 1, "input": "Why?", "target": "Rain.", "output": {"completion": "It rains."},
 "scores": {"model_graded_qa": {"value": "C", "explanation": "too strict", "history": [
   {"value": "I", "explanation": "No. GRADE: I"},
   {"value": "C", "explanation": "too strict", "provenance": {"author": "Ada", "reason": "second look"}}]},
  "match": {"value": "I"},
  "clear:Ada": {"value": 4, "history": [{"value": 4, "provenance": {"author": "Ada"}}]}}},
{"id": "b", "epoch": 1, "input": [{"role": "system", "content": "Be short."}, {"role": "user",
 "content": "Who?"}], "target": "Bo", "messages": [], "output": {"choices": [{"message": {"role": "assistant",
 "content": [{"type": "text", "text": "Bo."}]}}]},
 "scores": {"model_graded_qa": {"value": NaN, "explanation": "No grade"}, "match": {"value": "C"}}}]}"""
            },
            items=2,
            responses=2,
            human=2,
            judged=2,
            metrics=2,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a JSON file with an evaluation's id and task, or an archive of samples."""
        if file.members:
            return any(name in HEADERS for name in file.members) and any(
                name.startswith(SAMPLES) for name in file.members
            )
        return file.mentions('"eval"', '"eval_id"', '"task"', '"status"') and file.head.lstrip()[:1] == b"{"

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield the scores of each sample, and one result for a sample without any."""
        results = [result for file in files for result in _graded(list(_results(file, notes)), notes)]
        # The front of a model's name says who serves it; it is needed if two are alike without.
        whole = {result.system for result in results}
        short = {name: name.rpartition("/")[2] for name in whole}
        alike = Counter(short.values())
        for result in results:
            name = short[result.system]
            yield result._replace(system=name if alike[name] == 1 else result.system)


def _results(file: ResultFile, notes: Notes) -> Iterator[Result]:
    if file.members:
        with packed_files(file.source) as archive:
            header = next(name for name in HEADERS if name in archive.names)
            yield from _Log(_object(archive, header)).results(_samples(archive), notes)
        return
    data = file.document()
    yield from _Log(data).results(data.get("samples") or [], notes)


def _samples(archive: PackedFiles) -> Iterator[Mapping[str, Any]]:
    for name in archive.names:
        if name.startswith(SAMPLES) and name.endswith(".json"):
            yield _object(archive, name)


def _object(archive: PackedFiles, name: str) -> Mapping[str, Any]:
    try:
        found = json.loads(archive.read(name))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Unreadable(
            sentence("{file} in the archive is damaged; save or download the archive again", file=name)
        )
    return found


class _Log:
    """What is said once for all samples of an evaluation."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self._evaluation = header.get("eval") or {}
        self._model = text_of(self._evaluation.get("model"))
        self._roles = self._evaluation.get("model_roles") or {}
        self._scorers = {
            text_of(one.get("name")).rpartition("/")[2]: one.get("options") or {}
            for one in self._evaluation.get("scorers") or []
            if isinstance(one, Mapping)
        }
        ids = (self._evaluation.get("dataset") or {}).get("sample_ids") or []
        # Inspect numbers the samples of a data set that has no ids.
        self._numbered = bool(ids) and all(isinstance(one, int) for one in ids)

    def results(self, samples: Iterator[Mapping[str, Any]] | Any, notes: Notes) -> Iterator[Result]:
        """Yield the scores of each sample."""
        for number, sample in enumerate(samples, start=1):
            result = self._result(sample, number)
            if not result.response:
                notes.leave_out(sentence("samples without an answer"))
                continue
            scores = list(self._scores(sample, notes))
            for score in scores:
                yield result._replace(score=score)
            if not scores:
                yield result

    def _result(self, sample: Mapping[str, Any], number: int) -> Result:
        attached = sample.get("attachments") or {}

        def whole(text: str) -> str:
            key = text.removeprefix(ATTACHMENT)
            return text_of(attached.get(key, text)) if key != text else text

        asked = sample.get("input")
        question = whole(asked if isinstance(asked, str) else conversation_text(asked or []))
        if choices := sample.get("choices"):
            lines = [f"{chr(ord('A') + i)}) {text_of(one)}" for i, one in enumerate(choices)]
            question = "\n".join((question, *lines))
        target = sample.get("target")
        if isinstance(target, list) and len(target) == 1:
            target = target[0]
        own = sample.get("id")
        item = derived_id("i", question, "") if own is None or self._numbered else text_of(own)
        epoch = sample.get("epoch") or 1
        return Result(
            item,
            number,
            whole(_answer(sample)),
            self._model,
            question,
            reference=target or "",
            response_id=f"{self._model} · epoch {epoch}" if epoch != 1 else "",
        )

    def _scores(self, sample: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
        for name, entry in _scores_of(sample).items():
            if not isinstance(entry, Mapping):
                continue
            history = [one for one in entry.get("history") or [] if isinstance(one, Mapping)]
            first = history[0] if history else entry
            if not _author(first):
                scorer = self._scorer(name, first)
                yield from _values(scorer, name, first, notes)
            latest = {_author(one): one for one in history if _author(one) and one.get("value") != UNCHANGED}
            for author, one in latest.items():
                yield from _persons(author, name, one, notes)

    def _scorer(self, name: str, entry: Mapping[str, Any]) -> Scorer:
        options = self._scorers.get(name) or self._scorers.get(name.rstrip("0123456789")) or {}
        graded = (entry.get("metadata") or {}).get("grading")
        given = next((_model_of(options[key]) for key in MODELS if options.get(key)), "")
        if not (given or graded or is_judge_name(name)):
            return Scorer(name, is_judge=False)
        role = text_of(options.get("model_role") or "grader")
        # Without a model of its own, a grading scorer asks the model of its role, or else the one evaluated.
        usual = self._model if name.startswith("model_graded") else name
        return Scorer(given or _model_of(self._roles.get(role)) or usual, is_judge=True)


def _scores_of(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the scores by name; the first versions had one without a name."""
    single = sample.get("score")
    return sample.get("scores") or ({"score": single} if isinstance(single, Mapping) else {})


def _values(scorer: Scorer, name: str, entry: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
    value, comment = entry.get("value"), text_of(entry.get("explanation"))
    if not comment.strip():
        comment = text_of(entry.get("reason"))
    for criterion, one in _parts(name, value):
        if isinstance(one, (list, Mapping)):
            notes.leave_out(sentence("scores that are lists or objects"))
        elif scorer.is_judge:
            yield Score(scorer.rater, "judge", criterion, None if _is_nan(one) else one, comment)
        elif one is None or _is_nan(one):
            notes.leave_out(sentence("metrics without a value"))
        else:
            yield Score(scorer.rater, "metric", criterion, one, comment)


def _persons(author: str, name: str, edit: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
    provenance = edit.get("provenance") or {}
    said = text_of(edit.get("explanation"))
    comment = said if said and said != UNCHANGED else text_of(provenance.get("reason"))
    for criterion, one in _parts(name.removesuffix(f":{author}"), edit.get("value")):
        if one is None or _is_nan(one) or isinstance(one, (list, Mapping)):
            notes.leave_out(sentence("edits without a value"))
        else:
            yield Score(author, "human", criterion, one, comment, provenance.get("timestamp"))


def _parts(name: str, value: Any) -> list[tuple[str, Any]]:
    """Return the values under the criteria that they are for; a scorer may give several by name."""
    if isinstance(value, Mapping):
        return [(f"{name}: {key}", part) for key, part in value.items()]
    return [(name, value)]


def _graded(results: Sequence[Result], notes: Notes) -> Iterator[Result]:
    """Yield the results with Inspect's grades as numbers, where a criterion has no other words."""
    words: dict[str, set[str]] = {}
    for result in results:
        if result.score is not None and isinstance(result.score.value, str):
            words.setdefault(result.score.criterion, set()).add(result.score.value)
    grades = {*GRADES, NO_ANSWER}
    for result in results:
        score = result.score
        if score is None or not isinstance(score.value, str) or words[score.criterion] - grades:
            yield result
        elif score.value in GRADES:
            yield result._replace(score=score._replace(value=GRADES[score.value]))
        elif score.kind == "judge":
            comment = score.comment or sentence("no answer (N)")
            yield result._replace(score=score._replace(value=None, comment=comment))
        else:
            notes.leave_out(sentence("scores for no answer (N)"))
            yield result._replace(score=None)


def _answer(sample: Mapping[str, Any]) -> str:
    output = sample.get("output") or {}
    choices = [one.get("message") or {} for one in output.get("choices") or [] if isinstance(one, Mapping)]
    return (
        message_text(output.get("completion"))
        or next(filter(None, map(message_text, choices)), "")
        or last_answer(sample.get("messages") or [])
    )


def _author(entry: Mapping[str, Any]) -> str:
    return text_of((entry.get("provenance") or {}).get("author")).strip()


def _model_of(given: Any) -> str:
    """Return the model of an option or role: a name, an object that has one, or a list of these."""
    if isinstance(given, Mapping):
        return text_of(given.get("model") or given.get("name"))
    if isinstance(given, list):
        return ", ".join(filter(None, map(_model_of, given)))
    return text_of(given)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
