"""What the rating screen shows and what becomes of what it sends, for the page and for our own route."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from judgelab.annotation import service
from judgelab.annotation.qualifying import Feedback
from judgelab.annotation.standing import Progress
from judgelab.domain import Criterion
from judgelab.errors import NotAllowed, NotFound, StoreUnavailable
from judgelab.scales import may_pass, scale_from_json
from judgelab.store.engine import Store
from judgelab.store.projects import ProjectInfo
from judgelab.ui import rater_standing, text

TALLY_SECONDS = 10.0  # counting a large project takes longer than storing a rating
MOST_OPS = 500
RENEWALS_A_LEASE = 3
QUIET = ("draft", "renew", "pause")  # stored without a word


@dataclass
class Memory:
    """What one screen was told last.

    Of what a screen sends, everything unacknowledged is there each time, so only the names of the last
    arrival need to be remembered. Feedback lies there until the person's next look at the page; the screen
    shows each only once. `path` is that of our route, empty where there is none.
    """

    stored: frozenset[str] = frozenset()
    refusal: str = ""
    saved: datetime | None = None
    feedback: tuple[str, Feedback] | None = None
    progress: tuple[float, Progress] | None = None
    path: str = ""


def take(store: Store, person_id: int, project_id: int, sent: object, memory: Memory) -> None:
    """Store the operations that arrived, in order, and remember which are stored.

    What cannot be stored now is not acknowledged; the screen sends it again.
    """
    arrived = _arrived(sent)
    memory.stored &= arrived.keys()
    for uid, op in arrived.items():
        if uid in memory.stored:
            continue
        try:
            result = service.apply(store, person_id, project_id, op)
        except (StoreUnavailable, NotAllowed, NotFound):
            return
        memory.stored |= {uid}
        memory.refusal = result.message
        if result.feedback is not None:
            memory.feedback = (uid, result.feedback)
        if result.at is not None and op.get("kind") not in QUIET:
            memory.saved = result.at


def criterion_data(criterion: Criterion) -> dict[str, Any]:
    """Return a criterion as the screen shows it: one key a point, or a number field."""
    scale = scale_from_json(criterion.scale)
    points = scale.points()
    single_digits = bool(points) and all(p.value in range(10) for p in points)
    ends = [(points[0].label, points[-1].label)] if points else []
    low_label, high_label = next(
        iter(ends), (getattr(scale, "low_label", ""), getattr(scale, "high_label", ""))
    )
    return {
        "key": criterion.key,
        "label": criterion.label,
        "question": criterion.question,
        "widget": "points" if single_digits else "number",
        "points": [
            {"value": int(p.value), "label": p.label, "anchor": p.anchor} for p in points if single_digits
        ],
        "may_pass": may_pass(criterion.scale),
        "low": _plain(scale.low),
        "high": _plain(scale.high),
        "step": 1 if points else None,
        "low_label": low_label,
        "high_label": high_label,
    }


def noun(project: ProjectInfo) -> str:
    """Return what one screen is about: an answer, a pair, or a question with all its answers."""
    whole = "document" if project.task == "summarisation" else "question"
    return {"pointwise": "answer", "pairwise": "pair"}.get(_form(project), whole)


def nothing_left(progress: Progress, *, k: int, word: str = "answer") -> list[str]:
    """Return why there is nothing to rate: a first sentence, then what else is true.

    Args:
        progress: how far the person is.
        k: raters wanted for each unit.
        word: what a unit is called (`noun`).
    """
    about_them = rater_standing.why_nothing(progress, word=word)
    if about_them:
        return about_them
    answers = partial(text.counted, word=word)
    if not progress.answers:
        return [
            f"This project has no {word}s to rate yet.",
            "They appear here once the researcher has imported them.",
        ]
    if progress.waiting:
        first = (
            "Nothing for you at this moment: "
            f"{answers(progress.waiting)} {_are(progress.waiting)} on other raters' screens."
        )
        rest = ["What they leave comes to you; this page looks again by itself."]
    elif progress.passed:
        first = f"Nothing new is left. You skipped {answers(progress.passed)} twice."
        rest = []
    elif progress.complete and progress.done:
        first = f"You are done: you rated {answers(progress.done)}."
        rest = [f"The other {progress.complete:,} already have their {text.counted(k, 'rater')} each."]
    elif progress.complete:
        first = f"All {answers(progress.complete)} already have their {text.counted(k, 'rater')} each."
        rest = ["Nothing is left for you to rate here."]
    else:
        first = f"You are done: you rated all {answers(progress.done)}."
        rest = []
    if progress.flagged:
        rest.append(f"You flagged {answers(progress.flagged)}; the researcher sees your reasons.")
    if progress.done:
        rest.append("Your ratings stay open for changes under My ratings.")
    return [first, *rest]


def screen_data(store: Store, person_id: int, project: ProjectInfo, memory: Memory) -> dict[str, Any]:
    """Return all that the screen shows, read afresh.

    Raises:
        NotAllowed: the person may not rate in this project.
        StoreUnavailable: the database does not answer now.
    """
    queue = service.next_items(store, person_id, project.id)
    progress = _progress(store, person_id, project.id, memory, fresh=not queue)
    saved = memory.saved or progress.saved_at
    lease_minutes = float(project.settings.get("lease_minutes", 30))
    return {
        "who": key_of(person_id, project.id),
        "address": {"project": project.slug, "person": person_id, "path": memory.path},
        "project": {
            "name": project.name,
            "task": project.task,
            "guidelines": project.guidelines,
            "version": project.guidelines_version,
        },
        "form": {
            "name": _form(project),
            "strength": bool(project.settings.get("ask_strength", False)),
            "comment": bool(project.settings.get("ask_comment", True)),
            "evidence": bool(project.settings.get("ask_evidence", False)),
            "highlight": bool(project.settings.get("highlight_question", False)),
        },
        "criteria": [criterion_data(criterion) for criterion in project.criteria],
        "queue": [asdict(item) for item in queue],
        "stored": sorted(memory.stored),
        "refusal": memory.refusal,
        "saved_at": saved.isoformat() if saved else None,
        "progress": {
            **_counted(progress),
            "waiting": progress.waiting or int(progress.state == "paused"),
            "seconds_per_answer": progress.seconds_per_answer,
        },
        "passed": progress.passed,
        "nothing": nothing_left(
            progress, k=int(project.settings.get("raters_per_response", 3)), word=noun(project)
        ),
        "renew_ms": 60_000 * lease_minutes / RENEWALS_A_LEASE,
        "lease": {
            "made": time.time(),
            "ms": 1000 * min((item.seconds_left for item in queue), default=0),
            "minutes": lease_minutes,
            "pause_minutes": max(float(project.settings.get("pause_minutes", 60)), lease_minutes),
        },
        "feedback": _feedback(memory, project),
        "practice": rater_standing.practice_line(progress.practice),
        "own": rater_standing.own_line(progress, project.settings),
    }


def _counted(progress: Progress) -> dict[str, int]:
    practice = progress.practice
    if practice is None:
        return {"done": progress.done, "total": progress.total}
    return {"done": practice.done, "total": practice.total}


def _feedback(memory: Memory, project: ProjectInfo) -> dict[str, Any] | None:
    if memory.feedback is None:
        return None
    uid, of = memory.feedback
    return {"uid": uid, **rater_standing.feedback_data(of, project)}


def _progress(store: Store, person_id: int, project_id: int, memory: Memory, *, fresh: bool) -> Progress:
    """Return how far the person is: what they did is counted always, what is left now and then."""
    counted = memory.progress
    counts_on = counted is not None and counted[1].practice is None and not fresh
    if counted is None or not counts_on or time.monotonic() - counted[0] > TALLY_SECONDS:
        known = service.progress(store, person_id, project_id)
        memory.progress = (time.monotonic(), known)
        return known
    known = counted[1]
    done = service.count_done(store, person_id, project_id)
    return replace(known, done=done, total=max(known.total, done))


def _arrived(sent: object) -> dict[str, Mapping[str, Any]]:
    """Return the operations by uid, as far as they have the form of one."""
    if not isinstance(sent, list):
        return {}
    return {
        op["uid"]: op for op in sent[:MOST_OPS] if isinstance(op, Mapping) and isinstance(op.get("uid"), str)
    }


def _form(project: ProjectInfo) -> str:
    return str(project.settings.get("form", "pointwise"))


def key_of(person_id: int, project_id: int) -> str:
    """Return the name under which a screen is known, in the session and in the browser."""
    return f"rate_{project_id}_{person_id}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value
