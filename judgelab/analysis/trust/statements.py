"""One sentence of the answer about a judge, whether it speaks for the judge, and its n."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.analysis.trust.judge_biases import JudgeBiases
from judgelab.wording import counted, listed, mark, sentence

AS_GOOD_MEANS = mark(
    "“As good as a rater” means: the judge's agreement with the raters is not significantly below theirs "
    "with one another, is non-inferior with a margin of 0.1, and is significantly better than that of the "
    "best trivial baseline."
)
AS_GOOD_MEANS_OF_PAIRS = mark(
    "“As good as a rater” means: the judge does not make the raters' majority choice significantly less "
    "often than they do, is non-inferior with a margin of 10 points, and is significantly better than the "
    "best trivial baseline."
)
RESPONSE, ITEM, PAIR, CHOICE = "response", "item", "pair", "choice"
RANGES = {
    RESPONSE: mark("n = {least} to {most} responses"),
    ITEM: mark("n = {least} to {most} items for a pair of systems"),
    PAIR: mark("n = {least} to {most} pairs"),
    CHOICE: mark("n = {least} to {most} choices"),
}
COUNTS: Mapping[str, Callable[[int], str]] = {
    RESPONSE: lambda n: counted("n = {n} response", "n = {n} responses", n),
    ITEM: lambda n: counted("n = {n} item", "n = {n} items", n),
    PAIR: lambda n: counted("n = {n} pair", "n = {n} pairs", n),
    CHOICE: lambda n: counted("n = {n} choice", "n = {n} choices", n),
}


@dataclass(frozen=True)
class Statement:
    """One sentence of the answer.

    Attributes:
        about: "agreement", "stand_in", "systems", "habits", "length", "family", "parts", "repeats",
            "confidence", "unscored" or "order" (of two responses): the part of the page with its figures.
        text: the sentence.
        good: whether it speaks for the judge (True), against it (False), or neither (None).
        criteria: keys of the criteria it is about.
        n: number of responses or items behind it, the smallest if it is about several criteria or pairs of
            systems; 0 if nothing was counted.
        unit: "response", "item", "pair" of responses, or "choice" between the two.
        most: the largest number if these differ, otherwise 0.
    """

    about: str
    text: str
    good: bool | None
    criteria: tuple[str, ...]
    n: int
    unit: str = RESPONSE
    most: int = 0

    @property
    def count_text(self) -> str:
        """Return, for example, `n = 1,600 responses`; empty if nothing was counted."""
        if not self.n:
            return ""
        if self.most > self.n:
            return sentence(RANGES[self.unit], least=f"{self.n:,}", most=f"{self.most:,}")
        return COUNTS[self.unit](self.n)

    def to_json(self) -> dict[str, Any]:
        """Return the sentence as `judgelab trust --json` prints it."""
        return {
            "about": self.about,
            "text": str(self.text),
            "good": self.good,
            "criteria": list(self.criteria),
            "n": self.n,
            "n_most": max(self.n, self.most),
            "unit": self.unit,
        }


def criterion_labels(criteria: Sequence[JudgeBiases]) -> str:
    """Return the quoted labels of the criteria, `“Coherence”, “Fluency” and “Relevance”`."""
    return quoted_labels([criterion.label for criterion in criteria])


def quoted_labels(labels: Sequence[str]) -> str:
    """Return labels as a sentence names them: a label such as *Answers the question* needs its quotes."""
    return listed([sentence("“{label}”", label=label) for label in labels])


def criterion_keys(criteria: Sequence[JudgeBiases]) -> tuple[str, ...]:
    """Return the keys of the criteria."""
    return tuple(criterion.criterion for criterion in criteria)


def n_range(criteria: Sequence[JudgeBiases]) -> dict[str, Any]:
    """Return the smallest and the largest n over the criteria, as a statement has them."""
    return range_of([criterion.n for criterion in criteria])


def meaning_of_as_good(*, of_pairs: bool) -> str:
    """Return what *As good as a rater* means, with the margin of non-inferiority."""
    return sentence(AS_GOOD_MEANS_OF_PAIRS if of_pairs else AS_GOOD_MEANS)


def range_of(counts: Sequence[int]) -> dict[str, Any]:
    """Return the smallest and the largest of several counts, as a statement has them."""
    return {"n": min(counts, default=0), "most": max(counts, default=0)}
