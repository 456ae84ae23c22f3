"""What a rater is told about themselves: feedback, why nothing comes, their time, their pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.annotation.checks import Verdict
from judgelab.annotation.qualifying import Feedback, Practice
from judgelab.annotation.standing import Progress
from judgelab.scales import scale_from_json
from judgelab.store.projects import ProjectInfo
from judgelab.ui import text

STATES: Mapping[str, tuple[str, str]] = {
    "paused": (
        "The researcher has paused your work for now.",
        "Everything you rated is kept. This page goes on by itself when the pause ends.",
    ),
    "released": (
        "Your part in this study is over. Thank you for your work.",
        "Everything you rated is kept.",
    ),
    "returned": (
        "You gave your place in this study back, so nothing more comes here.",
        "What you had rated before is kept.",
    ),
    "finished": ("You have finished this study. Thank you for your work.", "Everything you rated is kept."),
    "screened_out": (
        "Thank you for your time. This study needs answers that follow its guideline very closely, "
        "and the known answers in between show that it ends here for you.",
        "This says nothing about you beyond this one task.",
    ),
}
PAIR = {1.0: "the first one", -1.0: "the other one", 0.0: "no difference"}


def why_nothing(progress: Progress, *, word: str = "answer") -> list[str]:
    """Return why this person gets nothing, where the reason is about them; empty when it is not."""
    if progress.state in STATES:
        return list(STATES[progress.state])
    if progress.limit is not None:
        return [
            f"You are done: one person rates at most {text.counted(progress.limit, word)} here.",
            "Your ratings stay open for changes under My ratings.",
        ]
    if progress.reserved and not progress.answers:
        return [
            f"Nothing here is for you: the {word}s of this project are reserved for other raters.",
            "If you expected some, ask the researcher to add you to their group.",
        ]
    return []


def feedback_data(feedback: Feedback, project: ProjectInfo) -> dict[str, Any]:
    """Return what the screen shows after a training unit or a loud check."""
    right = sum(verdict.right for verdict in feedback.verdicts)
    asked = len(feedback.verdicts)
    whole = "right" if right == asked else f"{right} of {asked} right" if right else "not quite"
    practice = feedback.purpose == "training"
    return {
        "item": feedback.assignment,
        "title": f"{'Practice' if practice else 'A check of attention'}: {whole}",
        "lines": _once([_line(verdict, project) for verdict in feedback.verdicts]),
        "verdict": _verdict(feedback),
    }


def practice_line(practice: Practice | None) -> str:
    """Return the line above the training round; empty outside it."""
    if practice is None:
        return ""
    said = "Practice: you are told the expected score after each one."
    if practice.last is not None:
        said = (
            f"Practice once more: {_share(practice.last)} were right, {_share(practice.needed)} are needed."
        )
    return said


def own_line(progress: Progress, settings: Mapping[str, Any]) -> str:
    """Return the person's own time and pay so far; pay where the project states a rate."""
    parts = [spent(progress.seconds)]
    rate = settings.get("pay_per_hour")
    if rate:
        earned = float(rate) * progress.seconds / 3600
        parts.append(f"{settings.get('currency') or ''} {earned:,.2f} so far".strip())
    return " · ".join(parts)


def spent(seconds: float) -> str:
    """Return a time spent in words: 48 s, 12 min, 1 h 05 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(int(seconds // 60), 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min"


def _line(verdict: Verdict, project: ProjectInfo) -> dict[str, Any]:
    known = verdict.known
    criterion = next((c for c in project.criteria if c.key == known.criterion), None)
    return {
        "label": criterion.label if criterion else known.criterion,
        "said": "none" if verdict.said is None else _worded(verdict.said, known.criterion, project),
        "known": _worded(known.score, known.criterion, project),
        "right": verdict.right,
        "explanation": known.explanation,
    }


def _once(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines with an explanation that several share under the last of them only."""
    later = [*(line["explanation"] for line in lines[1:]), ""][: len(lines)]
    return [
        {**line, "explanation": "" if line["explanation"] == after else line["explanation"]}
        for line, after in zip(lines, later, strict=True)
    ]


def _worded(score: float, key: str, project: ProjectInfo) -> str:
    if project.settings.get("form") == "pairwise":
        return PAIR.get(score, f"{score:g}")
    criterion = next((c for c in project.criteria if c.key == key), None)
    points = scale_from_json(criterion.scale).points() if criterion else ()
    label = next((point.label for point in points if point.value == score), "")
    return f"{score:g} {label}".strip()


def _verdict(feedback: Feedback) -> str:
    if feedback.purpose != "training":
        if feedback.outcome == "out":
            return "Too many of these checks were missed, so the study ends here for you. Thank you anyway."
        return "A few of these come between the others, to see that nobody clicks through."
    reached, needed = _share(feedback.score or 0), _share(feedback.needed)
    if feedback.outcome == "passed":
        return f"You qualified: {reached} of the practice scores were right. The study begins now."
    if feedback.outcome == "again":
        tries = text.counted(feedback.tries_left, "more try", "more tries")
        return f"{reached} of the practice scores were right and {needed} are needed. You have {tries}."
    if feedback.outcome == "out":
        return (
            f"{reached} of the practice scores were right and {needed} were needed, so the study ends here "
            "for you. Thank you for your time."
        )
    return ""


def _share(share: float) -> str:
    return f"{share:.0%}"
