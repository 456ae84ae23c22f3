"""The parts of a replicated table: published numbers and this project's, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from judgelab.metaeval.coefficients.left_out import left_out, of_rows
from judgelab.metaeval.core.result import Estimate, groups_json, no_interval
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts
from judgelab.wording import joined, sentence

COUNT = no_interval(sentence("a count"))  # the `ci_method` of a number that is not an estimate


@dataclass(frozen=True)
class Cell:
    """One number of a paper with the project's.

    Args:
        published: as printed; None where the paper has none.
        estimate: the project's, on its own scale; its reason says why there is none.
        scale: factor that brings the project's number to the printed scale.
        decimals: digits printed.
        rater: the rater in the project.
        kind: what that one is: "human", "judge" or "metric"; empty where nobody.
        note: what is known about the printed number.
        other_settings: whether the project has the metric, but not computed as in the paper.
        level: of the coefficient; at level "item" its groups are items.
        others: other raters that match equally well.
        project: slug of the project it comes from.
        stand_in: why the number is not compared with the printed one: "demo" for material written for show,
            "scripted" or "imported" for a judge that no model answered for in this project; else "".
        lost: judgments of the judge without a score, and why.
        lead: "ahead" for the first of its row or column, told apart from the next best; "first" where that
            could be chance; else "".
    """

    published: float | None
    estimate: Estimate
    scale: float = 1.0
    decimals: int = 3
    rater: str = ""
    kind: str = ""
    note: str = ""
    other_settings: bool = False
    level: str = ""
    others: tuple[str, ...] = ()
    project: str = ""
    stand_in: str = ""
    lead: str = ""
    lost: UnscoredCounts = NONE_MISSING

    @property
    def value(self) -> float | None:
        """Return the project's number on the printed scale."""
        return None if self.estimate.value is None else self.estimate.value * self.scale

    @property
    def ci(self) -> tuple[float, float] | None:
        """Return the 95 % interval on the printed scale."""
        ends = self.estimate.ci
        return None if ends is None else (ends[0] * self.scale, ends[1] * self.scale)

    @property
    def left_out(self) -> list[str]:
        """Return a phrase for every count of left-out data, missing scores first."""
        return self.phrases_left_out()

    def phrases_left_out(self, *, by_level: bool = False) -> list[str]:
        """Return the phrases of `left_out`; `by_level` says "items" for groups that are items."""
        level = self.level if by_level else ""
        return left_out(self.estimate, self.lost.phrases(), level=level) if self.value is not None else []

    @property
    def runs(self) -> int | None:
        """Return the number of runs whose results were averaged; None for a single one."""
        runs_used = self.estimate.params.get("runs_used")
        return None if runs_used is None else int(runs_used)

    @property
    def outside(self) -> bool | None:
        """Whether the published number lies outside the interval; None if that cannot be said.

        A printed number stands for all that round to it, so half a unit of its last digit is allowed. A count
        has no interval and is compared exactly. Stand-ins for a model's scores are not compared.
        """
        if self.stand_in:
            return None
        half = 0.5 * 10.0**-self.decimals
        if self.published is not None and self.value is not None and self.estimate.ci_method == COUNT:
            return abs(self.published - self.value) > half + 1e-9
        if self.published is None or self.ci is None:
            return None
        return self.published < self.ci[0] - half or self.published > self.ci[1] + half

    @property
    def difference(self) -> float | None:
        """Return the project's number minus the published one."""
        return None if self.published is None or self.value is None else self.value - self.published

    def to_json(self) -> dict[str, Any]:
        """Return the cell as plain JSON values."""
        return {
            "published": self.published,
            "value": self.value,
            "ci": list(self.ci) if self.ci else None,
            "n": self.estimate.n,
            **groups_json(self.estimate),
            "n_missing": self.estimate.params.get("n_missing", 0),
            **self.lost.to_json(),
            "left_out": self.left_out,
            "runs": self.runs,
            "reason": self.estimate.reason,
            "outside": self.outside,
            "lead": self.lead,
            "stand_in": self.stand_in,
            "rater": self.rater,
            "rater_kind": self.kind,
            "project": self.project,
            "note": self.note,
            "ci_method": self.estimate.ci_method,
            "seed": self.estimate.seed,
        }


@dataclass(frozen=True)
class Head:
    """Column header: the group above it, and its own label."""

    group_heading: str
    label: str


@dataclass(frozen=True)
class Line:
    """One row with its cells, one per column."""

    label: str
    cells: tuple[Cell, ...]
    section: str = ""
    is_added: bool = False  # whether the project added it


@dataclass(frozen=True)
class Common:
    """How many responses of a data set all rows are based on, of those that any row has scored."""

    dataset: str
    used: int
    scored: int


@dataclass(frozen=True)
class Block:
    """The whole table for one model of the project.

    `model` is the project's model, "" for imported judges of unknown model, None if there is no judge.
    `common` is set if all rows are based on the same responses.
    """

    model: str | None
    columns: tuple[Head, ...]
    lines: tuple[Line, ...]
    common: tuple[Common, ...] = ()

    @property
    def left_out(self) -> list[str]:
        """Return a sentence for every count of left-out data, with the cells it applies to."""
        return self.sentences_left_out()

    def sentences_left_out(self, *, by_level: bool = False) -> list[str]:
        """Return the sentences of `left_out`; `by_level` says "items" for groups that are items."""
        return of_rows(named for line in self.lines for named in self._noted(line, by_level))

    def _noted(self, line: Line, by_level: bool) -> Iterator[tuple[str, list[str]]]:
        """Yield the notes of a row: for all its numbers together, for those under one header, or for each."""
        filled = [
            (head, cell.phrases_left_out(by_level=by_level))
            for head, cell in zip(self.columns, line.cells, strict=True)
            if cell.value is not None
        ]
        if len({tuple(phrases) for _, phrases in filled}) == 1:
            yield line.label, filled[0][1]
            return
        for over in dict.fromkeys(head.group_heading for head, _ in filled):
            under = [(head, phrases) for head, phrases in filled if head.group_heading == over]
            if over and len({tuple(phrases) for _, phrases in under}) == 1:
                yield joined([line.label, f"({over})"], " "), under[0][1]
            else:
                for head, phrases in under:
                    column = f"({f'{over} {head.label}'.strip()})"
                    yield joined([line.label, column], " "), phrases

    @property
    def answered(self) -> bool:
        """Whether the project has any of the numbers."""
        return any(cell.value is not None for _line, _head, cell in self.cells())

    def cells(self) -> Iterator[tuple[Line, Head, Cell]]:
        """Yield every cell with its row and column."""
        for line in self.lines:
            for head, cell in zip(self.columns, line.cells, strict=True):
                yield line, head, cell


@dataclass(frozen=True)
class ReplayedTable:
    """A paper's table with the projects' numbers."""

    study: str
    number: str
    title: str
    head: str
    decimals: int
    note: str
    blocks: tuple[Block, ...]
    common: bool = False  # whether all its rows stand on the same responses
    recipe: Mapping[str, Any] = field(default_factory=dict)

    @property
    def printed_name(self) -> str:
        """Return what the paper calls it: `Table 1`, `Figure 6`."""
        return self.number.capitalize() if self.is_figure else f"Table {self.number}"

    @property
    def is_figure(self) -> bool:
        """Whether the paper shows these numbers in a figure."""
        return self.number.startswith("figure")

    def cells(self) -> Iterator[tuple[Block, Line, Head, Cell]]:
        """Yield every cell with its block, row and column."""
        for block in self.blocks:
            for line, head, cell in block.cells():
                yield block, line, head, cell

    def to_json(self) -> dict[str, Any]:
        """Return the table as plain JSON values, one object a cell."""
        return {
            "study": self.study,
            "table": self.number,
            "title": self.title,
            "note": self.note,
            "recipe": dict(self.recipe),
            "common": [
                {"model": block.model, **vars(common)} for block in self.blocks for common in block.common
            ],
            "cells": [
                {
                    "model": block.model,
                    "section": line.section,
                    "row": line.label,
                    "over": head.group_heading,
                    "column": head.label,
                    **cell.to_json(),
                }
                for block, line, head, cell in self.cells()
            ],
        }


@dataclass(frozen=True)
class ReplicationCounts:
    """How many published numbers of a table have a counterpart, and how many lie outside its interval.

    `stand_ins` counts those next to a stand-in's number, which are not compared.
    """

    published: int
    compared: int
    outside: int
    filled: int
    stand_ins: int = 0


def count_replicated(table: ReplayedTable, block: Block | None = None) -> ReplicationCounts:
    """Return the counts of a table over all blocks, or of one block.

    A mean of printed numbers that the project added is no printed number.
    """
    rows = [(line, cell) for *_, line, _head, cell in (table.cells() if block is None else block.cells())]
    cells = [cell for _line, cell in rows]
    printed = [cell for line, cell in rows if not line.is_added]
    compared = [cell for cell in printed if cell.outside is not None]
    return ReplicationCounts(
        published=sum(cell.published is not None for cell in printed),
        compared=len(compared),
        outside=sum(bool(cell.outside) for cell in compared),
        filled=sum(cell.value is not None for cell in cells),
        stand_ins=sum(
            bool(cell.stand_in) and cell.published is not None and cell.value is not None for cell in printed
        ),
    )
