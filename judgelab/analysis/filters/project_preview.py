"""Preview of a filter on one criterion of a project."""

from __future__ import annotations

from dataclasses import replace

from judgelab.analysis.data.compared_scores import compared_scores
from judgelab.analysis.data.saved_filters import load_rater_controls
from judgelab.analysis.data.scores import NO_FILTER
from judgelab.analysis.filters.filter_preview import FilterPreview, preview_on_ratings
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_controls import ControlResult
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import rating_speed
from judgelab.wording import with_labels


def preview_filter(
    store: Store, slug: str, policy: FilterPolicy, *, criterion: str, comparisons: bool = False
) -> FilterPreview:
    """Return what the filter would do to one criterion of the project, or to its comparisons."""
    if comparisons:
        data = compared_scores(store, slug, policy=NO_FILTER)
        return preview_on_ratings(
            data.humans, policy, criterion=criterion, scales=data.project.scales, compared=True
        )
    with store.reading() as session:
        project = find_project(session, slug)
        seconds = rating_speed.median_seconds(session, project.id)
    humans = snapshots.score_frame(store, project.id, kinds=("human",))
    controls = load_rater_controls(store, project, policy)
    preview = preview_on_ratings(
        humans, policy, criterion=criterion, scales=project.scales, seconds=seconds, controls=controls
    )
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    raters = tuple(replace(line, reason=with_labels(line.reason, labels)) for line in preview.raters)
    return replace(preview, raters=raters, stopped=preview.stopped and with_labels(preview.stopped, labels))


def criterion_controls(store: Store, slug: str, policy: FilterPolicy, criterion: str) -> list[ControlResult]:
    """Return each rater's results on degraded copies and repeats under a criterion."""
    with store.reading() as session:
        project = find_project(session, slug)
    return list(load_rater_controls(store, project, policy).get(criterion, {}).values())
