"""Reports on generating texts with a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgelab.store.prepared.replies import PreparedText
from judgelab.wording import counted


@dataclass(frozen=True)
class GenerationReport:
    """The result of generating texts.

    Attributes:
        texts: the answers by key; what got none is missing.
        failed: why there is none, by key.
        stopped: why no further call was made (a refused key, say); empty when all were.
        calls: calls made now, failed ones included.
        reused: answers that were there before.
        cost: US dollars of the answers that came now; None when a price or a count of tokens is unknown.
        seconds: from the first call to the last answer.
        unasked: how many texts were asked of nobody, because all calls stopped before.
    """

    texts: Mapping[str, PreparedText]
    failed: Mapping[str, str]
    stopped: str
    calls: int
    reused: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float
    unasked: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return what asking took and where it broke off, as `prepare --json` prints it."""
        return {"calls": self.calls, "cost": self.cost, "stopped": self.stopped, "unasked": self.unasked}

    def broke_off(self) -> list[str]:
        """Return the sentence on why generation stopped early; none if all requests were sent."""
        if not self.unasked:
            return []
        return [
            counted(
                "{n} text was not requested, because generation stopped: {reason}",
                "{n} texts were not requested, because generation stopped: {reason}",
                self.unasked,
                reason=self.stopped,
            )
        ]
