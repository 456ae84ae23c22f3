"""Models tuned on a project's ratings: what they learnt from, so that they never judge it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.errors import NotFound
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import ItemRow, Project, ResponseRow
from judgelab.store.models.base import now
from judgelab.wording import mark

SETTING = "tuned_models"


def tuned_models(session: Session, project_id: int) -> dict[str, dict[str, Any]]:
    """Return what is known of each tuning by its name: dataset, job, state, the model when there is one."""
    return dict(session.get_one(Project, project_id).settings.get(SETTING, {}))


def tuned_model(session: Session, project_id: int, name: str) -> dict[str, Any]:
    """Return one of them; raises `NotFound`."""
    found = tuned_models(session, project_id)
    if name not in found:
        raise NotFound(mark("tuned model"), name, found)
    return found[name]


def save_tuned(session: Session, project_id: int, name: str, values: Mapping[str, Any]) -> None:
    """Keep what is new of a tuning beside what was known."""
    project = session.get_one(Project, project_id, with_for_update={"key_share": True})
    known = dict(project.settings.get(SETTING, {}))
    known[name] = {**known.get(name, {}), **values, "changed_at": now().isoformat()}
    project.settings = {**project.settings, SETTING: known}


def training_responses(session: Session, project_id: int, model: str) -> set[int]:
    """Return the row ids of the responses that a model of this name learnt from or was checked with."""
    items: set[str] = set()
    for one in tuned_models(session, project_id).values():
        if one.get("model") == model:
            items |= {*one.get("train_items", ()), *one.get("validation_items", ())}
            items |= {*one.get("leaking_items", ())}
    found: set[int] = set()
    for some in in_batches(sorted(items)):
        query = (
            select(ResponseRow.id)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(ItemRow.project_id == project_id, ItemRow.external_id.in_(some))
        )
        found |= set(session.scalars(query))
    return found
