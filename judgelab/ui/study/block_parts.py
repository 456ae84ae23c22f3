"""Parts of a replicated table that the page shows: some of its columns, and short names on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from judgelab.replication.cells import Block, Cell, Head, Line
from judgelab.replication.project_additions import MEAN_OF_ROWS
from judgelab.wording import mark

MEAN_OF_SHARED_ROWS = mark("Mean of the shared rows")
NO_DATA, NO_VALUE, OTHER_SETTINGS = mark("no data"), mark("no value"), mark("other settings")
# What is written in place of a number, and the note on it.
MISSING_NOTES = {
    NO_DATA: mark("No data: this project lacks the scores that the number needs."),
    NO_VALUE: mark("No value: the number cannot be computed from this project's scores."),
    OTHER_SETTINGS: mark("Other settings: this project has the metric, but not computed as in the paper."),
}


def missing_words(cell: Cell) -> str:
    """Return what is written for a number that this project does not have, a key of `MISSING_NOTES`."""
    if cell.other_settings:
        return OTHER_SETTINGS
    return NO_VALUE if cell.estimate.n else NO_DATA


def with_short_mean(block: Block) -> Block:
    """Return the block as a phone shows it: the mean that the project adds has a short name."""
    start = MEAN_OF_ROWS.partition("{")[0]
    lines = [
        replace(line, label=MEAN_OF_SHARED_ROWS) if line.is_added and line.label.startswith(start) else line
        for line in block.lines
    ]
    return replace(block, lines=tuple(lines))


def with_columns(block: Block, columns: Sequence[int], *, drop_label: bool = False) -> Block:
    """Return the block with these columns; `drop_label`: under their group heading only."""
    kept_heads = [block.columns[column] for column in columns]
    return Block(
        model=block.model,
        columns=tuple(Head("", head.group_heading) if drop_label else head for head in kept_heads),
        lines=tuple(
            Line(line.label, tuple(line.cells[column] for column in columns), line.section, line.is_added)
            for line in block.lines
        ),
        common=block.common,
    )
