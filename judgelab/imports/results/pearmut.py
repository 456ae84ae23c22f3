"""pearmut: the log of a campaign (`annotations/ID.jsonl`), and the campaign with its texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.records import derived_id
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import answer_text
from judgelab.wording import counted, mark, sentence

RESET = "__RESET__"  # a person's task was reset: what was said before does not count
OTHER_TASKS = ("welcome_", "random_", "goodbye_")  # forms and tutorials, which pearmut leaves out itself
OVERALL = "score"
LINE = frozenset({"user_id", "item_i", "annotation"})


@result_tools.register("pearmut")
class Pearmut(ResultTool):
    """Reads the last line of each person and task; a reset voids the lines before it."""

    title = "pearmut"
    summary = mark("Scores and sliders of each rater for each model's output; marked spans are not read.")
    version = "1.1.6"
    examples = (
        Example(
            {
                "camp.jsonl": """\
{"annotation": [{"red": {"score": 20, "error_spans": []}}], "item": [{"src": "Why?", "tgt": {"red": \
"Rain."}, "item_id": "a"}], "start_time": 1793000000, "user_id": "ada", "item_i": 0}
{"annotation": [{"red": {"score": 90, "error_spans": []}}], "item": [{"src": "Why?", "tgt": {"red": \
"Rain."}, "item_id": "a"}], "start_time": 1793000060, "user_id": "ada", "item_i": 0}
{"annotation": [{"red": {"score": 10, "error_spans": []}}], "item": [{"src": "Who?", "tgt": {"red": \
"Bo."}, "item_id": "b"}], "start_time": 1793000120, "user_id": "bo", "item_i": 1}
{"user_id": "bo", "item_i": 1, "annotation": "__RESET__"}
{"annotation": [{"red": {"score": 50}}], "item": [{"src": "x", "tgt": {"red": "y"}, "item_id": "w"}], \
"user_id": "bo", "item_i": "welcome_0"}
{"annotation": [{"red": {"score": 70, "error_spans": []}}], "item": [{"src": "Why?", "tgt": {"red": \
"Rain."}, "item_id": "a"}], "start_time": 1793000180, "user_id": "bo", "item_i": 0}""",
                "camp.json": """{"campaign_id": "c", "info": {"assignment": "task-based"}, "data": {"ada": [[
{"src": "Why?", "tgt": {"red": "Rain."}, "item_id": "a"}],
[{"src": "Who?", "tgt": {"red": "Bo."}, "item_id": "b"}]]}}""",
            },
            items=2,
            responses=2,
            human=2,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether the first line is a person's answers to a task, or this is a campaign."""
        if file.first_object.keys() >= LINE:
            return True
        return file.mentions('"campaign_id"', '"info"', '"data"') and file.head.lstrip()[:1] == b"{"

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield a result for each score and slider, then the campaigns' outputs without any."""
        campaigns = []
        for file in files:
            if file.first_object.keys() >= LINE:
                yield from _answers(file, notes)
            else:
                campaigns.append(file)
        for file in campaigns:
            yield from _outputs(file.document())


def _answers(file: ResultFile, notes: Notes) -> Iterator[Result]:
    latest: dict[tuple[str, Any], tuple[int, Mapping[str, Any]]] = {}
    earlier = 0
    for number, line in file.lines(notes.problems):
        user, task = text_of(line.get("user_id")), line.get("item_i")
        if isinstance(task, str) and task.startswith(OTHER_TASKS):
            notes.leave_out(sentence("answers to forms and training tasks"))
        elif line.get("annotation") == RESET:
            if latest.pop((user, task), None):
                notes.leave_out(sentence("answers to tasks that were reset"))
        else:
            earlier += (user, task) in latest
            latest[user, task] = (number, line)
    if earlier:
        notes.said.append(
            counted(
                "{n} answer was given again later; the last one counts",
                "{n} answers were given again later; the last one counts",
                earlier,
            )
        )
    for (user, _task), (number, line) in latest.items():
        pairs = zip(line.get("item") or (), line.get("annotation") or (), strict=False)
        for item, by_model in pairs:
            if not isinstance(item, Mapping) or not isinstance(by_model, Mapping):
                continue  # a form, or an item that was passed over
            for result in _of_item(item, number):
                given = by_model.get(result.system)
                scores = _scores(user, given, line, notes) if isinstance(given, Mapping) else ()
                yield from (result._replace(score=score) for score in scores)


def _scores(user: str, given: Mapping[str, Any], line: Mapping[str, Any], notes: Notes) -> Iterator[Score]:
    if spans := given.get("error_spans"):
        notes.leave_out(sentence("marked spans"), len(spans))
    values = {OVERALL: given.get("score"), **(given.get("sliders") or {})}
    comment, at = text_of(given.get("textfield")), line.get("start_time")
    for criterion, value in values.items():
        if not is_missing(value):
            yield Score(user, "human", criterion, value, comment, at)


def _outputs(campaign: Any) -> Iterator[Result]:
    data = campaign.get("data") if isinstance(campaign, Mapping) else None
    # A list of tasks that all share, or the tasks of each person.
    people = data.values() if isinstance(data, Mapping) else [data or []]
    for tasks in people:
        for task in tasks if isinstance(tasks, list) else ():
            for item in task if isinstance(task, list) else [task]:
                if isinstance(item, Mapping):
                    yield from _of_item(item, 1)


def _of_item(item: Mapping[str, Any], number: int) -> Iterator[Result]:
    """Yield the output of each model for an item, without scores."""
    source, outputs = text_of(item.get("src")), item.get("tgt")
    name = text_of(item.get("item_id")) or derived_id("i", source)
    if isinstance(outputs, str):
        outputs = {"": outputs}
    for model, output in outputs.items() if isinstance(outputs, Mapping) else ():
        yield Result(
            name, number, answer_text(output), text_of(model), source, reference=text_of(item.get("ref"))
        )
