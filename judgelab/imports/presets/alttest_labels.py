"""Alternative annotator test: labels of named people and judges without texts, {rater: {item: label}}."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judgelab.domain import Criterion, RaterKind
from judgelab.errors import InvalidInput
from judgelab.imports.core.records import RecordChunk, ScoreRecord
from judgelab.imports.presets.base import SIZE, Folder, Preset, presets
from judgelab.wording import mark, sentence

NAME = re.compile(r"(\w+)_(human|llm)_annotations\.json")
ONE_TO_FIVE = {"kind": "ordinal", "low": 1, "high": 5}
CRITERIA = {
    "cebab_stars": Criterion("stars", "Stars", ONE_TO_FIVE, "How many stars would the reviewer give?"),
    "10k_prompts": Criterion("quality", "Prompt quality", ONE_TO_FIVE, "How good is the prompt?"),
    "framing": Criterion(
        "framing",
        "Frame present",
        {"kind": "categorical", "labels": ["no", "yes", "n/a: problem is resolved"]},
        "Is the frame there?",
    ),
}


@presets.register("alttest-labels")
class AlttestLabels(Preset):
    """One set per project, people and judges in two files; items have only names (`--create-missing`)."""

    title = sentence("Alternative annotator test (labels)")
    summary = mark("Labels by 3 to 13 named people and six judges for items without texts.")

    def check(self, folder: Folder) -> None:
        """Raise `InvalidInput` unless the files belong to one set of scores."""
        sets = sorted({match[1] for name in folder.names() if (match := NAME.fullmatch(name))})
        if len(sets) > 1:
            raise InvalidInput(
                sentence(
                    "the folder contains {count} sets ({sets}), but a project can have only one; name it, "
                    "for example FOLDER/{example}.",
                    count=len(sets),
                    sets=", ".join(sets),
                    example=sets[1],
                )
            )
        if not sets:
            raise InvalidInput(
                sentence(
                    "{shape} needs SET_human_annotations.json or SET_llm_annotations.json; neither was "
                    "given.",
                    shape=self.title,
                )
            )
        if sets[0] == "mtbench":
            raise InvalidInput(
                sentence("mtbench contains choices between two answers; use --preset mtbench-pairs.")
            )
        if sets[0] not in CRITERIA:
            raise InvalidInput(
                sentence(
                    "'{name}' is not a known set of scores; choose one of {names}.",
                    name=sets[0],
                    names=", ".join(CRITERIA),
                )
            )

    def criteria(self, folder: Folder) -> tuple[Criterion, ...]:
        """Return the set's only criterion."""
        return (CRITERIA[_set(folder)],)

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield the labels of people, then of judges."""
        kinds: tuple[tuple[str, RaterKind], ...] = (("human", "human"), ("llm", "judge"))
        for word, kind in kinds:
            name = f"{_set(folder)}_{word}_annotations.json"
            if name in folder:
                yield from _labels(folder, name, kind=kind)


def _set(folder: Folder) -> str:
    return next(match[1] for name in folder.names() if (match := NAME.fullmatch(name)))


def _labels(folder: Folder, name: str, *, kind: RaterKind) -> Iterator[RecordChunk]:
    chunk = RecordChunk(source=name)
    for rater, labels in folder.document(name).items():
        for item, label in labels.items():
            chunk.scores.append(ScoreRecord(" ".join(item.split()), rater, label, kind))
            if len(chunk) >= SIZE:
                yield chunk
                chunk = RecordChunk(source=name)
    yield chunk
