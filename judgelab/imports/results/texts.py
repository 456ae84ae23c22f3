"""Finding an item's texts among the variables of an evaluation, by the names that an import knows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.fields import recognise
from judgelab.imports.core.records import derived_id


class ItemTexts(NamedTuple):
    """An item's id and texts; the id is made from the texts where none is given."""

    item: str
    question: str
    context: str
    reference: Any
    group: str


def item_texts(variables: Mapping[str, Any], *, item: str = "", question: str = "") -> ItemTexts:
    """Return the item that variables describe.

    Args:
        variables: texts by name, such as {"question": …, "reference": …}; others are added to the question.
        item: the item's id, if the file has one of its own; a variable that is an id comes first.
        question: the question, if it is not among the variables.
    """
    found: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in variables.items():
        field = recognise(name)
        if is_missing(value):
            continue
        if field in ("item_id", "question", "context", "reference", "group") and field not in found:
            found[field] = value
        else:
            others[name] = value
    asked = text_of(found.get("question", "")) or question
    if not asked and others:
        asked = (
            text_of(next(iter(others.values())))
            if len(others) == 1
            else json.dumps(others, ensure_ascii=False)
        )
    context = text_of(found.get("context", ""))
    return ItemTexts(
        text_of(found.get("item_id", "")) or item or derived_id("i", asked, context),
        asked,
        context,
        found.get("reference", ""),
        text_of(found.get("group", "")),
    )
