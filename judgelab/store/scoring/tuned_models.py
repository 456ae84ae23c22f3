"""Record models tuned on a project's ratings and their training items, which they must never judge."""

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
    """Return each tuning by its name: dataset, job, state, and the model once there is one."""
    return dict(session.get_one(Project, project_id).settings.get(SETTING, {}))


def tuned_model(session: Session, project_id: int, name: str) -> dict[str, Any]:
    """Return one tuning; raises `NotFound`."""
    models = tuned_models(session, project_id)
    if name not in models:
        raise NotFound(mark("tuned model"), name, models)
    return models[name]


def save_tuned(session: Session, project_id: int, name: str, values: Mapping[str, Any]) -> None:
    """Add or update values of a tuning."""
    project = session.get_one(Project, project_id, with_for_update={"key_share": True})
    models = dict(project.settings.get(SETTING, {}))
    models[name] = {**models.get(name, {}), **values, "changed_at": now().isoformat()}
    project.settings = {**project.settings, SETTING: models}


def training_responses(session: Session, project_id: int, model: str) -> set[int]:
    """Return the row ids of the responses that a model of this name was trained or validated on."""
    items: set[str] = set()
    for tuning in tuned_models(session, project_id).values():
        if tuning.get("model") == model:
            items |= {*tuning.get("train_items", ()), *tuning.get("validation_items", ())}
            items |= {*tuning.get("leaking_items", ())}
    responses: set[int] = set()
    for batch in in_batches(sorted(items)):
        query = (
            select(ResponseRow.id)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(ItemRow.project_id == project_id, ItemRow.external_id.in_(batch))
        )
        responses |= set(session.scalars(query))
    return responses
