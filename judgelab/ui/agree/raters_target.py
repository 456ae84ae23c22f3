"""What judges are compared with: the raters' mean, or the label of most of them."""

from __future__ import annotations

from judgelab import __version__
from judgelab.languages import _
from judgelab.metaeval.core.statistic_defaults import LABELS, defaults_for_scales
from judgelab.scales import unordered
from judgelab.store.projects.projects import ProjectInfo


def majority_note() -> str:
    """Return what takes the place of the raters' mean under criteria whose labels have no order."""
    return _(
        "Where labels have no order, the label of most raters takes the place of their mean; ties are left "
        "out."
    )


def agreement_caption(project: ProjectInfo, recipe: str, *, comparable: bool) -> str:
    """Return the line under the table of agreement.

    Args:
        project: the project.
        recipe: how the figures were computed.
        comparable: whether judges and raters are each compared with the other raters.
    """
    details = {"recipe": recipe, "version": __version__}
    labels_only = defaults_for_scales(project.scales.values()).wording == LABELS
    if comparable and labels_only:
        return _(
            "{recipe}; judges and raters each against the label of most other raters, on the responses that "
            "two or more raters rated (n); ties are left out. “All raters”: against the label of most of "
            "them, on every rated response. The report gives both. JudgeLab {version}.",
            **details,
        )
    if labels_only:
        return _(
            "{recipe}; compared with the label of most raters, ties are left out; JudgeLab {version}.",
            **details,
        )
    caption = (
        _(
            "{recipe}; judges and raters each against the mean of the other raters, on the responses that "
            "two or more raters rated (n). “All raters”: against the mean of all of them, on every rated "
            "response. The report gives both. JudgeLab {version}.",
            **details,
        )
        if comparable
        else _("{recipe}; compared with the mean of all raters; JudgeLab {version}.", **details)
    )
    return f"{caption} {majority_note()}" if unordered(project.scales) else caption
