"""Text and JSON of others as every database takes them: PostgreSQL no NUL, none half of a surrogate pair."""

from __future__ import annotations

from typing import Any


def storable(text: str) -> str:
    """Return the text with U+FFFD for NUL, and a question mark for half of a surrogate pair."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def storable_json(value: Any) -> Any:
    """Return JSON data with every text in it made storable, the names of its fields too."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_json(one) for one in value]
    if isinstance(value, dict):
        return {storable(name): storable_json(one) for name, one in value.items()}
    return value
