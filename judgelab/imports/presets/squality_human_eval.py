"""SQuALITY: answers to questions about stories, three of four named workers each, 0 to 100."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgelab.domain import Criterion, Reference
from judgelab.imports.core.records import RecordChunk, ScoreRecord
from judgelab.imports.presets.base import Folder, Preset, pieces, presets
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import mark, sentence

RATINGS, QUESTIONS = "ratings_long.csv", "questions.jsonl"
SCALE = {"kind": "numeric", "low": 0, "high": 100}
CRITERIA = ("correctness", "coverage_selection", "overall")


@presets.register("squality-human-eval")
class Squality(Preset):
    """100 questions with three systems' answers and three references; the group is the story."""

    title = sentence("SQuALITY (human evaluation)")
    summary = mark("Answers of three systems to questions about stories, rated 0 to 100 by named workers.")
    needs = (RATINGS, QUESTIONS)

    def criteria(self, folder: Folder) -> tuple[Criterion, ...]:
        """Return the three criteria the workers rated."""
        return (
            Criterion("correctness", "Correctness", SCALE, "Is what it says true of the story?"),
            Criterion("coverage_selection", "Coverage", SCALE, "Does it hold what matters to the question?"),
            Criterion("overall", "Overall", SCALE, "How good is it as a whole?"),
        )

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield questions with answers, then ratings."""
        chunk = RecordChunk()
        for number, cells in folder.rows(QUESTIONS, "passage_id", "question_no", "question", "responses"):
            item = _item_id(cells)
            references = tuple(Reference(text) for text in cells.get("other_references") or ())
            chunk.items.append(
                ItemRecord(item, cells["question"], "", cells["passage_id"], references, row=number)
            )
            chunk.responses += [
                ResponseRecord(item, system, system, text, {}, number)
                for system, text in cells["responses"].items()
            ]
        yield chunk
        for rows in pieces(folder.rows(RATINGS, "passage_id", "question_no", "system", "worker", *CRITERIA)):
            yield RecordChunk(
                scores=[
                    ScoreRecord(
                        _item_id(cells),
                        cells["worker"],
                        cells[criterion],
                        "human",
                        criterion,
                        cells["system"],
                        row=number,
                        column=criterion,
                    )
                    for number, cells in rows
                    for criterion in CRITERIA
                ],
                source=RATINGS,
            )


def _item_id(cells: Mapping[str, Any]) -> str:
    return f"{cells['passage_id']}-{cells['question_no']}"
