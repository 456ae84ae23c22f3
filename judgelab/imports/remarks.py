"""What a person should know about an import though nothing is wrong: left out, merged, unscored, created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from judgelab.imports.cells import text_of
from judgelab.imports.problems import counted


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
                (f"'{word}'" if word else "empty") + f" {counted(n, 'time')}"
                for word, n in self._missing.most_common(5)
            )
            yield f"{_say(self._missing.total(), 'rating', 'holds')} no score ({words}); left out"
        if n := self._counts["unscored"]:
            yield f"{_say(n, 'judgment', 'holds')} no valid score; stored as unscored, with the reason"
        if n := self._counts["same"]:
            yield f"{_say(n, 'score', 'occurs')} twice with the same value; stored once"
        if n := self._counts["again"]:
            again = _say(n, "judgment", "occurs")
            yield f"{again} again with other content (asked twice?); the last one counts"
        if n := self._counts["both"]:
            yield (
                f"{_say(n, 'vote', 'names')} a response the best and the worst at once; it stands in the "
                "middle, and the comment says so"
            )
        if n := self._counts["no choice"]:
            yield f"{_say(n, 'row', 'holds')} no choice; left out"
        items, responses = self._counts["item"], self._counts["response"]
        if items or responses:
            yield f"created without texts: {counted(items, 'item')} and {counted(responses, 'response')}"


def _say(number: int, word: str, verb: str) -> str:
    return f"{counted(number, word)} {verb if number == 1 else verb.removesuffix('s')}"
