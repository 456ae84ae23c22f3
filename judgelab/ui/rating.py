"""The rating screen's server side: what it is given, and what becomes of what it sends back."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import streamlit as st

from judgelab.annotation import service
from judgelab.annotation.screen import QueueItem
from judgelab.annotation.standing import Progress
from judgelab.domain import Criterion
from judgelab.errors import NotAllowed, NotFound, StoreUnavailable
from judgelab.scales import may_pass, scale_from_json
from judgelab.store.people import PersonInfo
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, rater, rater_standing, text, who_rates

TALLY_SECONDS = 10.0  # counting a large project takes longer than storing a rating
MOST_OPS = 500
RENEWALS_A_LEASE = 3


@st.fragment
def desk(person: PersonInfo, project: ProjectInfo, history: Sequence[QueueItem]) -> None:
    """Show the rating screen of one person; reruns alone whenever operations arrive."""
    if not may_rate_as(person.id, project.id):
        st.rerun()  # access was withdrawn: the page says so
    key = _key(person.id, project.id)
    try:
        data = _data(person, project, history)
        st.session_state[f"{key}_data"] = data
    except StoreUnavailable:
        if f"{key}_data" not in st.session_state:
            raise
        # The screen must stay: it holds what is not stored yet, and tries again by itself.
        data = st.session_state[f"{key}_data"]
    except (NotAllowed, NotFound):
        st.rerun()
    rater.mount(data, key=key, on_ops=partial(receive, person.id, project.id))
    if not data["queue"] and data["passed"]:
        offer = f"Offer the {text.counted(data['passed'], noun(project))} once more"
        st.button(offer, key="rate_offer", on_click=_offer_again, args=(person.id, project.id))


def may_rate_as(person_id: int, project_id: int) -> bool:
    """Return whether who is here may rate here as this person: themselves, or a rater at the desk."""
    visitor = gate.allowed("annotator", project_id)
    return visitor is not None and (visitor.id == person_id or who_rates.picks(visitor))


def receive(person_id: int, project_id: int) -> None:
    """Store the operations that arrived, in order, and remember which are stored.

    What cannot be stored now is not acknowledged; the screen sends it again. Of what it sends, everything
    unacknowledged is there each time, so only the names of the last arrival need to be remembered.
    """
    if not may_rate_as(person_id, project_id):
        return
    key = _key(person_id, project_id)
    arrived = _arrived(key)
    stored = st.session_state.get(f"{key}_stored", frozenset()) & arrived.keys()
    st.session_state[f"{key}_stored"] = stored
    for uid, op in arrived.items():
        if uid in stored:
            continue
        try:
            result = service.apply(gate.store(), person_id, project_id, op)
        except (StoreUnavailable, NotAllowed, NotFound):
            return
        st.session_state[f"{key}_stored"] |= {uid}
        st.session_state[f"{key}_refusal"] = result.message
        if result.feedback is not None:
            # Lies there until the person's next look at the page; the screen shows each only once.
            st.session_state[f"{key}_feedback"] = {"uid": uid, "of": result.feedback}
        if result.at is not None and op.get("kind") not in ("draft", "renew", "pause"):
            st.session_state[f"{key}_saved"] = result.at


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


def _data(person: PersonInfo, project: ProjectInfo, history: Sequence[QueueItem]) -> dict[str, Any]:
    key = _key(person.id, project.id)
    queue = service.next_items(gate.store(), person.id, project.id)
    progress = _progress(person.id, project.id, fresh=not queue)
    saved = st.session_state.get(f"{key}_saved") or progress.saved_at
    lease_minutes = float(project.settings.get("lease_minutes", 30))
    return {
        "who": key,
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
        "history": [asdict(item) for item in reversed(history)],
        "stored": sorted(st.session_state.get(f"{key}_stored", ())),
        "refusal": st.session_state.get(f"{key}_refusal", ""),
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
        "feedback": _feedback(key, project),
        "practice": rater_standing.practice_line(progress.practice),
        "own": rater_standing.own_line(progress, project.settings),
    }


def _counted(progress: Progress) -> dict[str, int]:
    practice = progress.practice
    if practice is None:
        return {"done": progress.done, "total": progress.total}
    return {"done": practice.done, "total": practice.total}


def _feedback(key: str, project: ProjectInfo) -> dict[str, Any] | None:
    kept = st.session_state.get(f"{key}_feedback")
    return None if kept is None else {"uid": kept["uid"], **rater_standing.feedback_data(kept["of"], project)}


def _progress(person_id: int, project_id: int, *, fresh: bool) -> Progress:
    """Return how far the person is: what they did is counted always, what is left now and then."""
    key = f"{_key(person_id, project_id)}_progress"
    counted: tuple[float, Progress] | None = st.session_state.get(key)
    counts_on = counted is not None and counted[1].practice is None and not fresh
    if counted is None or not counts_on or time.monotonic() - counted[0] > TALLY_SECONDS:
        known = service.progress(gate.store(), person_id, project_id)
        st.session_state[key] = (time.monotonic(), known)
        return known
    known = counted[1]
    done = service.count_done(gate.store(), person_id, project_id)
    return replace(known, done=done, total=max(known.total, done))


def _arrived(key: str) -> dict[str, Mapping[str, Any]]:
    """Return the operations by uid, as far as they have the form of one."""
    sent = (st.session_state.get(key) or {}).get("ops")
    if not isinstance(sent, list):
        return {}
    return {
        op["uid"]: op for op in sent[:MOST_OPS] if isinstance(op, Mapping) and isinstance(op.get("uid"), str)
    }


def _offer_again(person_id: int, project_id: int) -> None:
    if may_rate_as(person_id, project_id):
        service.offer_again(gate.store(), person_id, project_id)


def _form(project: ProjectInfo) -> str:
    return str(project.settings.get("form", "pointwise"))


def _key(person_id: int, project_id: int) -> str:
    return f"rate_{project_id}_{person_id}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value
