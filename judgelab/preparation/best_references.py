"""The best answer of a question as its reference, so that metrics have something to compare with."""

from __future__ import annotations

from typing import Literal, NamedTuple

from judgelab.domain import FROM_RESPONSE
from judgelab.preparation.generation.items import items_of
from judgelab.preparation.lists.material import graded_texts
from judgelab.preparation.lists.patterns import chance
from judgelab.store.db.engine import Store
from judgelab.store.prepared.source_texts import add_reference, source_texts

Choice = Literal["first", "drawn"]


class BestReferences(NamedTuple):
    """References stored now, items that had one already, and items without a rated response."""

    stored: int
    had_one: int
    unrated: int


def count_without_reference(store: Store, project_id: int) -> int:
    """Return how many items of the project have no reference."""
    with store.reading() as session:
        return sum(not item.references for item in source_texts(session, project_id))


def best_references(
    store: Store, slug: str, *, choose: Choice = "first", seed: int = 0, criterion: str = ""
) -> BestReferences:
    """Store the best-rated response of every item without a reference as its reference.

    It stays a response; metrics give no number to it and its copies, which would be compared with themselves.
    Judges and raters are not shown it.

    Args:
        store: the database.
        slug: the project.
        choose: of several best ones the `first` imported, or one that is `drawn`.
        seed: of the drawing.
        criterion: whose ratings count; the first one when empty.

    Raises:
        UserError: no such project or criterion, or nothing is rated.
    """
    with store.reading() as session:
        project, items = items_of(session, slug)
        bare = [item for item in items if not item.references]
        graded = graded_texts(session, project, items, texts="responses", criterion=criterion)
    stored = 0
    with store.writing() as session:
        for item in bare:
            texts = graded.get(item.item_id, [])
            top = max((text.rating or 0.0 for text in texts), default=0.0)
            best = [text.text for text in texts if (text.rating or 0.0) == top and text.text.strip()]
            if best:
                chosen = best[0] if choose == "first" else chance(seed, 1, item.name).choice(sorted(best))
                # Without a grade: it is not one of the graded references that lists are drawn from.
                add_reference(session, item.item_id, chosen, origin=FROM_RESPONSE)
                stored += 1
    return BestReferences(stored, len(items) - len(bare), len(bare) - stored)
