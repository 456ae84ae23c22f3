"""A person's own ratings among those of the other raters and the judges of a project."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from judgelab.analysis.data.saved_filters import controls_of, in_use
from judgelab.analysis.data.scores import NO_RULE, ProjectScores, project_scores
from judgelab.annotation.filters.apply_filter import apply_filter
from judgelab.metaeval.agreement.self_comparison import SelfComparisonRow, self_comparison, shared_responses
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.projects.projects import find_project


@dataclass(frozen=True)
class Placed:
    """Where one person stands under one criterion.

    Attributes:
        rows: the person, the other raters and the judges, the nearest to the crowd's mean first.
        responses: one row for each response they rated and others did too, the widest gap first: response,
            item, question, system, own, crowd (mean of the others who count), raters (how many they are).
        scores: every score on these responses that is shown: response, rater, rater_kind, score.
        alone: responses the person rated and nobody else who counts did.
        left_out: raters who do not count under the rule in use.
    """

    rows: tuple[SelfComparisonRow, ...]
    responses: pd.DataFrame
    scores: pd.DataFrame
    alone: int
    left_out: tuple[str, ...] = ()

    @property
    def own(self) -> SelfComparisonRow:
        """Return the person's own row."""
        return next(row for row in self.rows if row.own)

    @property
    def judges(self) -> tuple[str, ...]:
        """Return the judges with a score on one of these responses, in the order of the rows."""
        there = set(self.scores.loc[self.scores["rater_kind"] == "judge", "rater"])
        return tuple(row.rater for row in self.rows if row.kind == "judge" and row.rater in there)


def rated_criteria(store: Store, slug: str, name: str) -> tuple[str, ...]:
    """Return the criteria under which the person called `name` gave a score, in the project's order."""
    with store.reading() as session:
        return score_frames.rated_criteria(session, find_project(session, slug).id, rater=name)


def place(store: Store, slug: str, name: str, *, criterion: str, coefficient: str = "mae") -> Placed:
    """Return where the person called `name` stands among the other raters who count and the judges.

    Who counts, the rule in use says of the others alone: with the person's ratings among them, an answer on
    which they differ widely would be a conflict and fall out. Answers that the rule sets aside stay.
    """
    found = project_scores(store, slug, policy=NO_RULE)
    under = found.scores[found.scores["criterion"] == criterion]
    humans = under[under["rater_kind"] == "human"]
    own = humans[humans["rater"] == name]
    left_out = _left_out(store, found, name, criterion)
    crowd = humans[(humans["rater"] != name) & ~humans["rater"].isin(left_out)]
    judges = under[under["rater_kind"] == "judge"]
    rows = self_comparison(
        own,
        crowd,
        judges,
        name=name,
        scale=found.project.scale(criterion),
        coefficient=coefficient,
        own_scale=found.own_scale,
    )
    responses = shared_responses(own, crowd)
    on_scale = judges[~judges["rater"].isin(found.own_scale)]
    there = pd.concat([crowd, on_scale]).dropna(subset="score")
    there = there.loc[
        there["response"].isin(responses["response"]), ["response", "rater", "rater_kind", "score"]
    ]
    return Placed(
        tuple(rows),
        _by_gap(_with_texts(store, found.project.id, responses), there),
        there.reset_index(drop=True),
        int(own["score"].notna().sum()) - len(responses),
        tuple(sorted(left_out & set(humans["rater"]))),
    )


def _left_out(store: Store, found: ProjectScores, name: str, criterion: str) -> set[str]:
    """Return the raters whom the rule in use leaves out under the criterion, the person not asked."""
    rule = in_use(store, found.project.slug)
    if rule is None:
        return set()
    others = found.humans[found.humans["rater"] != name]
    controls = controls_of(store, found.project, rule.policy)
    outcome = apply_filter(others, rule.policy, scales=found.project.scales, controls=controls)
    return {row.rater for row in outcome.raters if row.criterion == criterion and not row.kept}


def _with_texts(store: Store, project_id: int, responses: pd.DataFrame) -> pd.DataFrame:
    with store.reading() as session:
        texts = score_frames.response_frame(session, project_id)[["response", "question", "system"]]
    return responses.merge(texts, on="response", how="left")


def _by_gap(responses: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return the responses on which the person or a judge is farthest from the crowd first."""
    judged = scores[scores["rater_kind"] == "judge"].merge(responses[["response", "crowd"]], on="response")
    widest = (judged["score"] - judged["crowd"]).abs().groupby(judged["response"]).max()
    gap = (
        (responses["own"] - responses["crowd"])
        .abs()
        .combine(responses["response"].map(widest).fillna(0.0), max)
    )
    order = gap.sort_values(ascending=False, kind="stable").index
    return responses.loc[order].reset_index(drop=True)
