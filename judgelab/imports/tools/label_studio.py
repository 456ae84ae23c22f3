"""Label Studio exports: a JSON list of tasks, each with the annotations of several people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.imports.core.cells import text_of
from judgelab.imports.tools.base import Tool, tools
from judgelab.imports.tools.sheet import Annotator, Answer, SheetBuilder, join_texts
from judgelab.wording import mark, sentence

READ = {"rating", "number", "choices", "pairwise", "textarea"}
SIDES = {"left": "a", "right": "b"}


@tools.register("label-studio")
class LabelStudio(Tool):
    """Reads ratings, numbers, single and pairwise choices of whole texts; a text area is the comment.

    Predictions are by a judge named after the model version. Multiple choices, taxonomies and everything
    marked inside a text are counted and left out.
    """

    title = "Label Studio"
    summary = mark(
        "Ratings, numbers, choices and pairwise choices by rater; taxonomies and regions are not imported."
    )
    marks = (b'"annotations"', b'"completions"')

    def recognises(self, entry: Mapping[str, Any]) -> bool:
        """Return whether this is a task with data and annotations."""
        annotations = entry.get("annotations", entry.get("completions"))
        return isinstance(entry.get("data"), Mapping) and isinstance(annotations, list)

    def add(self, entry: Mapping[str, Any], sheet: SheetBuilder, *, number: int, file: str) -> None:
        """Add each person's annotation and each model's prediction of the task."""
        item = text_of(entry.get("id", number))
        data = {key: value for key, value in entry["data"].items() if not isinstance(value, Mapping)}
        for key in entry["data"].keys() - data.keys():
            sheet.leave_out(sentence("fields '{name}'", name=key))
        for annotation in entry.get("annotations", entry.get("completions")):
            if annotation.get("was_cancelled"):
                sheet.leave_out(sentence("skipped tasks"))
                continue
            annotator = Annotator(_person(annotation.get("completed_by")), at=annotation.get("created_at"))
            _add(sheet, number, item, data, annotator, annotation.get("result") or ())
        for annotation in entry.get("predictions") or ():
            if isinstance(annotation, Mapping) and annotation.get("result"):
                annotator = Annotator(
                    text_of(annotation.get("model_version")) or "prediction",
                    "judge",
                    annotation.get("created_at"),
                )
                _add(sheet, number, item, data, annotator, annotation["result"])


def _add(
    sheet: SheetBuilder,
    number: int,
    item: str,
    data: Mapping[str, Any],
    annotator: Annotator,
    result: Sequence[Mapping[str, Any]],
) -> None:
    answers: dict[tuple[str, Answer], Any] = {}
    comments: list[Any] = []
    for part in result:
        kind, value = text_of(part.get("type")).lower(), part.get("value") or {}
        question = text_of(part.get("from_name"))
        if kind not in READ or "start" in value or (kind == "choices" and len(value.get("choices", ())) != 1):
            if kind == "choices" and "start" not in value:
                sheet.leave_out(sentence("answers of type '{kind}' with several choices", kind=kind))
            else:
                sheet.leave_out(sentence("answers of type '{kind}'", kind=kind))
        elif kind == "textarea":
            comments += value.get("text", ()) if isinstance(value.get("text"), list) else [value.get("text")]
        elif kind == "pairwise":
            chosen = text_of(value.get("selected"))
            answers[question, "choice"] = SIDES.get(chosen, chosen or "tie")
        else:
            answers[question, "score"] = value["choices"][0] if kind == "choices" else value.get(kind)
    if answers:
        sheet.add(number, item, data, annotator._replace(comment=join_texts(comments)), answers)


def _person(person: Any) -> str:
    if isinstance(person, Mapping):
        return text_of(person.get("email") or person.get("username") or person.get("id"))
    return f"annotator {person}" if isinstance(person, int) else text_of(person)
