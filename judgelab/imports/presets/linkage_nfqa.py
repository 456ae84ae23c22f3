"""LINKAGE: graded answers to non-factoid questions, from three collections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from judgelab.domain import Criterion, Reference
from judgelab.errors import InvalidInput
from judgelab.imports.core.records import RecordChunk, ScoreRecord
from judgelab.imports.presets.base import SIZE, Folder, Preset, presets
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.studies import studies
from judgelab.wording import mark, sentence

# The lowest and highest grade in each file; the paper says 0 to 3 for all.
GRADES = {"ANTIQUE.json": (1, 4), "TREC-DL-NF.json": (0, 3), "WEBGLM_50.json": (1, 3)}
RATER = "human"
BEST_FIRST = ("ground3", "ground2", "ground1", "ground0", "ground4")


@presets.register("linkage-nfqa")
class LinkageNfqa(Preset):
    """One collection per project. Passages have ids but no system; the published grade is one human score.

    The web answers are from three systems and have graded references (`ground3` is the best; the few
    `ground4` are not graded by the source and come last).
    """

    title = sentence("LINKAGE (non-factoid answers)")
    summary = mark("Passages or systems' answers to open questions, each with its published grade.")
    study = "linkage"

    def check(self, folder: Folder) -> None:
        """Raise `InvalidInput` unless exactly one collection was given."""
        collections = [name for name in folder.names() if name in GRADES]
        if len(collections) == 1:
            return
        if collections:
            raise InvalidInput(
                sentence(
                    "the folder contains {count} collections ({collections}), but a project can have only "
                    "one; name its file, for example {example}.",
                    count=len(collections),
                    collections=", ".join(collections),
                    example=collections[0],
                )
            )
        raise InvalidInput(
            sentence(
                "{shape} needs one of {files}; none of them was given.",
                shape=self.title,
                files=", ".join(GRADES),
            )
        )

    def criteria(self, folder: Folder) -> tuple[Criterion, ...]:
        """Return the study's criterion with the file's grades."""
        low, high = GRADES[_name(folder)]
        criterion = studies.get(self.study).criteria[0]
        if (criterion.scale["low"], criterion.scale["high"]) == (low, high):
            return (criterion,)
        return (replace(criterion, scale={"kind": "ordinal", "low": low, "high": high}),)

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield the questions with their answers and grades."""
        name = _name(folder)
        criterion = self.criteria(folder)[0].key
        chunk = RecordChunk(source=name)
        for place, (question, content) in enumerate(folder.document(name).items(), start=1):
            item = f"{Path(name).stem.lower()}-{place}"
            if isinstance(content, Mapping):
                _add_web(chunk, content, item=item, question=question, criterion=criterion)
            else:
                _add_passages(chunk, content, item=item, question=question, criterion=criterion)
            if len(chunk) >= SIZE:
                yield chunk
                chunk = RecordChunk(source=name)
        yield chunk


def _name(folder: Folder) -> str:
    return next(name for name in folder.names() if name in GRADES)


def _add_passages(chunk: RecordChunk, content: Any, *, item: str, question: str, criterion: str) -> None:
    chunk.items.append(ItemRecord(item, question))
    for passage in content:
        # The entries of one question have a different key than all others.
        response = str(passage.get("docid", passage.get("doc_id")))
        chunk.responses.append(ResponseRecord(item, response, "", passage["passage"]))
        chunk.scores.append(ScoreRecord(item, RATER, passage["label"], "human", criterion, response))


def _add_web(
    chunk: RecordChunk, content: Mapping[str, Any], *, item: str, question: str, criterion: str
) -> None:
    references = tuple(
        Reference(content[key], None if key == "ground4" else float(key[-1]))
        for key in BEST_FIRST
        if content.get(key)
    )
    chunk.items.append(ItemRecord(item, question, references=references))
    for answer in content["doc_list"]:
        system = answer["model"]
        chunk.responses.append(ResponseRecord(item, system, system, answer["answer"]))
        chunk.scores.append(ScoreRecord(item, RATER, answer["label"], "human", criterion, system))
