"""ELECT: answers to product questions, mean human scores, ten sampled replies of four judges."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import list_of
from judgelab.imports.core.records import RecordChunk, ScoreRecord
from judgelab.imports.presets.base import Folder, Preset, presets
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import mark, sentence

JUDGED = re.compile(r"llama3_(\w+?)_Table2_10\.csv")
PLAIN = re.compile(r"QA_(\w+)\.csv")
JUDGES = ("llama_elect4", "llama_geval", "llama_dp", "llama_dp4")
SYSTEM = "UnifiedQA"


@presets.register("elect-rpqa")
class ElectRpqa(Preset):
    """One file per product category, which becomes the group; the product's title is the context.

    The human column has means of several raters, so its rater is "annotated". A judge's ten sampled digits in
    one cell are one judgment with ten replies.
    """

    title = sentence("ELECT (RPQA)")
    summary = mark(
        "Answers to product questions in three categories, scored 0 to 3 by people and four judges."
    )
    study = "elect"

    def check(self, folder: Folder) -> None:
        """Raise `InvalidInput` if no category's file was given."""
        if not _categories(folder):
            raise InvalidInput(
                sentence(
                    "{shape} needs llama3_CATEGORY_Table2_10.csv or QA_CATEGORY.csv (files given: {files}).",
                    shape=self.title,
                    files=", ".join(folder.names()) or sentence("none"),
                )
            )

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield questions, answers and scores, category by category."""
        criterion = self.criteria(folder)[0].key
        for category, name in _categories(folder).items():
            yield _chunk(folder, category=category, name=name, criterion=criterion)


def _categories(folder: Folder) -> dict[str, str]:
    """Return the file of each category: the one with judges if there are both."""
    files: dict[str, str] = {}
    for pattern in (PLAIN, JUDGED):
        for name in folder.names():
            match = pattern.fullmatch(name)
            if match:
                files[match[1]] = name
    return files


def _chunk(folder: Folder, *, category: str, name: str, criterion: str) -> RecordChunk:
    chunk = RecordChunk(source=name)
    for place, (number, cells) in enumerate(
        folder.rows(name, "title", "question", "answer", "annotated"), start=1
    ):
        item = f"{category}-{place}"
        chunk.items.append(ItemRecord(item, cells["question"], cells["title"], category, row=number))
        chunk.responses.append(ResponseRecord(item, SYSTEM, SYSTEM, cells["answer"], {}, number))
        score = ScoreRecord(
            item, "annotated", cells["annotated"], "human", criterion, SYSTEM, aggregate=True, row=number
        )
        chunk.scores.append(score)
        chunk.scores += [
            score._replace(
                rater=judge,
                kind="judge",
                value=None,
                aggregate=False,
                samples=tuple(list_of(cells[judge])),
                column=judge,
            )
            for judge in JUDGES
            if judge in cells
        ]
    return chunk
