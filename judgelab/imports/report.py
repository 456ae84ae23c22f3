"""The report of an import, and the preview before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from judgelab.domain import Criterion, Problem
from judgelab.imports.columns.mapping import ColumnMapping, Kind
from judgelab.wording import Sentence, counted, joined, sentence

KINDS = (
    *("items", "references", "responses", "ratings", "judgments", "preferences", "judged_pairs"),
    *("rankings", "metrics", "known_scores", "documents", "images"),
)


def count_sentence(counts: Mapping[str, int]) -> Sentence:
    """Return the counts of each kind as a sentence, without kinds that do not occur.

    >>> count_sentence({"items": 1, "ratings": 1200, "metrics": 0})
    '1 item, 1,200 ratings'
    """
    return joined([_counted(kind, n) for kind, n in counts.items() if n])


def _counted(kind: str, n: int) -> Sentence:
    words = {
        "items": counted("{n} item", "{n} items", n),
        "references": counted("{n} reference", "{n} references", n),
        "responses": counted("{n} response", "{n} responses", n),
        "ratings": counted("{n} rating", "{n} ratings", n),
        "judgments": counted("{n} judgment", "{n} judgments", n),
        "preferences": counted("{n} comparison by a rater", "{n} comparisons by raters", n),
        "judged_pairs": counted("{n} comparison by a judge", "{n} comparisons by judges", n),
        "rankings": counted("{n} ranking", "{n} rankings", n),
        "metrics": counted("{n} metric", "{n} metrics", n),
        "known_scores": counted("{n} known score", "{n} known scores", n),
        "documents": counted("{n} document", "{n} documents", n),
        "images": counted("{n} image", "{n} images", n),
    }
    return words.get(kind) or sentence("{n} {kind}", n=n, kind=kind)


@dataclass(frozen=True)
class ImportReport:
    """The numbers of rows that an import added, changed or found unchanged."""

    items: int = 0
    responses: int = 0
    references: int = 0
    ratings: int = 0
    judgments: int = 0
    preferences: int = 0
    judged_pairs: int = 0
    rankings: int = 0
    metrics: int = 0
    known_scores: int = 0
    documents: int = 0
    images: int = 0
    changed: Mapping[str, int] = field(default_factory=dict)
    unchanged: Mapping[str, int] = field(default_factory=dict)
    criteria: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as printed by the command line with `--json`."""
        return asdict(self)

    def sentence(self) -> str:
        """Return the report as one sentence."""
        new = count_sentence({kind: getattr(self, kind) for kind in KINDS})
        parts = [sentence("{found} new", found=new) if new else sentence("nothing new")]
        changed, unchanged = sum(self.changed.values()), sum(self.unchanged.values())
        parts += [sentence("{changed} changed", changed=changed)] if changed else []
        return joined([*parts, *([sentence("{same} unchanged", same=unchanged)] if unchanged else [])])


@dataclass(frozen=True)
class FilePreview:
    """The beginning of one file as it would be read; a preset's files have no mapping.

    `asks_kind` is whether a person must say if its raters are judges; `guessed` is whether the encoding of
    its text was guessed.
    """

    name: str
    kind: Kind | None
    mapping: ColumnMapping | None
    rows: tuple[Mapping[str, Any], ...]
    asks_kind: bool = False
    guessed: bool = False


@dataclass(frozen=True)
class Preview:
    """What an import would read.

    Args:
        files: each file's mapping and first rows.
        counts: the numbers of records by kind, in the part that was read.
        criteria: criteria that would be created, with their scales.
        problems: problems that prevent the import.
        notices: notices that are not problems.
        complete: whether the files were read to the end, not only their beginnings.
        doubtful: cells that may mean "no score".
        unread_choices: cells that are no choice between two responses unless a person gives their meaning.
    """

    files: tuple[FilePreview, ...]
    counts: Mapping[str, int]
    criteria: tuple[Criterion, ...]
    problems: tuple[Problem, ...]
    notices: tuple[str, ...]
    complete: bool
    doubtful: tuple[str, ...] = ()
    unread_choices: tuple[str, ...] = ()
