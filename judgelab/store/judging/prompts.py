"""Prompts as sent: each is stored once, and kept as long as a reply refers to it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import Completion, Judgment, PromptRow, Run


def prompt_hashes_of(session: Session, project_id: int) -> set[str]:
    """Return the hashes of the prompts that the project's replies refer to."""
    query = (
        select(Completion.prompt_hash)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.project_id == project_id)
        .distinct()
    )
    return set(session.scalars(query))


def remove_unused(session: Session, hashes: Iterable[str]) -> None:
    """Remove those of the prompts to which no reply of any project refers."""
    for part in in_batches(sorted(hashes)):
        in_use = select(Completion.prompt_hash).where(Completion.prompt_hash.in_(part)).distinct()
        unused = sorted({*part} - set(session.scalars(in_use)))
        session.execute(delete(PromptRow).where(PromptRow.hash.in_(unused)))
