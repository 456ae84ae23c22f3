"""One person's ratings compared with those of the other raters and of the judges."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.saved_filters import filter_in_use, load_rater_controls
from judgelab.analysis.data.scores import NO_FILTER, project_scores
from judgelab.annotation.filters.apply_filter import apply_filter
from judgelab.metaeval.agreement.self_comparison import SelfComparisonRow, self_comparison, shared_responses
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.projects.projects import find_project


@dataclass(frozen=True)
class PersonComparison:
    """One person compared with others under one criterion.

    Attributes:
        rows: the person, the other raters and the judges, nearest to the others' mean first.
        responses: one row per response that they and others rated, widest gap first: response, item,
            question, system, own, crowd (mean of the other kept raters), raters (number of these). On a
            scale without an order, `crowd` is the label of most of them, and different labels come first.
        scores: all scores shown for these responses: response, rater, rater_kind, score.
        rated_alone: number of responses rated by the person and by no other kept rater.
        left_out: raters removed by the filter in use.
        tied: number of responses left out as several labels of the others are the most frequent.
    """

    rows: tuple[SelfComparisonRow, ...]
    responses: pd.DataFrame
    scores: pd.DataFrame
    rated_alone: int
    left_out: tuple[str, ...] = ()
    tied: int = 0

    @property
    def own_row(self) -> SelfComparisonRow:
        """Return the person's own row."""
        return next(row for row in self.rows if row.own)

    @property
    def judges(self) -> tuple[str, ...]:
        """Return the judges that scored at least one of these responses, in the order of the rows."""
        judges_with_scores = set(self.scores.loc[self.scores["rater_kind"] == "judge", "rater"])
        return tuple(
            row.rater for row in self.rows if row.kind == "judge" and row.rater in judges_with_scores
        )


def criteria_rated_by(store: Store, slug: str, name: str) -> tuple[str, ...]:
    """Return the criteria under which the person called `name` rated, in the project's order."""
    with store.reading() as session:
        return score_frames.rated_criteria(session, find_project(session, slug).id, rater=name)


def compare_person(
    store: Store, slug: str, name: str, *, criterion: str, coefficient: str = "mae"
) -> PersonComparison:
    """Return the person called `name` compared with the other kept raters and the judges.

    On a scale without an order the coefficient is always "exact", the share of equal labels.

    The filter in use is applied to the other raters only: with the person's ratings included, a response on
    which they differ widely would be a conflict and be left out. Responses that the filter removes stay.
    """
    data = project_scores(store, slug, policy=NO_FILTER)
    of_criterion = data.scores[data.scores["criterion"] == criterion]
    humans = of_criterion[of_criterion["rater_kind"] == "human"]
    own_ratings = humans[humans["rater"] == name]
    left_out = _left_out(store, data, name, criterion)
    crowd = humans[(humans["rater"] != name) & ~humans["rater"].isin(left_out)]
    judges = of_criterion[of_criterion["rater_kind"] == "judge"]
    scale = data.project.scale(criterion)
    rows = self_comparison(
        own_ratings,
        crowd,
        judges,
        name=name,
        scale=scale,
        coefficient=coefficient if scale.ordered else "exact",
        own_scale=data.own_scale,
    )
    responses = shared_responses(own_ratings, crowd, ordered=scale.ordered)
    own_rated = own_ratings.loc[own_ratings["score"].notna(), "response"]
    with_others = own_rated.isin(crowd.loc[crowd["score"].notna(), "response"])
    on_scale = judges[~judges["rater"].isin(data.own_scale)]
    shown_scores = pd.concat([crowd, on_scale]).dropna(subset="score")
    shown_scores = shown_scores.loc[
        shown_scores["response"].isin(responses["response"]), ["response", "rater", "rater_kind", "score"]
    ]
    return PersonComparison(
        tuple(rows),
        _by_gap(_with_texts(store, data.project.id, responses), shown_scores, ordered=scale.ordered),
        shown_scores.reset_index(drop=True),
        int((~with_others).sum()),
        tuple(sorted(left_out & set(humans["rater"].unique()))),
        int(with_others.sum()) - len(responses),
    )


def _left_out(store: Store, data: ProjectScores, name: str, criterion: str) -> set[str]:
    """Return the raters that the filter in use removes under the criterion, without the person's ratings."""
    saved = filter_in_use(store, data.project.slug)
    if saved is None:
        return set()
    others = data.humans[data.humans["rater"] != name]
    controls = load_rater_controls(store, data.project, saved.policy)
    outcome = apply_filter(others, saved.policy, scales=data.project.scales, controls=controls)
    return {
        verdict.rater for verdict in outcome.raters if verdict.criterion == criterion and not verdict.kept
    }


def _with_texts(store: Store, project_id: int, responses: pd.DataFrame) -> pd.DataFrame:
    with store.reading() as session:
        texts = score_frames.response_frame(session, project_id)[["response", "question", "system"]]
    return responses.merge(texts, on="response", how="left")


def _by_gap(responses: pd.DataFrame, scores: pd.DataFrame, *, ordered: bool) -> pd.DataFrame:
    """Return the responses sorted by the largest gap of the person or a judge from the other raters.

    Labels have no gap: those on which the person gave another label come first, then by judges that did.
    """
    judged = scores[scores["rater_kind"] == "judge"].merge(responses[["response", "crowd"]], on="response")
    if not ordered:
        differing = (judged["score"] != judged["crowd"]).groupby(judged["response"]).sum()
        sorted_responses = responses.assign(
            person=responses["own"] != responses["crowd"],
            judges=responses["response"].map(differing).fillna(0),
        ).sort_values(["person", "judges"], ascending=False, kind="stable")
        return sorted_responses.drop(columns=["person", "judges"]).reset_index(drop=True)
    widest_judge_gap = (judged["score"] - judged["crowd"]).abs().groupby(judged["response"]).max()
    gap = (
        (responses["own"] - responses["crowd"])
        .abs()
        .combine(responses["response"].map(widest_judge_gap).fillna(0.0), max)
    )
    order = gap.sort_values(ascending=False, kind="stable").index
    return responses.loc[order].reset_index(drop=True)
