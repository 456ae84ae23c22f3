"""QA-eval: 301 questions, 12 systems, right or wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from judgelab.domain import RaterKind, Reference
from judgelab.imports.columns.tables import Row
from judgelab.imports.core.records import RecordChunk, ScoreRecord
from judgelab.imports.presets.base import Folder, Preset, pieces, presets
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import mark, sentence

PREDICTIONS, LABELS, RATERS = "predictions_12systems.jsonl", "labels_12systems.csv", "NQ301_human.tsv"
JUDGES = ("gpt4_zero_shot", "text_davinci_003", "bem")


@presets.register("qa-eval-nq301")
class QaEval(Preset):
    """Answers with gold answers, one human label (agreed by two or three raters) and three judges' labels.

    One system's file has longer lists of gold answers for seven questions. The item has the list used for
    most systems; the other list is stored with that system's response (`meta["references"]`), because the
    published exact match and F1 are based on it.
    """

    title = sentence("QA-eval (NQ-open, 301 questions)")
    summary = mark("Short answers of 12 systems, labelled right or wrong by people and three judges.")
    needs = (PREDICTIONS, LABELS)
    study = "qa_eval"

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield questions, then answers, then labels."""
        rows = list(folder.rows(PREDICTIONS, "system", "question", "answer", "prediction"))
        ids = _ids(folder, rows)
        gold = _gold(rows)
        yield RecordChunk(
            items=[
                ItemRecord(ids[question], question, references=tuple(map(Reference, answers)))
                for question, answers in gold.items()
            ],
            responses=[_response(row, ids, gold) for row in rows],
        )
        for part in pieces(folder.rows(LABELS, "system", "question", "human")):
            yield RecordChunk(scores=[score for row in part for score in _labels(row, ids)], source=LABELS)


def _ids(folder: Folder, rows: list[Row]) -> dict[str, str]:
    """Return the published number of each question, or its position if that is not known."""
    published: dict[str, str] = {}
    if RATERS in folder:
        published = {
            _plain(r.cells["Question"]): r.cells["id"] for r in folder.rows(RATERS, "id", "Question")
        }
    questions = dict.fromkeys(row.cells["question"] for row in rows)
    return {q: published.get(_plain(q), f"n{place}") for place, q in enumerate(questions, start=1)}


def _plain(question: str) -> str:
    # The two files differ in spaces around punctuation and in final question marks.
    return re.sub(r"\W+", "", question.lower())


def _gold(rows: list[Row]) -> dict[str, tuple[str, ...]]:
    votes: dict[str, Counter[tuple[str, ...]]] = {}
    for row in rows:
        votes.setdefault(row.cells["question"], Counter())[tuple(row.cells["answer"])] += 1
    return {question: counter.most_common(1)[0][0] for question, counter in votes.items()}


def _response(row: Row, ids: dict[str, str], gold: dict[str, tuple[str, ...]]) -> ResponseRecord:
    cells = row.cells
    references = tuple(cells["answer"])
    meta: dict[str, Any] = {} if references == gold[cells["question"]] else {"references": list(references)}
    system = cells["system"]
    return ResponseRecord(ids[cells["question"]], system, system, cells["prediction"], meta, row.number)


def _labels(row: Row, ids: dict[str, str]) -> Iterator[ScoreRecord]:
    raters: list[tuple[str, RaterKind]] = [("human", "human")]
    raters += [(judge, "judge") for judge in JUDGES if judge in row.cells]
    for rater, kind in raters:
        yield ScoreRecord(
            ids.get(row.cells["question"], row.cells["question"]),
            rater,
            row.cells[rater],
            kind,
            "correct",
            response_id=row.cells["system"],
            aggregate=kind == "human",
            row=row.number,
            column=rater,
        )
