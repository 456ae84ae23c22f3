"""What the rating screen asks for, and the rules that it must fulfil before it submits."""

from __future__ import annotations

from typing import Any

from judgelab.annotation.rating.rules import rating_rules
from judgelab.annotation.rating.values import MOST_SPANS
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.rater.rendered_texts import is_formatted


def form_data(project: ProjectInfo) -> dict[str, Any]:
    """Return the form of rating, its further questions and its rules."""
    settings, rules = project.settings, rating_rules(project.settings)
    return {
        "name": str(settings.get("form", "pointwise")),
        "strength": bool(settings.get("ask_strength", False)),
        "comment": bool(settings.get("ask_comment", True)) or rules.requires_comments,
        "comment_always": rules.comment_always,
        "comment_below": rules.comment_below,
        "comment_above": rules.comment_above,
        "skip": rules.skip,
        "least_seconds": rules.least_seconds,
        "most_marks": MOST_SPANS,
        "evidence": bool(settings.get("ask_evidence", False)),
        "highlight": bool(settings.get("highlight_question", False)),
        "formatted": is_formatted(settings),
    }
