"""All conflicts of a project, as *Conflicts* lists them before anything is chosen there."""

from __future__ import annotations

from judgelab.analysis.data.compared_pairs import compared_criteria
from judgelab.analysis.data.scored_raters import rated_criteria
from judgelab.analysis.disagreement.conflicts import Conflict, find_conflicts
from judgelab.analysis.disagreement.pair_conflicts import PairConflict, find_pair_conflicts
from judgelab.store.db.engine import Store

AnyConflict = Conflict | PairConflict


def project_conflicts(store: Store, slug: str) -> list[AnyConflict]:
    """Return the conflicts of ratings, then those of comparisons, each by criterion and the widest first.

    Raises:
        NotFound: no such project.
    """
    found: list[AnyConflict] = []
    for key in rated_criteria(store, slug):
        found += find_conflicts(store, slug, criterion=key)
    for key in compared_criteria(store, slug):
        found += find_pair_conflicts(store, slug, criterion=key)
    return found
