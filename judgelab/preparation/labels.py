"""Human values as the DRPE study takes them: from best–worst votes, or from the extremes of ratings.

They are stored as a rater of their own ("votes", "extremes"), so that every statistic, chart and export knows
them, and what people said stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.metaeval.judges.best_worst import extremes, voted
from judgelab.scales import scale_from_json, why_no_order
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.prepared.derived import replace_derived
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import add_criteria, criterion_ids
from judgelab.store.rating.votes import best_worst_votes
from judgelab.wording import counted, sentence

VOTES, EXTREMES = "votes", "extremes"  # the raters' names
Value = Literal["mean", "label"]


@dataclass(frozen=True)
class LabelsReport:
    """The result of labelling: the number of values, the number at each extreme, and notes."""

    criterion: str
    rater: str
    values: int
    best: int
    worst: int
    notes: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        return {**vars(self), "notes": [str(note) for note in self.notes]}


def project_votes(store: Store, project_id: int) -> pd.DataFrame:
    """Return the project's best–worst votes."""
    with store.reading() as session:
        return best_worst_votes(session, project_id)


def label_votes(store: Store, slug: str, *, votes: int = 2, of: int = 3) -> list[LabelsReport]:
    """Store 1 for responses that at least `votes` of `of` voters name the best, 0 for the worst.

    Raises:
        InvalidInput: there are no best–worst votes, the share is none, or a lower score is better.
    """
    if not 0 < votes <= of:
        raise InvalidInput(
            sentence(
                "votes={votes} of={of} is not valid; votes must be from 1 to of, for example votes=2 of=3.",
                votes=votes,
                of=of,
            )
        )
    with store.reading() as session:
        project = find_project(session, slug)
        frame = best_worst_votes(session, project.id)
    if frame.empty:
        raise InvalidInput(
            sentence("project '{project}' has no best–worst votes; import or collect some.", project=slug)
        )
    reports = []
    for key, ratings in frame.groupby("criterion", sort=False):
        _suited(project.criterion(str(key)), 0.0, 1.0)
        labels = voted(ratings, share=votes / of)
        scores = dict(zip(labels.labels["response"], labels.labels["score"], strict=True))
        _keep(store, project, str(key), VOTES, scores)
        notes = []
        if len(labels.best_and_worst):
            names = ", ".join(f"{row.item} {row.system}" for row in labels.best_and_worst.itertuples())
            notes.append(sentence("left out, because voted both best and worst: {names}", names=names))
        reports.append(_report(str(key), VOTES, scores, notes))
    return reports


def label_extremes(
    store: Store, slug: str, *, number: int = 2, value: Value = "mean", criterion: str = "overall"
) -> LabelsReport:
    """Store the mean of all criteria (or 1 and 0) for the best and the worst rated responses of each item.

    Args:
        store: the database.
        slug: the project.
        number: how many at either end; the study takes two.
        value: "mean" of the criteria, or the "label" 1 for the best and 0 for the worst.
        criterion: under which criterion; it is added where the project lacks it.

    Raises:
        InvalidInput: nobody rated, the criteria have different scales, or a lower score is better under one.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        frame = score_frame(session, project.id, kinds=("human",))
    rated = frame[(frame["criterion"] != criterion) & ~frame["rater"].isin((VOTES, EXTREMES))]
    means = rated_means(rated.dropna(subset=["score"]), project)
    if means.empty:
        raise InvalidInput(sentence("project '{project}' has no ratings to find the best in.", project=slug))
    extreme_means = extremes(means, number=number)
    column = "value" if value == "mean" else "score"
    scores = dict(zip(extreme_means.labels["response"], extreme_means.labels[column], strict=True))
    _add_criterion(store, project, criterion, value)
    _keep(store, project, criterion, EXTREMES, scores)
    notes = []
    if extreme_means.tied:
        notes.append(
            sentence(
                "in {n} of {of} items, a response left out is tied with one selected; the earlier "
                "response counts as the better one, but another choice would be equally valid",
                n=len(extreme_means.tied),
                of=means["item"].nunique(),
            )
        )
    if extreme_means.short:
        notes.append(
            counted(
                "{n} item has too few responses",
                "{n} items have too few responses",
                len(extreme_means.short),
            )
        )
    labels = dict(zip(extreme_means.labels["response"], extreme_means.labels["score"], strict=True))
    return _report(criterion, EXTREMES, labels, notes)


def rated_means(rated: pd.DataFrame, project: ProjectInfo) -> pd.DataFrame:
    """Return the mean of the criteria's means of each response that has all of them, to the ninth place.

    Columns item, response, system, group, value. Rounding lets equal means be equal: sums
    of thirds differ in the last digit.
    """
    keys = ["item", "response", "system", "group"]
    each = rated.groupby([*keys, "criterion"], sort=False, observed=True)["score"].mean().reset_index()
    rated_criteria = each["criterion"].unique()
    for key in rated_criteria:
        _rising(project.criterion(str(key)))
        if not project.scale(str(key)).ordered:
            raise InvalidInput(why_no_order(project.criterion(str(key)).label))
    ends = {(scale.low, scale.high) for key, scale in project.scales.items() if key in rated_criteria}
    if len(ends) > 1:
        raise InvalidInput(
            sentence("the criteria have different scales, so a mean across them is meaningless.")
        )
    whole = each.groupby(keys, sort=False, observed=True)["score"].agg(["mean", "size"]).reset_index()
    whole = whole[whole["size"] == len(rated_criteria)]
    return whole.assign(value=whole["mean"].round(9))[[*keys, "value"]].reset_index(drop=True)


def _add_criterion(store: Store, project: ProjectInfo, key: str, value: Value) -> None:
    scales = list(project.scales.values())
    low, high = (0.0, 1.0) if value == "label" else (scales[0].low, scales[0].high)
    if key in project.scales:
        _suited(project.criterion(key), low, high)
        return
    scale: Mapping[str, Any] = {"kind": "numeric", "low": low, "high": high}
    added = Criterion(key, sentence("Overall"), scale, position=len(project.criteria))
    with store.writing() as session:
        add_criteria(session, project.id, [added])


def _rising(criterion: Criterion) -> None:
    if not criterion.higher_is_better:
        raise InvalidInput(
            sentence(
                "under '{criterion}', lower scores are better, but the best response must get the highest "
                "score here; import the scores reversed, under a criterion where higher is better.",
                criterion=criterion.key,
            )
        )


def _suited(criterion: Criterion, low: float, high: float) -> None:
    _rising(criterion)
    scale = scale_from_json(criterion.scale)
    reason = scale.reject_mean(low) or scale.reject_mean(high)
    if reason:
        raise InvalidInput(
            sentence(
                "the scale of '{criterion}' is not suitable: {reason}.",
                criterion=criterion.key,
                reason=reason,
            )
        )


def _keep(
    store: Store, project: ProjectInfo, criterion: str, rater: str, scores: Mapping[int, float]
) -> None:
    with store.writing() as session:
        criterion_id = criterion_ids(session, project.id)[criterion]
        replace_derived(
            session, project.id, rater, criterion_id, {int(k): float(v) for k, v in scores.items()}
        )


def _report(criterion: str, rater: str, labels: Mapping[int, float], notes: Sequence[str]) -> LabelsReport:
    best = sum(score == 1.0 for score in labels.values())
    return LabelsReport(criterion, rater, len(labels), best, len(labels) - best, tuple(notes))
