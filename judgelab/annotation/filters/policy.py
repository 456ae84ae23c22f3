"""The options of a filter: which raters and units are removed from the human ratings, and how strictly."""

from __future__ import annotations

import inspect
from dataclasses import asdict, dataclass, fields
from functools import wraps
from numbers import Real
from typing import Any, TypeVar

from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.core.aggregation import Aggregation
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

CHOICES = {
    "method": ("pairwise", "loo"),
    "weight": ("none", "overlap"),
    "passes": ("worst_first", "one_pass", "fixpoint"),
    "unassessed": ("keep", "drop"),
    "conflict_scope": ("any_pair", "exactly_two", "off"),
    "duplicates": ("mean", "last"),
    "control": ("agreement", "hit", "both"),
    "hit_test": ("t", "wilcoxon"),
}


NUMBERS = ("threshold", "min_overlap", "conflict", "min_annotations", "hit_alpha", "hit_pairs", "trim")
OPTION = mark("option of a filter")
Policy = TypeVar("Policy")


def _with_known_options(policy: type[Policy]) -> type[Policy]:
    """Refuse unknown options in a sentence with the known ones, where Python names a private class."""
    made = policy.__init__
    known = tuple(inspect.signature(policy).parameters)

    @wraps(made)
    def with_known_options(self: Policy, *given: Any, **options: Any) -> None:
        for name in options:
            if name not in known:
                raise NotFound(OPTION, name, known)
        made(self, *given, **options)

    type.__setattr__(policy, "__init__", with_known_options)
    return policy


@_with_known_options
@dataclass(frozen=True, repr=False)
class FilterPolicy:
    """The options of the filter; the defaults are a cautious reading of the ELECT study.

    Args:
        threshold: raters whose agreement with the others is below it are removed. Agreement is Pearson's r,
            and Cohen's kappa of labels without an order.
        min_overlap: units that two raters must share for their r to count.
        method: "pairwise" is the mean of r over partners, "loo" the r with the mean of all others; of labels
            without an order, kappa with the majority of all others, where that is no tie.
        weight: "overlap" weights partners by shared units (pairwise only).
        passes: "worst_first" removes the worst rater and recomputes, "one_pass" removes all who fail at once,
            "fixpoint" repeats that until all pass.
        unassessed: whether to "keep" or "drop" raters who share too little with anyone.
        conflict: two ratings of a unit conflict if they are this share of the scale apart: 1.0, both ends,
            as in the paper; 0.75 is an alternative on 0 to 100. On two points and on
            labels without an order there are no conflicts.
        conflict_scope: "any_pair" of ratings of a unit, units with "exactly_two" ratings, or "off".
        min_annotations: ratings that a unit must have left.
        criterion: "each" decides for each criterion by itself, "all" removes raters everywhere who fail under
            any criterion, and the name of a criterion leaves the others unfiltered.
        duplicates: what counts if a rater scored a unit twice, the "mean" or the "last".
        control: how raters are assessed: "agreement" with the others, "hit" control on degraded copies and
            repeats, or "both", controls first.
        hit_alpha: level of the tests of the control.
        hit_pairs: degraded copies that a rater must have rated, besides their originals, to be assessed.
        hit_test: "t" or "wilcoxon", both one-sided and paired.
        aggregate: how the kept ratings of a unit become its human score; see `metaeval.core.aggregation`.
        trim: share cut at each end by "trimmed".
        ties: what "majority" does with a tie.

    Raises:
        InvalidInput: the value of an option is unknown or out of range.
        NotFound: there is no such option.

    Example:
        >>> import judgelab as jl
        >>> rules = jl.Filter(threshold=0.3, min_annotations=3)
        >>> rules.threshold, rules.passes
        (0.3, 'worst_first')
    """

    threshold: float = 0.4
    min_overlap: int = 5
    method: str = "pairwise"
    weight: str = "none"
    passes: str = "worst_first"
    unassessed: str = "keep"
    conflict: float = 1.0
    conflict_scope: str = "any_pair"
    min_annotations: int = 2
    criterion: str = "each"
    duplicates: str = "mean"
    control: str = "agreement"
    hit_alpha: float = 0.05
    hit_pairs: int = 5
    hit_test: str = "t"
    aggregate: str = "mean"
    trim: float = 0.2
    ties: str = "leave_out"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InvalidInput(
                    sentence(
                        "{option} is '{found}', but must be one of {known}",
                        option=name,
                        found=value,
                        known=", ".join(allowed),
                    )
                )
        for name in NUMBERS:
            value = getattr(self, name)
            if not isinstance(value, Real):
                raise InvalidInput(
                    sentence("{option} is {found}, but must be a number", option=name, found=repr(value))
                )
        if not -1 <= self.threshold <= 1:
            raise InvalidInput(
                sentence(
                    "threshold is {threshold}, but a correlation is between -1 and 1",
                    threshold=f"{self.threshold:g}",
                )
            )
        if self.min_overlap < 2 or self.min_annotations < 1:
            raise InvalidInput(sentence("min_overlap must be at least 2 and min_annotations at least 1"))
        if not 0 < self.conflict <= 1:
            raise InvalidInput(
                sentence(
                    "conflict is {conflict}, but must be above 0 and at most 1", conflict=f"{self.conflict:g}"
                )
            )
        if not 0 < self.hit_alpha < 1 or self.hit_pairs < 2:
            raise InvalidInput(sentence("hit_alpha must be between 0 and 1, and hit_pairs at least 2"))
        _ = self.aggregation  # raises for unknown words

    def __repr__(self) -> str:
        changed = (option for option in fields(self) if getattr(self, option.name) != option.default)
        return f"Filter({', '.join(f'{one.name}={getattr(self, one.name)!r}' for one in changed)})"

    @property
    def aggregation(self) -> Aggregation:
        """How the kept ratings become human scores."""
        return Aggregation(self.aggregate, self.trim, self.ties)

    def conflict_distance(self, scale: Scale) -> float | None:
        """Return the distance from which two ratings on this scale conflict; None if conflicts are off.

        On two points, or labels without an order, every disagreement would be a conflict, so there are none.
        """
        points = len(scale.points())
        if self.conflict_scope == "off" or 0 < points < 3 or not scale.ordered:
            return None
        return self.conflict * (scale.high - scale.low)

    def to_json(self) -> dict[str, Any]:
        """Return all options by name."""
        return asdict(self)


DEFAULT_POLICY = FilterPolicy()
