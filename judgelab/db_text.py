"""Text and JSON that every database can store.

PostgreSQL refuses NUL characters; no database takes half of a surrogate pair.
"""

from __future__ import annotations

from typing import Any


def db_safe_text(text: str) -> str:
    """Return the text with U+FFFD for each NUL and a question mark for each lone surrogate."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def db_safe_json(value: Any) -> Any:
    """Return JSON data with `db_safe_text` applied to every text and field name."""
    if isinstance(value, str):
        return db_safe_text(value)
    if isinstance(value, list):
        return [db_safe_json(element) for element in value]
    if isinstance(value, dict):
        return {db_safe_text(name): db_safe_json(field) for name, field in value.items()}
    return value
