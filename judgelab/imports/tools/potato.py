"""Potato exports: one file per person, with the labels of each annotated instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.files.sources import Unreadable
from judgelab.imports.tools.base import Tool, tools
from judgelab.imports.tools.sheet import Annotator, Answer, SheetBuilder, join_texts
from judgelab.wording import mark, sentence

GENERIC = frozenset({"annotated_instances", "user_state"})
OWN_KEYS = frozenset(
    {"id", "displayed_text", "user_id", "label_annotations", "span_annotations", "behavioral_data"}
)
TEXT_BOX = "text_box"


@tools.register("potato")
class Potato(Tool):
    """Reads `annotated_instances.jsonl` with texts or `user_state.json` without; folders name people.

    Radio buttons, Likert scales, sliders and numbers are scores, pairwise schemes are choices, text boxes are
    the comment. Multiple labels and spans are counted and left out.
    """

    title = "potato"
    summary = mark(
        "Radio, Likert, slider and pairwise schemes by rater; multiple labels and spans are not imported."
    )
    marks = (b'"label_annotations"', b'"instance_id_to_label_to_value"')

    def recognises(self, entry: Mapping[str, Any]) -> bool:
        """Return whether this is an annotated instance or the state of a user."""
        labels = entry.get("label_annotations", entry.get("instance_id_to_label_to_value"))
        return isinstance(labels, Mapping)

    def add(self, entry: Mapping[str, Any], sheet: SheetBuilder, *, number: int, file: str) -> None:
        """Add one instance, or all instances of a person."""
        if "label_annotations" in entry:
            text = {"displayed_text": entry["displayed_text"]} if entry.get("displayed_text") else {}
            for key in entry.keys() - OWN_KEYS:
                sheet.leave_out(sentence("fields '{name}'", name=key))
            if entry.get("span_annotations"):
                sheet.leave_out(sentence("instances with spans"))
            annotator = text_of(entry.get("user_id")) or _folder(file)
            _add(sheet, number, text_of(entry.get("id")), text, annotator, entry["label_annotations"])
            return
        annotator = text_of(entry.get("user_id")) or _folder(file)
        for item, labels in entry["instance_id_to_label_to_value"].items():
            _add(sheet, number, item, {}, annotator, labels)


def _add(
    sheet: SheetBuilder, number: int, item: str, text: Mapping[str, Any], annotator: str, labels: Any
) -> None:
    answers: dict[tuple[str, Answer], Any] = {}
    comments = []
    for scheme, values in _schemes(labels).items():
        chosen = {label: value for label, value in values.items() if value not in (None, False, "", "false")}
        if not chosen:
            continue
        if len(chosen) > 1:
            sheet.leave_out(sentence("answers with several labels"))
            continue
        ((label, value),) = chosen.items()
        if TEXT_BOX in label or label in {"text", "textbox"}:
            comments.append(value)
        elif label in {"selection", "choice"}:
            answers[scheme, "choice"] = value
        else:
            answers[scheme, "score"] = _score(label, value)
    if answers:
        sheet.add(number, item, text, Annotator(annotator, comment=join_texts(comments)), answers)


def _schemes(labels: Any) -> dict[str, dict[str, Any]]:
    """Return the labels of each scheme, from an object or a list of [{schema, name}, value]."""
    schemes: dict[str, dict[str, Any]] = {}
    for scheme, label, value in _listed(labels) if isinstance(labels, list) else _nested(labels):
        schemes.setdefault(scheme, {})[label] = value
    return schemes


def _listed(labels: list[Any]) -> Iterator[tuple[str, str, Any]]:
    for entry in labels:
        if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], Mapping):
            yield text_of(entry[0].get("schema")), text_of(entry[0].get("name")), entry[1]


def _nested(labels: Any) -> Iterator[tuple[str, str, Any]]:
    for scheme, values in labels.items() if isinstance(labels, Mapping) else ():
        values = values.get("labels", values) if isinstance(values, Mapping) else {text_of(values): True}
        for label, value in values.items():
            yield scheme, text_of(label), value


def _score(label: str, value: Any) -> Any:
    """Return the score from a label and its value: `scale_4` with "4" is 4, `good` with "true" is good."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    word = text_of(value).strip()
    if word.replace(".", "", 1).lstrip("-").isdigit() and (label.startswith("scale") or "slider" in label):
        return float(word)
    label = label.removeprefix("scale_")
    return label if is_missing(label) or not label.isdigit() else float(label)


def _folder(file: str) -> str:
    """Return the person's name: the folder's name, or the file's if it is not a standard name."""
    path = PurePosixPath(file)
    name = path.parent.name if path.stem in GENERIC else path.stem
    if not name:
        raise Unreadable(
            sentence(
                "{file} does not name the rater; name the file after the rater, or import the folder",
                file=path.name,
            )
        )
    return name
