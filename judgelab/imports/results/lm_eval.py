"""lm-evaluation-harness: `samples_TASK_TIME.jsonl` of each task, with `results_TIME.json` beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from judgelab.imports.core.cells import text_of
from judgelab.imports.core.records import derived_id
from judgelab.imports.files.sources import Unreadable
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import ItemTexts, is_judge_name, item_texts
from judgelab.wording import mark, sentence

RESULTS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
TIME = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl?$")
# What a line has beside the values of its metrics.
OF_A_LINE = frozenset(
    (
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash"),
    )
)


@result_tools.register("lm_eval")
class LmEval(ResultTool):
    """Reads each line's metrics; one that is a judge's by its name is read as a judge.

    The name of the system stands in the file of results alone, which belongs to the samples of the same time
    and folder.
    """

    title = "lm-evaluation-harness"
    summary = mark("Metrics of each sample of a task, some of which judges gave.")
    version = "0.4.13"
    examples = (
        Example(
            {
                "red/samples_trivia_2026-01-02T03-04-05.6.jsonl": (
                    '{"doc_id": 0, "doc": {"qid": "a", "question": "Why?"}, "target": "Rain.", "arguments": '
                    '{"gen_args_0": {"arg_0": "Q: Why? A:", "arg_1": {"until": []}}}, "resps": '
                    '[["It rains."]], "filtered_resps": ["It rains."], "filter": "none", "metrics": '
                    '["judge_clear", "exact_match"], "judge_clear": NaN, "exact_match": 0.0}\n'
                    '{"doc_id": 1, "doc": {"qid": "b", "choices": ["Bo", "Al"]}, "target": 0, "arguments": '
                    '{"gen_args_0": {"arg_0": "Who?", "arg_1": " Bo"}, "gen_args_1": {"arg_0": "Who?", '
                    '"arg_1": " Al"}}, "resps": [[[-1.5, false]], [[-0.5, true]]], "filtered_resps": '
                    '[[-1.5, false], [-0.5, true]], "filter": "none", "metrics": ["acc"], "acc": 0.0}\n'
                ),
                "red/results_2026-01-02T03-04-05.6.json": (
                    '{"results": {"trivia": {"alias": "trivia", "acc,none": 0.5}}, "configs": {}, '
                    '"model_name": "red", "lm_eval_version": "0.4.13"}'
                ),
            },
            items=2,
            responses=2,
            human=0,
            judged=1,
            metrics=2,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this has samples with their replies, or the results of tasks."""
        return (
            _has_samples(file)
            or RESULTS.match(file.head) is not None
            and file.mentions('"alias"', '"configs"')
        )

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield the metrics of each sample, and one result for a sample without any."""
        samples = [file for file in files if _has_samples(file)]
        results = [file for file in files if file not in samples]
        if not samples:
            raise Unreadable(
                sentence("this has means of tasks only; import the files samples_… that --log_samples writes")
            )
        runs = {_place(file): file.document() for file in results}
        items = _Items()
        for file in samples:
            system = _system(_place(file), runs)
            for number, line in file.lines(notes.problems):
                yield from _results(line, number, system, items, notes)


def _has_samples(file: ResultFile) -> bool:
    """Return whether a file's lines are samples; the first may be longer than what is read to tell."""
    if {"doc_id", "doc", "resps", "filtered_resps"} <= set(file.first_object):
        return True
    return b"\n" not in file.head and file.head.startswith(b'{"doc_id":') and file.mentions('"doc":')


def _place(file: ResultFile) -> str:
    """Return where a file is; its folder is named after the system."""
    data = file.source.data
    return data.resolve().as_posix() if isinstance(data, Path) else file.name


def _system(place: str, runs: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the system whose samples a file has: that of the results of its time and folder."""
    folder = PurePosixPath(place).parent
    beside = [other for other in runs if PurePosixPath(other).parent == folder]
    same = [other for other in beside if _time_of(other) == _time_of(place)]
    chosen = same or [other for other in runs if _time_of(other) == _time_of(place)] or beside or list(runs)
    if len(chosen) == 1 or same:
        run = runs[chosen[0]]
        arguments = (run.get("config") or {}).get("model_args")
        named = run.get("model_name")
        if not named and isinstance(arguments, Mapping):
            named = arguments.get("model") or arguments.get("pretrained")
        if named:
            return text_of(named)
    return folder.name


def _time_of(name: str) -> str:
    found = TIME.search(name)
    return found[1] if found else ""


class _Items:
    """The items of all files, so that those of several systems meet and those of several tasks do not."""

    def __init__(self) -> None:
        self._by_doc: dict[str, ItemTexts] = {}
        self._docs: dict[str, str] = {}

    def of(self, line: Mapping[str, Any]) -> ItemTexts:
        """Return the item of a line: prompts of two systems may differ, and two tasks may have an id."""
        doc = line.get("doc")
        own = {key: value for key, value in doc.items() if key != "choices"} if isinstance(doc, dict) else {}
        key = text_of(line.get("doc_hash")) or text_of(doc)
        if key not in self._by_doc:
            texts = item_texts(own, question=_prompt(line))
            if self._docs.setdefault(texts.item, key) != key:
                texts = texts._replace(item=derived_id("i", key))
            self._by_doc[key] = texts
        return self._by_doc[key]


def _results(
    line: Mapping[str, Any], number: int, system: str, items: _Items, notes: Notes
) -> Iterator[Result]:
    response = _response(line)
    if not response:
        notes.leave_out(sentence("samples without an answer"))
        return
    replies = line.get("resps") or [[]]
    if len(replies) == 1 and isinstance(replies[0], list) and len(replies[0]) > 1:
        notes.leave_out(sentence("further replies to the same question"), len(replies[0]) - 1)
    texts = items.of(line)
    result = Result(
        texts.item,
        number,
        response,
        system,
        texts.question,
        texts.context,
        _target(line) or texts.reference,
        texts.group,
    )
    scores = list(_scores(line, notes))
    for score in scores:
        yield result._replace(score=score)
    if not scores:
        yield result


def _arguments(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what the model was asked, once for each reply; older versions have lists of lists."""
    given = line.get("arguments") or []
    asked = list(given.values()) if isinstance(given, Mapping) else given
    return [
        one if isinstance(one, Mapping) else {f"arg_{i}": part for i, part in enumerate(one)}
        for one in asked
        if isinstance(one, (Mapping, list))
    ]


def _prompt(line: Mapping[str, Any]) -> str:
    return next((text_of(one.get("arg_0")) for one in _arguments(line)), "")


def _response(line: Mapping[str, Any]) -> str:
    """Return the first reply, or of choices between given answers the most likely one."""
    replies = [reply[0] if isinstance(reply, list) and reply else reply for reply in line.get("resps") or []]
    if replies and isinstance(replies[0], str):
        return replies[0]
    likely = [reply[0] for reply in replies if isinstance(reply, list) and reply]
    answers = [one.get("arg_1") for one in _arguments(line)]
    numbers = [number for number in likely if isinstance(number, (int, float)) and not math.isnan(number)]
    if len(numbers) < 2 or len(numbers) != len(answers):
        return ""
    best = answers[numbers.index(max(numbers))]
    return best.strip() if isinstance(best, str) else ""


def _target(line: Mapping[str, Any]) -> str:
    target, doc = line.get("target"), line.get("doc")
    choices = doc.get("choices") if isinstance(doc, Mapping) else None
    if isinstance(choices, Mapping):  # texts and labels, as in ARC
        choices = choices.get("text")
    place = int(target) if isinstance(target, str) and target.isdecimal() else target
    if isinstance(choices, list) and isinstance(place, int) and 0 <= place < len(choices):
        return text_of(choices[place])
    return target if isinstance(target, str) else text_of(target) if isinstance(target, (int, float)) else ""


def _scores(line: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
    names = line.get("metrics")
    if not isinstance(names, list):
        names = [key for key in line if key not in OF_A_LINE]
    used = text_of(line.get("filter") or "none")
    for name in names:
        value = line.get(name)
        criterion = name if used == "none" else f"{name} ({used})"
        failed = value is None or (isinstance(value, float) and math.isnan(value))
        if isinstance(value, (list, Mapping, str)):
            notes.leave_out(sentence("metrics of the whole task, not of a sample"))
        elif is_judge_name(name):
            reason = sentence("the file has no number") if failed else ""
            yield Score(name, "judge", criterion, None if failed else value, reason)
        elif failed:
            notes.leave_out(sentence("metrics without a value"))
        else:
            yield Score(criterion, "metric", criterion, value)
