"""How a judge's score came about, in a line or two: votes, probabilities, or a person who read the reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.languages import _
from judgelab.store.frames.details import JudgeResult
from judgelab.ui.kit import text


def verdict_lines(opinion: JudgeResult) -> list[str]:
    """Return the lines, escaped; none for a single reply that was read as it stands."""
    found = []
    if opinion.entered_at is not None:
        who = text.plain(opinion.entered_by) if opinion.entered_by else _("somebody on the command line")
        found.append(_("Entered by hand by {who}, {when}.", who=who, when=text.when(opinion.entered_at)))
    votes: Mapping[str, float] = opinion.detail.get("votes") or {}
    if len(votes) > 1:
        found.append(_("Votes: {shares}.", shares=_shares(votes)))
    weights: Mapping[str, float] = opinion.detail.get("weights") or {}
    if weights:
        found.append(
            _(
                "Expected score over {shares}; these cover {mass} of the probability.",
                shares=_shares(weights),
                mass=text.per_cent(opinion.detail.get("mass", 0.0)),
            )
        )
    return [*found, *_comparison_result(opinion.detail)]


def _comparison_result(detail: Mapping[str, Any]) -> list[str]:
    """Return how a response fared against the others of its item, where they were compared."""
    met = {word: int(detail.get(word, 0)) for word in ("wins", "ties", "losses")}
    if not any(met.values()):
        return []
    found = [_("Compared with the others: {wins} won, {ties} tied, {losses} lost.", **met)]
    if detail.get("both_orders"):
        found.append(
            _(
                "{n} of the item's {pairs} pairs were judged otherwise when the texts changed places.",
                n=int(detail.get("inconsistent", 0)),
                pairs=int(detail["both_orders"]),
            )
        )
    return found


def _shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{text.plain(score)}: {text.per_cent(share)}" for score, share in shares.items())
