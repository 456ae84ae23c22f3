"""The sentences on what a conflict is and how many are decided."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.data import saved_filters
from judgelab.analysis.disagreement.conflicts import Conflict
from judgelab.analysis.disagreement.pair_conflicts import PairConflict
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate
from judgelab.wording import mark

# By whether a quality filter is in use: without one, all raters are kept.
LABELS_DIFFER = {
    True: mark("{decided}. A conflict is a response that kept raters gave different labels."),
    False: mark("{decided}. A conflict is a response that raters gave different labels."),
}
RATINGS_DIFFER = {
    True: mark(
        "{decided}. A conflict is a response on which the ratings of kept raters differ by {points} or more."
    ),
    False: mark("{decided}. A conflict is a response on which ratings differ by {points} or more."),
}
CHOICES_DIFFER = {
    True: mark("{decided}. A conflict is a pair for which kept raters made different choices."),
    False: mark("{decided}. A conflict is a pair for which raters made different choices."),
}
WINNERS_DIFFER = {
    True: mark("{decided}. A conflict is a pair for which kept raters chose opposite winners."),
    False: mark("{decided}. A conflict is a pair for which raters chose opposite winners."),
}


def conflicts_sentence(
    project: ProjectInfo, conflicts: Sequence[Conflict], distance: float, scale: Scale
) -> str:
    """Return how many conflicts are decided, and from which distance ratings are in conflict."""
    words = RATINGS_DIFFER if scale.ordered else LABELS_DIFFER
    return _(words[_filtered(project)], decided=_decided(conflicts), points=text.points(distance))


def pair_conflicts_sentence(project: ProjectInfo, conflicts: Sequence[PairConflict], *, ties: bool) -> str:
    """Return how many conflicts are decided, and which choices are in conflict."""
    words = CHOICES_DIFFER if ties else WINNERS_DIFFER
    return _(words[_filtered(project)], decided=_decided(conflicts))


def _filtered(project: ProjectInfo) -> bool:
    return saved_filters.filter_in_use(gate.store(), project.slug) is not None


def _decided(conflicts: Sequence[Conflict] | Sequence[PairConflict]) -> str:
    done = sum(conflict.decision is not None for conflict in conflicts)
    return _n("{done} of {n} conflict decided", "{done} of {n} conflicts decided", len(conflicts), done=done)
