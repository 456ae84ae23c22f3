"""How a judge's score was obtained, in a line or two: votes, probabilities, or a person who read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.languages import _
from judgelab.store.frames.details import JudgeResult
from judgelab.ui.kit import text


def verdict_lines(judgment: JudgeResult) -> list[str]:
    """Return the lines, escaped; none if the score was read from a single reply."""
    lines = []
    if judgment.entered_at is not None:
        person = text.plain(judgment.entered_by) if judgment.entered_by else _("a command-line user")
        lines.append(_("Entered by hand by {who}, {when}.", who=person, when=text.when(judgment.entered_at)))
    votes: Mapping[str, float] = judgment.detail.get("votes") or {}
    if len(votes) > 1:
        lines.append(_("Votes: {shares}.", shares=_shares(votes)))
    weights: Mapping[str, float] = judgment.detail.get("weights") or {}
    if weights:
        lines.append(
            _(
                "Expected score over {shares}; these cover {mass} of the probability.",
                shares=_shares(weights),
                mass=text.per_cent(judgment.detail.get("mass", 0.0)),
            )
        )
    return [*lines, *_comparison_result(judgment.detail)]


def _comparison_result(detail: Mapping[str, Any]) -> list[str]:
    """Return how a response did in comparisons with the others of its item, if there were any."""
    counts = {word: int(detail.get(word, 0)) for word in ("wins", "ties", "losses")}
    if not any(counts.values()):
        return []
    lines = [_("Compared with the others: {wins} won, {ties} tied, {losses} lost.", **counts)]
    if detail.get("both_orders"):
        lines.append(
            _(
                "{n} of the item's {pairs} pairs were judged differently when the texts were swapped.",
                n=int(detail.get("inconsistent", 0)),
                pairs=int(detail["both_orders"]),
            )
        )
    return lines


def _shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{text.plain(score)}: {text.per_cent(share)}" for score, share in shares.items())
