"""Notices about an import that are not problems: what was left out, merged, unscored or created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from judgelab.imports.core.cells import text_of
from judgelab.imports.core.problems import listing
from judgelab.imports.core.rater_names import is_of_several, may_be_a_model, names_several
from judgelab.wording import counted, joined, sentence

MAX_DOUBTS = 12  # uncertain cells that a person is asked about


class Remarks:
    """Counts remarks while files are checked, for a sentence about each at the end."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()
        self._people: dict[str, bool] = {}
        self._outside: dict[str, tuple[float, float, int]] = {}
        self._renamed: dict[str, str] = {}
        self.doubts: dict[str, None] = {}
        self.unread_choices: dict[str, None] = {}

    def renamed(self, name: str, stored: str) -> None:
        """Note a rater's name that is stored differently."""
        self._renamed[name] = stored

    def outside(self, criterion: str, score: float) -> None:
        """Note a judge's score outside the criterion's scale."""
        low, high, n = self._outside.get(criterion, (score, score, 0))
        self._outside[criterion] = (min(low, score), max(high, score), n + 1)

    def doubt(self, cell: str) -> None:
        """Note a cell that may mean "no score"; the first ones are kept."""
        if len(self.doubts) < MAX_DOUBTS:
            self.doubts.setdefault(cell)

    def unread_choice(self, cell: str) -> None:
        """Note a cell that is no choice; the first ones are kept."""
        if len(self.unread_choices) < MAX_DOUBTS:
            self.unread_choices.setdefault(cell)

    def person(self, name: str) -> None:
        """Note a rater that is stored as a person."""
        if name not in self._people:
            self._people[name] = may_be_a_model(name)

    def missing(self, value: Any) -> None:
        """Note a human's cell without a score."""
        self._missing[text_of(value).strip()] += 1

    def note(self, what: str) -> None:
        """Note one of the kinds below, such as "same" or "unscored"."""
        self._counts[what] += 1

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each remark that occurred."""
        if self._missing:
            yield counted(
                "{n} rating has no score ({words}); left out",
                "{n} ratings have no score ({words}); left out",
                self._missing.total(),
                words=joined([_occurrences(word, n) for word, n in self._missing.most_common(5)]),
            )
        if n := self._counts["unscored"]:
            yield counted(
                "{n} judgment has no valid score; stored as unscored, with the reason",
                "{n} judgments have no valid score; stored as unscored, with the reason",
                n,
            )
        if n := self._counts["passed"]:
            yield counted(
                "{n} cell says “cannot judge”; stored as this answer, without a score",
                "{n} cells say “cannot judge”; stored as this answer, without a score",
                n,
            )
        for criterion, (low, high, times) in self._outside.items():
            yield counted(
                "{n} score by a judge is outside the scale of '{criterion}' ({found}); its text is kept; if "
                "the scale is too narrow, widen it: judgelab project criterion widen PROJECT {criterion}",
                "{n} scores by judges are outside the scale of '{criterion}' ({found}); their texts are "
                "kept; if the scale is too narrow, widen it: "
                "judgelab project criterion widen PROJECT {criterion}",
                times,
                criterion=criterion,
                found=f"{low:g}" if low == high else f"{low:g}, {high:g}",
            )
        if n := self._counts["same"]:
            yield counted(
                "{n} score occurs twice with the same value; stored once",
                "{n} scores occur twice with the same value; stored once",
                n,
            )
        if n := self._counts["again"]:
            yield counted(
                "{n} judgment is repeated with different content (judged twice?); the last one counts",
                "{n} judgments are repeated with different content (judged twice?); the last one counts",
                n,
            )
        if n := self._counts["both"]:
            yield counted(
                "{n} vote names a response as both best and worst; it counts as in between, and the "
                "comment says so",
                "{n} votes name a response as both best and worst; it counts as in between, and the "
                "comment says so",
                n,
            )
        if n := self._counts["no choice"]:
            yield counted("{n} row has no choice; left out", "{n} rows have no choice; left out", n)
        if n := self._counts["confidence"]:
            yield counted(
                "{n} comparison by a rater has a confidence, which is stored for judges only; not stored",
                "{n} comparisons by raters have a confidence, which is stored for judges only; not stored",
                n,
            )
        if self._renamed:
            yield sentence(
                "rater names that are whole numbers count as the same with and without .0 and leading "
                "zeros: {names}",
                names=", ".join(
                    f"'{name}' = '{stored}'" for name, stored in islice(self._renamed.items(), 5)
                ),
            )
        if models := [name for name, like in self._people.items() if like]:
            yield sentence(
                "stored as people, although their names look like models: {names}; if they are judges, "
                "add --map rater_kind=judge",
                names=listing(models),
            )
        if together := [name for name in self._people if is_of_several(name)]:
            yield sentence(
                "stored as people, although their names look like means or votes of several raters: {names}; "
                "if they are, leave their rows out; or import them alone with --means",
                names=listing(together),
            )
        if lists := [name for name in self._people if names_several(name, self._people)]:
            yield sentence(
                "stored as one person each, although their names look like lists of raters: {names}; if they "
                "are, write a row for each rater",
                names=listing(lists),
            )
        items, responses = self._counts["item"], self._counts["response"]
        if items or responses:
            yield sentence(
                "created without texts: {items} and {responses}",
                items=counted("{n} item", "{n} items", items),
                responses=counted("{n} response", "{n} responses", responses),
            )


def _occurrences(word: str, n: int) -> str:
    if not word:
        return counted("empty {n} time", "empty {n} times", n)
    return counted("'{word}' {n} time", "'{word}' {n} times", n, word=word)
