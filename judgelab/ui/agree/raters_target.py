"""What judges are compared with: the raters' mean, or the label of most of them."""

from __future__ import annotations

from collections.abc import Mapping

from judgelab import __version__
from judgelab.analysis.data.filter_info import AGGREGATION_LABELS
from judgelab.languages import _
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.pair_scores import MAJORITY_MEANING
from judgelab.metaeval.core.statistic_defaults import LABELS, defaults_for_scales
from judgelab.scales import unordered
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text


def majority_note() -> str:
    """Return what judges are compared with under criteria whose labels have no order."""
    return _(
        "Where labels have no order, judges are compared with the label of most raters. Ties are left out."
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
            "{recipe} Judges and raters are each compared with the label of most other raters, on the "
            "responses that two or more raters rated (n). Ties are left out. The columns “all "
            "raters” compare with the label of most of all raters, on every rated response; the report gives "
            "both comparisons. JudgeLab {version}.",
            **details,
        )
    if labels_only:
        return _(
            "{recipe} Judges are compared with the label of most raters. Ties are left out. JudgeLab "
            "{version}.",
            **details,
        )
    mean_caption = (
        _(
            "{recipe} Judges and raters are each compared with the mean of all raters but one, on the "
            "responses that two or more raters rated (n). The columns “all raters” compare with the "
            "mean of all raters, on every rated response; the report gives both comparisons. JudgeLab "
            "{version}.",
            **details,
        )
        if comparable
        else _("{recipe} Judges are compared with the mean of all raters. JudgeLab {version}.", **details)
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
            "{recipe} Judges and raters are each compared with the score of the other raters, on the "
            "responses that two or more raters rated (n). The columns “all raters” compare with the "
            "score of all raters, on every rated response; the report gives both comparisons. JudgeLab "
            "{version}.",
            **details,
        )
    return _("{recipe} Judges are compared with the score of all raters. JudgeLab {version}.", **details)


def comparison_caption(
    n: int, aggregation: Aggregation = MEAN, *, ordered: bool, of_pairs: bool = False
) -> str:
    """Return what judges are compared with on *Compare*, and on how many responses or pairs.

    Args:
        n: number of responses, or pairs, that all the judges scored.
        aggregation: how the ratings of a response become one score.
        ordered: whether the criterion's scale has an order.
        of_pairs: whether they compared two responses.
    """
    counts = {"n": text.count(n)}
    if of_pairs:
        return _(
            "These judges are compared with the majority of all raters, on the {n} pairs with a majority and "
            "a choice by each judge. The page “Agreement” compares them with the majority of all raters "
            "but one. {majority}",
            majority=_(MAJORITY_MEANING),
            **counts,
        )
    if not ordered and not aggregation.by_model:
        return _(
            "These judges are compared with the label of most raters, on the {n} responses that have such a "
            "label and one by each judge. The page “Agreement” compares them with the label of most raters "
            "but one.",
            **counts,
        )
    if ordered and aggregation.method == "mean":
        return _(
            "These judges and metrics are compared with the mean of all raters, on the {n} responses that "
            "each of them scored. The page “Agreement” compares them with the mean of all raters but one.",
            **counts,
        )
    return _(
        "These judges and metrics are compared with the score of all raters, on the {n} responses that each "
        "of them scored. The page “Agreement” compares them with the score of all raters but one. {note}",
        note=score_note(aggregation),
        **counts,
    )
