"""What judges are compared with: the raters' mean, or the label of most of them."""

from __future__ import annotations

from collections.abc import Mapping

from judgelab import __version__
from judgelab.analysis.data.filter_info import AGGREGATION_LABELS
from judgelab.languages import _
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.statistic_defaults import LABELS, defaults_for_scales
from judgelab.scales import unordered
from judgelab.store.projects.projects import ProjectInfo


def majority_note() -> str:
    """Return what judges are compared with under criteria whose labels have no order."""
    return _(
        "Where labels have no order, judges are compared with the label of most raters; ties are left out."
    )


def score_note(aggregation: Aggregation) -> str:
    """Return what the raters' score is that captions speak of where it is not the mean."""
    return _(
        "The raters' score of a response is the {aggregation}.",
        aggregation=_(AGGREGATION_LABELS[aggregation.method]),
    )


def agreement_caption(
    project: ProjectInfo, recipe: str, aggregation: Aggregation = MEAN, *, comparable: bool
) -> str:
    """Return the line under the table of agreement.

    Args:
        project: the project.
        recipe: how the figures were computed.
        aggregation: how the ratings of a response become one score.
        comparable: whether judges and raters are each compared with the other raters.
    """
    details = {"recipe": recipe, "version": __version__}
    labels_only = defaults_for_scales(project.scales.values()).wording == LABELS and not aggregation.by_model
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
    mean_caption = (
        _(
            "{recipe}; judges and raters each against the mean of all raters but one, on the responses that "
            "two or more raters rated (n). “All raters”: against the mean of all of them, on every rated "
            "response. The report gives both. JudgeLab {version}.",
            **details,
        )
        if comparable
        else _("{recipe}; compared with the mean of all raters; JudgeLab {version}.", **details)
    )
    caption = (
        mean_caption
        if aggregation.method == "mean"
        else f"{_caption_of_scores(details, comparable=comparable)} {score_note(aggregation)}"
    )
    by_majority = unordered(project.scales) and not aggregation.by_model
    return f"{caption} {majority_note()}" if by_majority else caption


def _caption_of_scores(details: Mapping[str, str], *, comparable: bool) -> str:
    if comparable:
        return _(
            "{recipe}; judges and raters each against the score of the other raters, on the responses that "
            "two or more raters rated (n). “All raters”: against the score of all of them, on every rated "
            "response. The report gives both. JudgeLab {version}.",
            **details,
        )
    return _("{recipe}; compared with the score of all raters; JudgeLab {version}.", **details)
