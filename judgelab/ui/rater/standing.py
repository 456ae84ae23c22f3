"""What raters are told about themselves: feedback, why there is no work, their time, their pay."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from judgelab.annotation.assign.known_scores import CheckResult
from judgelab.annotation.assign.qualification import Feedback, TrainingProgress
from judgelab.annotation.links.options import Ending
from judgelab.annotation.links.withdrawal import WORKING_STATES
from judgelab.annotation.progress import Progress
from judgelab.languages import _, _n
from judgelab.money import pay_for
from judgelab.scales import scale_from_json
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.rater import address, unit_words
from judgelab.ui.rater.unit_words import Kind, counted_units
from judgelab.wording import mark

STATES: Mapping[str, tuple[str, str]] = {
    "paused": (
        mark("The researcher has paused your work for now."),
        mark("All your ratings are kept. This page continues by itself when the pause ends."),
    ),
    "released": (
        mark("Your part in this study is over. Thank you for your work."),
        mark("All your ratings are kept."),
    ),
    "returned": (
        mark("You returned this study, so there is nothing more to rate."),
        mark("Your earlier ratings are kept."),
    ),
    "finished": (
        mark("You have finished this study. Thank you for your work."),
        mark("All your ratings are kept."),
    ),
    "timed_out": (
        mark("The time for this study is over, so there is nothing more to rate."),
        mark(
            "Your ratings are kept. If you think this is a mistake, contact the researchers through the "
            "platform you came from."
        ),
    ),
    "screened_out": (
        mark(
            "Thank you for your time. This study needs answers that follow its guidelines very closely. "
            "The attention checks show that your part ends here."
        ),
        mark("This says nothing about you beyond this one task."),
    ),
}
ASKED_FIRST = mark("Before you start, please answer a few questions.")
ASKED_AT_END = mark("You have rated everything. Please answer a few last questions.")
LEFT = mark("You left this study, so there is nothing more to rate. Thank you for your work.")
PAIR = {1.0: mark("the first one"), -1.0: mark("the other one"), 0.0: mark("no difference")}


def why_nothing(progress: Progress, *, kind: Kind = "answer") -> list[str]:
    """Return why this person gets no work, if the reason is about them; else empty."""
    if progress.asked_first:
        return [_(ASKED_FIRST)]
    if progress.state in STATES:
        return _standing(progress, kind)
    if progress.asked_at_end:
        return [_(ASKED_AT_END), change_or_copy()]
    if progress.limit is not None:
        return [
            _(
                "You are done: each person rates at most {answers} here.",
                answers=counted_units(progress.limit, kind),
            ),
            change_or_copy(),
        ]
    if progress.reserved and not progress.answers:
        return [
            unit_words.reserved(kind),
            _("If you expected to see answers here, ask the researcher to add you to the right group."),
        ]
    return []


def change_or_copy() -> str:
    """Return the sentence that leads people who are done to their ratings."""
    return _("Under My ratings you can still change your ratings or download a copy of them.")


def has_deleted_all(progress: Progress) -> bool:
    """Return whether the person left, deleted their ratings, and was not let in again."""
    return progress.deleted is not None and progress.state != "active" and not progress.done


def waiting_count(progress: Progress) -> int:
    """Return how many units may still become free; the screen keeps polling while it is not 0."""
    return progress.waiting if progress.state == "active" else int(progress.state == "paused")


def crowd_data(progress: Progress, slug: str, person_id: int) -> dict[str, Any] | None:
    """Return a crowd worker's questions, code, link and deadline.

    For others the questions that are open, or that they left; else None.
    """
    ending = progress.ending
    if ending is None and progress.state == "returned":
        ending = Ending()
    if ending is None:
        return None
    asked = progress.asked_first or progress.asked_at_end
    route = address.ENTRY_PATH if progress.asked_first else address.EXIT_PATH
    return {
        "over": asked or progress.state not in WORKING_STATES,
        "may_return": not asked and progress.state in WORKING_STATES,
        "due": progress.due_at.isoformat() if progress.due_at else None,
        "questions": address.questionnaire(route, slug, person_id) if asked else "",
        "first": progress.asked_first,
        "code": ending.code,
        "url": ending.url,
    }


def feedback_data(feedback: Feedback, project: ProjectInfo) -> dict[str, Any]:
    """Return the feedback that the screen shows after a training unit or a check with feedback."""
    return {
        "item": feedback.assignment,
        "title": _title(feedback),
        "lines": _shared_explanations_last([_line(result, project) for result in feedback.results]),
        "verdict": _verdict(feedback),
    }


def practice_line(practice: TrainingProgress | None) -> str:
    """Return the line above the training round; empty outside of training."""
    if practice is None:
        return ""
    if practice.last is None:
        return _("Practice: you see the expected score after each answer.")
    return _(
        "Practice again: {reached} were right, {needed} are needed.",
        reached=text.per_cent(practice.last),
        needed=text.per_cent(practice.needed),
    )


def time_and_pay_line(progress: Progress, settings: Mapping[str, Any]) -> str:
    """Return the person's time so far, and their pay for finishing or, if the project has a rate, so far."""
    parts = [_("{time} worked", time=time_text(progress.seconds))]
    rate, currency = settings.get("pay_per_hour"), settings.get("currency") or ""
    if progress.pay:
        amount = f"{currency} {Decimal(progress.pay):,.2f}".strip()
        parts.append(_("{amount} for finishing", amount=amount))
    elif rate:
        earned = pay_for(progress.seconds, per_hour=float(rate))
        parts.append(_("{amount} so far", amount=f"{currency} {earned:,.2f}".strip()))
    return " · ".join(parts)


def time_text(seconds: float) -> str:
    """Return a duration in words: 48 s, 12 min, 1 h 05 min."""
    if seconds < 60:
        return _("{seconds} s", seconds=f"{seconds:z.0f}")
    hours, minutes = divmod(int(seconds // 60), 60)
    if hours:
        return _("{hours} h {minutes} min", hours=hours, minutes=f"{minutes:02d}")
    return _("{minutes} min", minutes=minutes)


def _standing(progress: Progress, kind: Kind) -> list[str]:
    happened, kept = (_(sentence) for sentence in STATES[progress.state])
    if progress.asked_at_end:
        happened = _(ASKED_AT_END)
    if progress.deleted is not None and has_deleted_all(progress):
        deleted = _("You deleted your ratings ({when}).", when=text.when(progress.deleted.at))
        recorded = _("Their number and your time are kept on record.")
        return [_(LEFT) if progress.state == "returned" else happened, f"{deleted} {recorded}"]
    if not progress.done or progress.state in WORKING_STATES:
        return [happened, kept]
    rated = _("You rated {answers}.", answers=counted_units(progress.done, kind))
    copy = _("Under My ratings you can download a copy of them.")
    return [happened, f"{rated} {kept}", copy]


def _title(feedback: Feedback) -> str:
    correct = sum(result.right for result in feedback.results)
    total = len(feedback.results)
    if feedback.purpose == "training":
        if correct == total:
            return _("Practice: right")
        if not correct:
            return _("Practice: not quite")
        return _("Practice: {right} of {asked} right", right=correct, asked=total)
    if correct == total:
        return _("A check of attention: right")
    if not correct:
        return _("A check of attention: not quite")
    return _("A check of attention: {right} of {asked} right", right=correct, asked=total)


def _line(result: CheckResult, project: ProjectInfo) -> dict[str, Any]:
    expected_score = result.known_score
    criterion = next((c for c in project.criteria if c.key == expected_score.criterion), None)
    given, expected = result.orders or (
        _worded(result.rater_score or 0.0, expected_score.criterion, project),
        _worded(expected_score.score, expected_score.criterion, project),
    )
    return {
        "label": criterion.label if criterion else expected_score.criterion,
        "said": _("none") if result.rater_score is None else given,
        "known": expected,
        "right": result.right,
        "explanation": expected_score.explanation,
    }


def _shared_explanations_last(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines, with an explanation shared by consecutive ones only under the last of them."""
    next_explanations = [*(line["explanation"] for line in lines[1:]), ""][: len(lines)]
    return [
        {**line, "explanation": "" if line["explanation"] == following else line["explanation"]}
        for line, following in zip(lines, next_explanations, strict=True)
    ]


def _worded(score: float, key: str, project: ProjectInfo) -> str:
    if project.settings.get("form") == "pairwise":
        return _(PAIR[score]) if score in PAIR else f"{score:g}"
    criterion = next((c for c in project.criteria if c.key == key), None)
    points = scale_from_json(criterion.scale).points() if criterion else ()
    label = next((point.label for point in points if point.value == score), "")
    return f"{score:g} {label}".strip()


def _verdict(feedback: Feedback) -> str:
    if feedback.purpose != "training":
        if feedback.outcome == "out":
            return _(
                "You missed too many attention checks, so the study ends here for you. Thank you for "
                "taking part."
            )
        return _("A few of these appear among the others to check attention.")
    reached, needed = text.per_cent(feedback.score or 0), text.per_cent(feedback.needed)
    if feedback.outcome == "passed":
        return _(
            "You qualified: {reached} of the practice scores were right. The study begins now.",
            reached=reached,
        )
    if feedback.outcome == "again":
        return _n(
            "{reached} of the practice scores were right and {needed} are needed. You have {n} more attempt.",
            "{reached} of the practice scores were right and {needed} are needed. You have {n} more "
            "attempts.",
            feedback.tries_left,
            reached=reached,
            needed=needed,
        )
    if feedback.outcome == "out":
        return _(
            "{reached} of the practice scores were right and {needed} were needed, so the study ends here "
            "for you. Thank you for your time.",
            reached=reached,
            needed=needed,
        )
    return ""
