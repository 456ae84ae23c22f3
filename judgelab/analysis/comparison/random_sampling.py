"""Whether the items that people rated are a random sample, as recorded in a project's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, update_project
from judgelab.wording import sentence

RANDOM_SETTING = "labelled_at_random"  # the setting's key; its value is by criterion
SAY_IF_RANDOM = sentence("first say how the rated items were selected")
NOT_RANDOM = sentence("the rated items were not drawn at random")


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


def recorded_random_sampling(settings: Mapping[str, Any], criterion: str) -> bool | None:
    """Return whether the rated items are a random sample, as recorded; None if it is not recorded."""
    answer = settings.get(RANDOM_SETTING, {}).get(criterion)
    return None if answer is None else bool(answer)
