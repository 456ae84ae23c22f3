"""The notes on the margins that a project's judges of single responses have."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from judgelab.analysis.comparison.margin_notes import margin_notes
from judgelab.analysis.data.compared_pairs import compared_pairs
from judgelab.analysis.data.scores import NO_FILTER
from judgelab.store.db.engine import Store
from judgelab.wording import joined


def stored_margin_notes(
    store: Store, slug: str, criteria: Iterable[str], *, judges: Collection[str | None]
) -> tuple[str, ...]:
    """Return the notes on these judges' margins; of several criteria, each begins with its criterion's label.

    Raises:
        NotFound: no such project or criterion.
    """
    keys, notes = list(criteria), list[str]()
    for key in keys:
        pairs = compared_pairs(store, slug, criterion=key, policy=NO_FILTER)
        own = {name: margin for (_, name), margin in pairs.found.margins.items() if name in judges}
        label = pairs.project.criterion(key).label
        found = margin_notes(own, pairs.found.example_pairs)
        notes += [joined([label, note], ": ") for note in found] if len(keys) > 1 else found
    return tuple(notes)
