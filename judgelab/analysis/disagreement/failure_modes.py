"""Failure modes: how often each judge and metric fails on tagged responses (figure 3 of QA-eval)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.human_scores import human_scores, score_per_response
from judgelab.analysis.data.project_scores import ProjectScores, scored_by_people
from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.judges.large_disagreements import (
    LargeDisagreement,
    large_disagreement_from,
    score_difference,
)
from judgelab.scales import Scale
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.tags import KINDS, TagInfo, put_tag, remove_tag, tags
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class FailureModeRow:
    """One judge or metric under one failure mode.

    Attributes:
        rater: name of the judge or metric.
        rater_kind: "judge" or "metric".
        kind: the failure mode.
        wrong: number of responses tagged with the mode on which this rater differs from people.
        tagged: number of tagged responses that it scored.
        own: number of tags on this rater's own disagreements.
        proposed: number of tags that a model proposed and that are not accepted yet.
    """

    rater: str
    rater_kind: str
    kind: str
    wrong: int
    tagged: int
    own: int
    proposed: int

    def to_json(self) -> dict[str, Any]:
        """Return the row of `judgelab tags --json`."""
        return dict(vars(self))


@dataclass(frozen=True)
class FailureModes:
    """All counts under one criterion, and the tags they come from.

    `large_from` is the smallest difference of scores that counts as a large disagreement.
    """

    criterion: str
    large_from: float
    rows: tuple[FailureModeRow, ...]
    tags: tuple[TagInfo, ...]


def failure_modes(
    store: Store, slug: str, *, criterion: str | None = None, policy: str = IN_USE
) -> FailureModes:
    """Return the counts of every judge and metric that scored a tagged response.

    The criterion is the project's first one if not given. A failure mode belongs to a response: a tag on one
    judge's disagreement says why comparing words fails there, and every rater is checked for failing there
    too. Proposals count only under `proposed`.

    Raises:
        NotFound: no such project or criterion.
    """
    data = project_scores(store, slug, policy=policy)
    with store.reading() as session:
        all_tags = tags(session, data.project.id)
    if not data.project.criteria:
        raise InvalidInput(
            sentence("project '{project}' has no criteria yet; add one or import ratings.", project=slug)
        )
    key = criterion or data.project.criteria[0].key
    far = large_disagreement_from(data.project.scale(key))
    accepted = {
        kind: {tag.response for tag in all_tags if tag.kind == kind and tag.state == "accepted"}
        for kind in KINDS
    }
    rows: list[FailureModeRow] = []
    for rater, rater_kind, scored in _scores_beside_humans(data, key):
        apart = score_difference(scored["judged"], scored["human"], data.project.scale(key))
        distance = pd.Series(np.abs(apart), index=scored.index)
        rows += _mode_rows(rater, rater_kind, distance, far, accepted, all_tags)
    return FailureModes(key, far, tuple(rows), tuple(all_tags))


def large_disagreements(
    store: Store, slug: str, rater: str, criterion: str = "", *, policy: str = IN_USE
) -> list[LargeDisagreement]:
    """Return the large disagreements of a judge or metric with people, largest first.

    Args:
        store: the database.
        slug: the project.
        rater: the judge or metric.
        criterion: key of the criterion; the first one if empty.
        policy: the filter, as in `project_scores`.

    Raises:
        NotFound: no such project, criterion, judge or filter.
        InvalidInput: its scores are on another scale than the people's.
    """
    data = project_scores(store, slug, policy=policy)
    others = data.scores[~scored_by_people(data.scores)]
    raters = sorted(set(others["rater"].unique()))
    if rater not in raters:
        raise NotFound(mark("judge"), rater, raters)
    key = data.project.criterion(criterion).key if criterion else data.project.criteria[0].key
    pairs = [both_scored for name, _, both_scored in _scores_beside_humans(data, key) if name == rater]
    scored = (others["rater"] == rater) & (others["criterion"] == key) & others["score"].notna()
    if scored.any() and not any(len(both_scored) for both_scored in pairs):
        raise InvalidInput(
            sentence(
                "the scores of '{judge}' can't be compared with the raters': they are on another scale, "
                "or on responses without ratings; choose another judge or metric.",
                judge=rater,
            )
        )
    scale = data.project.scale(key)
    far = large_disagreement_from(scale) - 1e-9
    large = [
        LargeDisagreement(int(response), float(human), float(judged))
        for both_scored in pairs
        for response, human, judged in zip(
            both_scored.index, both_scored["human"], both_scored["judged"], strict=True
        )
        if abs(float(score_difference(judged, human, scale))) >= far
    ]
    return sorted(
        large,
        key=lambda row: (-abs(float(score_difference(row.judged, row.human, scale))), row.response),
    )


def _scores_beside_humans(data: ProjectScores, key: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the name and kind of each judge and metric, with `human` and `judged` scores by response."""
    scores = data.scores[data.scores["criterion"] == key]
    humans = human_scores(scores, data.on_scale_aggregation, scales=data.project.scales)
    human = humans[humans["criterion"] == key].set_index("response")["human"]
    others = scores[~scored_by_people(scores)]
    for (rater, kind), part in others.groupby(["rater", "rater_kind"], sort=True):
        means = score_per_response(part, data.project.scale(key))
        rater_scores = (
            means[[]] if rater in data.own_scale else _on_scale(means, str(kind), data.project.scale(key))
        )
        scored = pd.DataFrame({"human": human.reindex(rater_scores.index), "judged": rater_scores})
        yield str(rater), str(kind), scored.dropna()


def _on_scale(scores: pd.Series, kind: str, scale: Scale) -> pd.Series:
    """Return the scores that are comparable with the people's; empty for a metric on another scale.

    For a metric on a binary scale (token F1), half and more counts as right, as in the study.
    """
    if kind != "metric":
        return scores
    if scale.kind != "binary" or not scores.between(scale.low, scale.high).all():
        return scores[[]]
    middle = (scale.low + scale.high) / 2
    return scores.ge(middle).map({True: scale.high, False: scale.low})


def _mode_rows(
    rater: str,
    rater_kind: str,
    distance: pd.Series,
    far: float,
    accepted: Mapping[str, set[int]],
    all_tags: Sequence[TagInfo],
) -> list[FailureModeRow]:
    rater_tags = [tag for tag in all_tags if tag.judge == rater]
    rows = []
    for kind in KINDS:
        tagged = distance[distance.index.isin(list(accepted[kind]))]
        states = [tag.state for tag in rater_tags if tag.kind == kind]
        row = FailureModeRow(
            rater,
            rater_kind,
            kind,
            wrong=int((tagged >= far - 1e-9).sum()),
            tagged=len(tagged),
            own=states.count("accepted"),
            proposed=states.count("proposed"),
        )
        rows.append(row)
    return rows


def toggle_tag(
    store: Store, slug: str, *, response: int, judge: str, kind: str, person_id: int | None
) -> bool:
    """Add a tag, accept a proposal, or remove an accepted tag; return whether the tag is set now."""
    with store.writing() as session:
        project_id = find_project(session, slug).id
        accepted = [
            tag
            for tag in tags(session, project_id, response_id=response, judge=judge)
            if tag.kind == kind and tag.state == "accepted"
        ]
        if accepted:
            remove_tag(session, response_id=response, judge=judge, kind=kind)
            return False
        put_tag(session, project_id, response_id=response, judge=judge, kind=kind, person_id=person_id)
        return True


def dismiss_tag(store: Store, *, response: int, judge: str, kind: str) -> None:
    """Reject a model's proposal; it is not proposed again."""
    with store.writing() as session:
        remove_tag(session, response_id=response, judge=judge, kind=kind)


def tag_states(store: Store, slug: str) -> tuple[tuple[int, str], ...]:
    """Return row id and state of every tag, on which the counts depend besides the scores."""
    with store.reading() as session:
        return tuple((tag.id, tag.state) for tag in tags(session, find_project(session, slug).id))


def response_tags(store: Store, slug: str, *, response: int, judge: str) -> list[TagInfo]:
    """Return the tags on one judge's disagreement about a response."""
    with store.reading() as session:
        return tags(session, find_project(session, slug).id, response_id=response, judge=judge)
