"""Which rows a model answers together: of one manner, of like length, within the memory there is. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.backends.local.jobs import BatchRow, GenerationConfig

MOST_ROWS = 64


def next_batch(rows: Sequence[BatchRow], *, budget: int, extra: int = 0) -> list[BatchRow]:
    """Return the batch with the first row, so that no row waits for ever.

    Rows of the first one's manner are sorted by length and cut into batches; padding then costs little.

    Args:
        rows: what waits, oldest first; at least one.
        budget: tokens a batch may hold, padding and replies included; a single row may be larger.
        extra: tokens that every token of a beam's reply counts on top, for the scores kept of it.
    """
    oldest = rows[0]
    alike = [row for row in rows if row.manner == oldest.manner]
    return next(batch for batch in batches(alike, budget=budget, extra=extra) if oldest in batch)


def batches(rows: Sequence[BatchRow], *, budget: int, extra: int = 0) -> list[list[BatchRow]]:
    """Return rows of one manner as batches, longest prompts first."""
    grouped: list[list[BatchRow]] = []
    for row in sorted(rows, key=lambda row: len(row.ids), reverse=True):
        if grouped and len(grouped[-1]) < MOST_ROWS:
            widest = len(grouped[-1][0].ids)
            if (len(grouped[-1]) + 1) * tokens(widest, row.manner, extra=extra) <= budget:
                grouped[-1].append(row)
                continue
        grouped.append([row])
    return grouped


def tokens(width: int, manner: GenerationConfig, *, extra: int = 0) -> int:
    """Return the tokens that one row of a batch of this width takes."""
    beam_tokens = extra * manner.max_tokens if manner.beams > 1 else 0
    return (width + manner.max_tokens + beam_tokens) * manner.beams


def padded(
    sequences: Sequence[Sequence[int]], *, pad: int, left: bool
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the sequences at one length, and the mask that says which tokens count.

    >>> padded([[5, 6], [7]], pad=0, left=True)
    ([[5, 6], [0, 7]], [[1, 1], [0, 1]])
    """
    width = max(len(sequence) for sequence in sequences)
    ids, mask = [], []
    for sequence in sequences:
        empty = width - len(sequence)
        filler, unseen, seen = [pad] * empty, [0] * empty, [1] * len(sequence)
        ids.append([*filler, *sequence] if left else [*sequence, *filler])
        mask.append([*unseen, *seen] if left else [*seen, *unseen])
    return ids, mask
