"""Sets of the alternative annotator test: two files of labels, {rater: {item: label}}."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from judgelab.domain import RaterKind
from judgelab.imports.core.cells import is_missing
from judgelab.imports.core.fields import recognise
from judgelab.imports.core.rater_names import is_like_a_model, is_like_a_person
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.wording import mark

CRITERION, BETWEEN = "label", "|"
_PEOPLE = re.compile(r"(?:^|[\W_])(?:humans?|people|experts?|crowd|workers?)(?:[\W_]|$)", re.IGNORECASE)
_JUDGES = re.compile(r"(?:^|[\W_])(?:llms?|judges?|models?)(?:[\W_]|$)", re.IGNORECASE)
_LABEL = r'(?:"(?:[^"\\]|\\.){0,60}"|-?[0-9.]+|null|true|false)'
_KEY = r'"(?:[^"\\]|\\.)*"'
# The beginning: a rater with three labels, or all of them.
_BEGINNING = re.compile(
    rf"\s*\{{\s*{_KEY}\s*:\s*\{{(?:\s*{_KEY}\s*:\s*{_LABEL}\s*,){{2}}\s*{_KEY}\s*:\s*{_LABEL}"
)


@result_tools.register("alttest")
class AltTest(ResultTool):
    """Reads the label of each rater; the files' names or the raters' say who are people."""

    title = "AltTest"
    summary = mark("Labels of named people and judges for items without texts, in a file for each of both.")
    version = "2025"
    examples = (
        Example(
            {
                "set_human_annotations.json": """{"w1": {"a|red": 5, "b|red": 3, "c|red": 1},
"w2": {"a|red": 4, "b|red": 3}}""",
                "set_llm_annotations.json": """{"owl": {"a|red": 5, "b|red": 2, "c|red": null}}""",
            },
            items=3,
            responses=3,
            human=5,
            judged=3,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether each rater has labels by item, and the raters or the file are named as such."""
        text = file.head.decode("utf-8-sig", "ignore")
        if not _BEGINNING.match(text):
            return False
        try:
            raters = json.loads(text)
        except ValueError:  # longer than the beginning
            return _kind_of_file(file.name) is not None
        labels = list(raters.values())
        if not all(isinstance(one, dict) and not any(map(_is_nested, one.values())) for one in labels):
            return False
        # Rows by their ids have the names of columns as keys.
        if any(recognise(key) for one in labels for key in one):
            return False
        shared = len(labels) > 1 and all(labels[0].keys() & one.keys() for one in labels)
        return shared or _kind_of_file(file.name) is not None

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield each label; keys such as "item|system" in all files name the system, too."""
        contents = [(file, file.document()) for file in files]
        items = {item for _, raters in contents for labels in raters.values() for item in labels}
        with_systems = all(item.count(BETWEEN) == 1 for item in items)
        for file, raters in contents:
            of_file = _kind_of_file(file.name)
            for rater, labels in raters.items():
                kind = of_file or _kind_of_rater(rater) or notes.kind_of(rater)
                yield from _results(rater, kind, labels, with_systems=with_systems)


def _results(
    rater: str, kind: RaterKind, labels: Mapping[str, Any], *, with_systems: bool
) -> Iterator[Result]:
    for number, (key, label) in enumerate(labels.items(), start=1):
        item, system = key.split(BETWEEN) if with_systems else (key, "")
        if kind == "judge" or not is_missing(label):
            value = None if is_missing(label) else label
            score = Score(rater, kind, CRITERION, value)
            yield Result(" ".join(item.split()), number, system=system.strip(), score=score)


def _kind_of_file(name: str) -> RaterKind | None:
    """Return the kind of all raters of a file that is named after people or judges."""
    stem = PurePath(name).stem
    if bool(_PEOPLE.search(stem)) == bool(_JUDGES.search(stem)):
        return None
    return "human" if _PEOPLE.search(stem) else "judge"


def _kind_of_rater(name: str) -> RaterKind | None:
    if is_like_a_model(name) or "judge" in name.casefold():
        return "judge"
    return "human" if is_like_a_person(name) else None


def _is_nested(value: Any) -> bool:
    return isinstance(value, (list, dict))
