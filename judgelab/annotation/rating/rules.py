"""A project's rules for submitting a rating: which comments it needs, skipping, and a least time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgelab.annotation.rating.operations import Operation
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.scales import scale_from_json
from judgelab.wording import sentence

LATE_BY = 1.0  # seconds by which the server may see less than a browser waited: requests differ in speed


@dataclass(frozen=True)
class RatingRules:
    """What a rating must fulfil to be stored.

    Args:
        comment_always: every score or choice needs a comment, "cannot judge" too.
        comment_below: a score below this one needs a comment; None for no such rule.
        comment_above: a score above this one needs a comment; None for no such rule.
        skip: whether raters may skip.
        least_seconds: how long after it was assigned a unit can be rated; 0 for at once.
    """

    comment_always: bool = False
    comment_below: float | None = None
    comment_above: float | None = None
    skip: bool = True
    least_seconds: float = 0.0

    @property
    def requires_comments(self) -> bool:
        """Whether any comment can be required."""
        return self.comment_always or self.comment_below is not None or self.comment_above is not None

    def needs_comment(self, criterion: Criterion, value: object) -> bool:
        """Return whether this score, choice or list of places needs a comment.

        Only scores of ordered points are below or above another.
        """
        if self.comment_always:
            return True
        ordered = scale_from_json(criterion.scale).ordered
        if not ordered or isinstance(value, bool) or not isinstance(value, int | float):
            return False
        below, above = self.comment_below, self.comment_above
        return (below is not None and value < below) or (above is not None and value > above)

    def check_comments(
        self, criteria: tuple[Criterion, ...], values: Mapping[str, Any], op: Operation
    ) -> None:
        """Raise `InvalidInput` when the comment on one of these values is required and missing."""
        for criterion in criteria:
            key = criterion.key
            if key in values and self.needs_comment(criterion, values[key]) and not op.comments.get(key):
                raise InvalidInput(
                    sentence("{criterion}: add a comment that says why.", criterion=criterion.label)
                )

    def check_skip(self) -> None:
        """Raise `InvalidInput` when raters may not skip."""
        if not self.skip:
            raise InvalidInput(sentence("answers can't be skipped in this project."))

    def check_time(self, seconds: float) -> None:
        """Raise `InvalidInput` when a unit was rated within so few seconds."""
        if seconds + LATE_BY < self.least_seconds:
            raise InvalidInput(
                sentence(
                    "submitted too soon; spend at least {n} s on each answer.", n=f"{self.least_seconds:g}"
                )
            )


def rating_rules(settings: Mapping[str, Any]) -> RatingRules:
    """Return the rules in a project's settings."""
    comments = settings.get("comment_required") or {}
    return RatingRules(
        comment_always=bool(comments.get("always", False)),
        comment_below=comments.get("below"),
        comment_above=comments.get("above"),
        skip=bool(settings.get("skip", True)),
        least_seconds=float(settings.get("least_seconds") or 0),
    )
