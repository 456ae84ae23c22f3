"""Recording in a project's settings whether the items that people rated are a random sample."""

from __future__ import annotations

from judgelab.analysis.comparison.rated_at_random import RANDOM_SETTING
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, update_project


def record_random_sampling(store: Store, slug: str, criterion: str, *, at_random: bool) -> None:
    """Store whether the items that people rated under a criterion are a random sample.

    Raises:
        NotFound: no such project or criterion.
    """
    with store.writing() as session:
        project = find_project(session, slug)
        project.criterion(criterion)
        recorded = {**project.settings.get(RANDOM_SETTING, {}), criterion: at_random}
        update_project(session, project.id, settings={RANDOM_SETTING: recorded})
