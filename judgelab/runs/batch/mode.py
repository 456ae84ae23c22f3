"""Whether a run goes out live or as batches, and when that may change."""

from __future__ import annotations

from typing import Literal

from judgelab.backends import backends
from judgelab.errors import InvalidInput
from judgelab.runs.batch.journal import batch_entries
from judgelab.store.db.engine import Session
from judgelab.store.judging.judges import judge_by_id
from judgelab.store.models import Run
from judgelab.wording import sentence

Mode = Literal["live", "batch"]


def check_mode(backend: str, mode: Mode) -> None:
    """Refuse batches for a backend that has none; raises `InvalidInput`."""
    if mode == "batch" and not backends.get(backend).batches_known:
        raise InvalidInput(
            sentence("only OpenAI-compatible endpoints support batches; start this run without --batch.")
        )


def has_open_batches(run: Run) -> bool:
    """Return whether a batch of the run is still open."""
    return any(not entry.merged for entry in batch_entries(run.remote))


def change_mode(session: Session, run: Run, mode: Mode) -> None:
    """Let what waits go out in this way from now on.

    Raises:
        InvalidInput: the run is at work, or a batch has not brought its replies yet.
    """
    if mode == run.mode:
        return
    check_mode(judge_by_id(session, run.judge_id).backend, mode)
    if run.state not in ("paused", "stopped"):
        raise InvalidInput(sentence("run {run} is running; pause it first.", run=str(run.id)))
    if has_open_batches(run):
        raise InvalidInput(
            sentence(
                "a batch of run {run} has not returned its replies yet; resume the run as a batch, so "
                "that they are fetched and not paid for twice.",
                run=str(run.id),
            )
        )
    run.mode = mode
