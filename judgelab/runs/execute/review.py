"""Reading a run's units: the latest, and those without a score."""

from __future__ import annotations

from judgelab.domain import Message, VerdictState
from judgelab.store.db.engine import Store
from judgelab.store.judging.run_units import JudgedUnit, judged_units
from judgelab.store.judging.run_units import prompts_of as stored_prompts

JUDGED: tuple[VerdictState, ...] = ("scored", "unscored", "failed")


def latest_units(store: Store, run_id: int, *, limit: int = 6) -> list[JudgedUnit]:
    """Return the units judged last, the newest first."""
    with store.reading() as session:
        return judged_units(session, run_id, states=JUDGED, limit=limit)


def unscored_units(store: Store, run_id: int, *, state: VerdictState, limit: int = 100) -> list[JudgedUnit]:
    """Return units that are "unscored" or "failed", with the raw replies and the reasons."""
    with store.reading() as session:
        return judged_units(session, run_id, states=(state,), limit=limit)


def prompts_of(store: Store, judgment_id: int) -> dict[str, list[Message]]:
    """Return the prompts of a judgment's replies by call; empty if they were not stored."""
    with store.reading() as session:
        return stored_prompts(session, judgment_id)
