"""A judgment's provenance: everything sent to the model and received from it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgelab.store.db.engine import Store
from judgelab.store.judging.judgment_records import JudgmentTrace, judgment_traces


def judgments(store: Store, run_id: int, response: str | int, *, criterion: str = "") -> list[JudgmentTrace]:
    """Return a run's judgments of a response, by its name, ITEM/RESPONSE, or row id; raises `NotFound`."""
    with store.reading() as session:
        return judgment_traces(session, run_id, response, criterion=criterion)


def to_json(record: JudgmentTrace) -> dict[str, Any]:
    """Return a record as JSON, with times as text and each body as the text received."""
    fields: dict[str, Any] = _timeless(asdict(record))
    return fields


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_timeless(entry) for entry in value]
    return value.isoformat() if hasattr(value, "isoformat") else value
