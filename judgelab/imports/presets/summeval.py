"""SummEval: 100 articles, 16 systems, three experts, six judges."""

from __future__ import annotations

from collections.abc import Iterator

from judgelab.domain import RaterKind, Reference
from judgelab.imports.core.records import RecordChunk, ScoreRecord
from judgelab.imports.presets.base import Folder, Preset, pieces, presets
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import mark

CRITERIA = ("coherence", "consistency", "fluency", "relevance")


@presets.register("summeval")
class SummEval(Preset):
    """Articles with 11 reference summaries; experts and judges in wide tables, one column per criterion."""

    title = "SummEval"
    summary = mark("News summaries of 16 systems, rated 1 to 5 by three experts and six judges.")
    needs = ("documents.jsonl", "summaries.jsonl", "ratings_experts.csv")
    study = "summeval"

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield articles, summaries, expert ratings and, if the file was given, judgments."""
        for rows in pieces(folder.rows("documents.jsonl", "doc_id", "source", "references")):
            yield RecordChunk(
                items=[
                    ItemRecord(
                        row.cells["doc_id"],
                        context=row.cells["source"],
                        references=tuple(Reference(text) for text in row.cells["references"]),
                        row=row.number,
                    )
                    for row in rows
                ]
            )
        for rows in pieces(folder.rows("summaries.jsonl", "doc_id", "system", "summary")):
            yield RecordChunk(
                responses=[
                    ResponseRecord(c["doc_id"], c["system"], c["system"], c["summary"], {}, number)
                    for number, c in rows
                ]
            )
        yield from _scores(folder, "ratings_experts.csv", rater="rater", kind="human")
        if "judges_alttest.csv" in folder:
            yield from _scores(folder, "judges_alttest.csv", rater="judge", kind="judge")


def _scores(folder: Folder, name: str, *, rater: str, kind: RaterKind) -> Iterator[RecordChunk]:
    for rows in pieces(folder.rows(name, "doc_id", "system", rater, *CRITERIA)):
        scores = [
            ScoreRecord(
                cells["doc_id"],
                cells[rater],
                cells[criterion],
                kind,
                criterion,
                response_id=cells["system"],
                row=number,
                column=criterion,
            )
            for number, cells in rows
            for criterion in CRITERIA
        ]
        yield RecordChunk(scores=scores, source=name)
