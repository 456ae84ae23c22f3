"""The rating screen's data, and storing what it sends, for the page and for our own route."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from judgelab.annotation import service
from judgelab.annotation.assign.candidate_cache import CandidateCache
from judgelab.annotation.assign.qualification import Feedback
from judgelab.annotation.progress import Progress
from judgelab.annotation.rating.operations import WITHOUT_UNIT
from judgelab.annotation.rating.questions import project_questions
from judgelab.annotation.screen import QueueItem
from judgelab.annotation.service import OperationResult
from judgelab.errors import NotAllowed, NotFound, StoreUnavailable
from judgelab.languages import _, _n, current_language
from judgelab.store.db.engine import Store
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.messages import Thread
from judgelab.ui.kit import help_link
from judgelab.ui.rater import address, own_messages, standing, unit_words
from judgelab.ui.rater.criteria import criterion_data
from judgelab.ui.rater.form_data import form_data
from judgelab.ui.rater.rendered_texts import guidelines_data, queue_data
from judgelab.ui.rater.unit_words import Kind, counted_units

PROGRESS_SECONDS = 10.0  # between counts: counting a large project takes longer than storing a rating
PROGRESS_SHARE = (
    0.002  # of a rater's time spent counting; with a hundred raters most of a core is left for storing
)
MOST_TOGETHER = 20  # operations in one transaction, for which all others wait
MOST_OPS = 500
RENEWALS_A_LEASE = 3
QUIET = ("draft", "renew", "pause", "offer", "read")  # stored without a confirmation on the screen
A_LOOK = 1  # units reserved for a screen before the first action, so that idle visitors block few
AT_WORK = 5  # units reserved for a rater at work, who should never wait for the next one


@dataclass(frozen=True)
class CountedProgress:
    """A person's progress as last counted, valid `until` that time of this process's clock."""

    progress: Progress
    until: float


@dataclass
class Memory:
    """What the server last told one screen.

    A screen sends all unacknowledged operations each time, so only the ids of the last request need to be
    remembered. Feedback is kept until the page is next opened; the screen shows each only once.
    """

    stored_operations: frozenset[str] = frozenset()
    refusal: str = ""
    saved_at: datetime | None = None
    feedback: tuple[str, Feedback] | None = None
    progress: CountedProgress | None = None
    threads: Sequence[Thread] | None = None  # read anew with the progress, and unless units are only rated
    candidate_cache: CandidateCache = field(default_factory=CandidateCache)


def store_operations(store: Store, person_id: int, project_id: int, payload: object, memory: Memory) -> None:
    """Store the operations that arrived, in order, and remember which are stored.

    Operations that cannot be stored now are not acknowledged; the screen sends them again.
    """
    for uid, op in _new(payload, memory).items():
        try:
            result = service.apply(store, person_id, project_id, op)
        except (StoreUnavailable, NotAllowed, NotFound):
            return
        _note(memory, uid, op, result)


def exchange(
    store: Store, person_id: int, project: ProjectInfo, payload: object, memory: Memory
) -> dict[str, Any]:
    """Store the operations that arrived, in order, and return the screen's new data.

    A few operations, as a rater at work sends them, share a transaction with fetching the next units.

    Raises:
        NotAllowed: the person may not rate in this project.
        StoreUnavailable: the database is unavailable; operations missing from `memory` were not stored.
    """
    operations = _new(payload, memory)
    if not operations or len(operations) > MOST_TOGETHER:
        store_operations(store, person_id, project.id, payload, memory)
        return screen_data(store, person_id, project, memory)
    at_work = any(op.get("kind") not in WITHOUT_UNIT for op in operations.values())
    update = service.apply_operations(
        store,
        person_id,
        project.id,
        list(operations.values()),
        count=AT_WORK if at_work else A_LOOK,
        candidate_cache=memory.candidate_cache,
    )
    for (uid, op), result in zip(operations.items(), update.results, strict=True):
        _note(memory, uid, op, result)
    return _data(store, person_id, project, memory, update.queue)


def _new(payload: object, memory: Memory) -> dict[str, Mapping[str, Any]]:
    """Return the operations not known to be stored, and forget stored ones that were not sent again."""
    arrived = _arrived(payload)
    memory.stored_operations &= arrived.keys()
    return {uid: op for uid, op in arrived.items() if uid not in memory.stored_operations}


def _note(memory: Memory, uid: str, op: Mapping[str, Any], result: OperationResult) -> None:
    memory.stored_operations |= {uid}
    memory.refusal = result.message
    if result.feedback is not None:
        memory.feedback = (uid, result.feedback)
    if result.at is not None and op.get("kind") not in QUIET:
        memory.saved_at = result.at
    if op.get("kind") == "offer":
        memory.progress = None  # what was skipped counts again
    if op.get("kind") != "rate":
        memory.threads = None
    if result.counts_as_progress and memory.progress is not None:
        updated = memory.progress.progress.one_more(result.seconds)
        memory.progress = replace(memory.progress, progress=updated)


def has_nothing_to_rate(progress: Progress) -> bool:
    """Return whether the project has nothing at all to rate: no work, reserved work or practice."""
    return not (progress.answers or progress.reserved or progress.practice)


def why_nothing_left(progress: Progress, *, k: int, kind: Kind = "answer") -> list[str]:
    """Return why there is nothing to rate: a summary, then details.

    Args:
        progress: how far the person is.
        k: raters wanted for each unit.
        kind: what a unit is.
    """
    personal_reasons = standing.why_nothing(progress, kind=kind)
    if personal_reasons:
        return personal_reasons
    if not progress.answers:
        return [
            unit_words.none_yet(kind),
            _("They appear here once the researcher has imported them."),
        ]
    raters = _n("{n} rater", "{n} raters", k)
    if progress.waiting:
        summary = _n(
            "Nothing to rate right now: {answers} is reserved for other raters.",
            "Nothing to rate right now: {answers} are reserved for other raters.",
            progress.waiting,
            answers=counted_units(progress.waiting, kind),
        )
        details = [_("Answers they don't finish come to you; this page checks automatically.")]
    elif progress.passed:
        skipped = counted_units(progress.passed, kind)
        summary = _("Nothing new is left. You skipped {answers} twice.", answers=skipped)
        details = [_("You can review them, or stop here and close the page.")]
    elif progress.complete and progress.done:
        summary = _("You are done: you rated {answers}.", answers=counted_units(progress.done, kind))
        details = [
            _("The other {n} already have their {raters} each.", n=progress.complete, raters=raters),
        ]
    elif progress.complete:
        units = counted_units(progress.complete, kind)
        summary = _("All {answers} already have their {raters} each.", answers=units, raters=raters)
        details = [_("There is nothing left for you to rate here.")]
    else:
        summary = _("You are done: you rated all {answers}.", answers=counted_units(progress.done, kind))
        details = []
    if progress.done and not (progress.waiting or progress.passed):
        details.append(_("Thank you for your work."))
    if progress.flagged:
        flagged = counted_units(progress.flagged, kind)
        details.append(_("You flagged {answers}; the researcher sees your reasons.", answers=flagged))
    if progress.done:
        details.append(standing.change_or_copy())
    return [summary, *details]


def screen_data(store: Store, person_id: int, project: ProjectInfo, memory: Memory) -> dict[str, Any]:
    """Return the screen's data, read afresh, with one unit if there is none on it.

    Raises:
        NotAllowed: the person may not rate in this project.
        StoreUnavailable: the database is unavailable.
    """
    queue = service.next_items(store, person_id, project.id, A_LOOK, candidate_cache=memory.candidate_cache)
    memory.threads = None
    return _data(store, person_id, project, memory, queue)


def _data(
    store: Store, person_id: int, project: ProjectInfo, memory: Memory, queue: Sequence[QueueItem]
) -> dict[str, Any]:
    asked = memory.progress is not None and memory.progress.progress.asked_first
    progress = _progress(store, person_id, project.id, memory, fresh=asked or not queue)
    if progress.asked_first:
        queue = ()
    if memory.threads is None:
        memory.threads = service.own_messages(store, person_id, project.id)
    saved = memory.saved_at or progress.saved_at
    lease_minutes = float(project.settings.get("lease_minutes", 30))
    return {
        "who": screen_key(person_id, project.id),
        "address": {
            "project": project.slug,
            "person": person_id,
            "path": address.path(),
            "language": current_language(),
        },
        "help": help_link.address(help_link.RATE),
        "project": {
            "name": project.name,
            "task": project.task,
            **guidelines_data(store, project),
        },
        "form": form_data(project),
        "criteria": [criterion_data(criterion) for criterion in project.criteria],
        "questions": [question.to_json() for question in project_questions(project)],
        "queue": queue_data(store, project, queue),
        "stored": sorted(memory.stored_operations),
        "refusal": _(memory.refusal),
        "saved_at": saved.isoformat() if saved else None,
        "progress": {
            **_counted(progress),
            "waiting": standing.waiting_count(progress),
            "seconds_per_answer": progress.seconds_per_answer,
        },
        "offer": _offer(progress, unit_words.kind_of(project)) if not queue else "",
        "nothing": why_nothing_left(
            progress, k=int(project.settings.get("raters_per_response", 3)), kind=unit_words.kind_of(project)
        ),
        "renew_ms": 60_000 * lease_minutes / RENEWALS_A_LEASE,
        "lease": {
            "made": time.time(),
            "ms": 1000 * min((item.seconds_left for item in queue), default=0),
            "minutes": lease_minutes,
            "pause_minutes": max(float(project.settings.get("pause_minutes", 60)), lease_minutes),
        },
        "feedback": _feedback(memory, project),
        "practice": standing.practice_line(progress.practice),
        "crowd": standing.crowd_data(progress, project.slug, person_id),
        "messages": own_messages.messages_data(memory.threads, may_write=progress.state != "returned"),
        "own": standing.time_and_pay_line(progress, project.settings),
    }


def _offer(progress: Progress, kind: Kind) -> str:
    """Return the label of the button that brings back units skipped twice; empty if there is no button."""
    if not progress.passed or progress.state != "active" or progress.limit is not None:
        return ""
    return _("Show skipped answers again ({answers})", answers=counted_units(progress.passed, kind))


def _counted(progress: Progress) -> dict[str, int]:
    counted = progress.practice or progress
    return {"done": counted.done, "total": counted.total}


def _feedback(memory: Memory, project: ProjectInfo) -> dict[str, Any] | None:
    if memory.feedback is None:
        return None
    uid, feedback = memory.feedback
    return {"uid": uid, **standing.feedback_data(feedback, project)}


def _progress(store: Store, person_id: int, project_id: int, memory: Memory, *, fresh: bool) -> Progress:
    """Return the person's progress: own work is added as it is stored, the rest recounted now and then."""
    latest, start = memory.progress, time.monotonic()
    if latest is None or fresh or latest.progress.practice is not None or start > latest.until:
        progress = service.progress(store, person_id, project_id)
        elapsed = time.monotonic() - start
        latest = CountedProgress(progress, start + max(PROGRESS_SECONDS, elapsed / PROGRESS_SHARE))
        memory.progress, memory.threads = latest, None
    return latest.progress


def _arrived(payload: object) -> dict[str, Mapping[str, Any]]:
    """Return the well-formed operations by uid."""
    if not isinstance(payload, list):
        return {}
    return {
        op["uid"]: op
        for op in payload[:MOST_OPS]
        if isinstance(op, Mapping) and isinstance(op.get("uid"), str)
    }


def screen_key(person_id: int, project_id: int) -> str:
    """Return the key of a screen, in the session and in the browser."""
    return f"rate_{project_id}_{person_id}"
