"""How many raters remain at each step of a study, for the report."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.store.rating.numbered_raters import numbered_raters

if TYPE_CHECKING:
    from judgelab.store.people.memberships import MembershipInfo


@dataclass(frozen=True)
class RaterFlow:
    """How many raters remain at each step.

    Attributes:
        members: raters who are or were members, or gave ratings.
        trained: of these, people who passed the training round; None if the project has none.
        rated: raters with at least one rating.
        imported: of these, raters whose ratings all came from files.
        slots: of these, raters with a numbered name ("rater_2"), who may be several people.
        removed: by criterion, the raters that the filter removes, with the reason.
        kept: by criterion, how many raters the filter keeps.
    """

    members: int
    trained: int | None
    rated: int
    imported: int
    slots: int
    removed: Mapping[str, Mapping[str, str]]
    kept: Mapping[str, int]


def rater_flow(
    scores: ProjectScores, members: Sequence[MembershipInfo], imported: Collection[str]
) -> RaterFlow:
    """Return how many raters remain at each step; `imported` are names whose ratings all came from files."""
    humans = scores.humans
    rated = set(humans.loc[humans["score"].notna(), "rater"].unique())
    raters = [member for member in members if member.role == "annotator"]
    trainees = [member for member in raters if member.training]
    removed: dict[str, dict[str, str]] = {}
    for verdict in scores.outcome.raters if scores.outcome else ():
        if not verdict.kept:
            removed.setdefault(verdict.criterion, {})[verdict.rater] = verdict.reason or ""
    kept = scores.kept_ratings.groupby("criterion")["rater"].nunique()
    return RaterFlow(
        members=len(rated | {member.name for member in raters}),
        trained=sum(bool(member.training.get("passed")) for member in trainees) if trainees else None,
        rated=len(rated),
        imported=len(rated & set(imported)),
        slots=len(numbered_raters(rated & set(imported))),
        removed=removed,
        kept={str(criterion): int(n) for criterion, n in kept.items()},
    )
