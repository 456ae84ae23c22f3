"""What a person should know about an import though nothing is wrong: left out, merged, unscored, created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from judgelab.imports.cells import text_of


class Remarks:
    """Counts, while files are checked, what is worth a sentence at the end."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()

    def missing(self, value: Any) -> None:
        """Note a human's cell without a score."""
        self._missing[text_of(value).strip()] += 1

    def note(self, what: str) -> None:
        """Note one of: "same", "again", "unscored", "item", "response", "both", "no choice"."""
        self._counts[what] += 1

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each thing that occurred."""
        if self._missing:
            words = ", ".join(
                (f"'{word}'" if word else "empty") + f" {n} times" for word, n in self._missing.most_common(5)
            )
            yield f"{self._missing.total():,} ratings hold no score ({words}); they were left out"
        if n := self._counts["unscored"]:
            yield f"{n:,} judgments hold no valid score; they are stored as unscored, each with its reason"
        if n := self._counts["same"]:
            yield f"{n:,} scores occur twice with the same value; each is stored once"
        if n := self._counts["again"]:
            yield f"{n:,} judgments occur again with other content (asked twice?); the last one counts"
        if n := self._counts["both"]:
            yield (
                f"{n:,} votes name a response the best and the worst at once; it stands in the middle, "
                "and the comment says so"
            )
        if n := self._counts["no choice"]:
            yield f"{n:,} rows hold no choice; they were left out"
        items, responses = self._counts["item"], self._counts["response"]
        if items or responses:
            yield f"{items:,} items and {responses:,} responses were created without texts"
