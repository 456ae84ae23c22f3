"""Responses, or pairs of them, on which judges agree with one another and not with the people."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.human_scores import human_scores, score_per_response
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.disagreement.pair_parts import named_pairs
from judgelab.metaeval.judges.large_disagreements import (
    large_disagreement_from,
    same_score_within,
    score_difference,
)
from judgelab.scales import Scale
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames

LEAST_JUDGES = 2  # that must contradict the people
COLUMNS = (
    *("response", "item", "system", "question", "human", "raters", "agreeing", "apart", "judges", "median"),
    "difference",
)


@dataclass(frozen=True)
class SharedDisagreements:
    """Responses, or pairs, on which judges agree with one another and not with the people.

    Attributes:
        rows: one row per response or pair, see `shared_disagreements`.
        compared: number of rated responses that two or more judges scored on the criterion's scale.
        rated: number of rated responses.
        judges: number of judges that score on that scale.
        of_pairs: whether these are pairs of responses, not responses.
    """

    rows: pd.DataFrame
    compared: int
    rated: int
    judges: int
    of_pairs: bool = False


def shared_disagreements(
    store: Store, slug: str, *, criterion: str, policy: str = IN_USE, comparisons: bool | None = False
) -> SharedDisagreements:
    """Return responses, or pairs, on which judges agree with one another and not with the people.

    At least two judges, and more than half of those that scored the response, are close to the judges' median
    (`same_score_within`), and that median is far from the human score. If the raters disagree themselves, the
    error may be a rater's; if they agree, it may be one that judges share. Columns (`COLUMNS`): response,
    item, system, question, human, raters (number), agreeing (how many of them gave the human score), apart
    (range of the raters' scores), judges (names of those that agree), median, difference; largest difference
    first. Of pairs, `response` is the number of the pair, and first, second, system_first and system_second
    are further columns. `comparisons` as in `compared_scores.scores_or_comparisons`.

    Raises:
        NotFound: no such project, criterion or filter.
        InvalidInput: comparisons are asked for and nobody compared responses.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    scale = data.project.scale(criterion)
    large_from, same_within = large_disagreement_from(scale), same_score_within(scale)
    scores = data.scores[data.scores["criterion"] == criterion]
    metrics = data.own_scale if data.compared is None else data.compared.metrics
    on_scale = scores[(scores["rater_kind"] == "judge") & ~scores["rater"].isin(metrics)]
    judged = _score_per_judge(on_scale, scale)
    humans = human_scores(scores, data.on_scale_aggregation, scales=data.project.scales)
    humans = humans[["response", "human", "raters"]].dropna()
    ratings = scores[scores["rater_kind"] == "human"]
    by_response = ratings.groupby("response")["score"]
    ranges = by_response.max() - by_response.min()
    ranges = ranges if scale.ordered else (ranges > 0).astype(float)
    same = ratings["score"] == ratings["response"].map(humans.set_index("response")["human"])
    humans = humans.assign(
        apart=humans["response"].map(ranges).fillna(0.0),
        agreeing=humans["response"].map(same.groupby(ratings["response"]).sum()).fillna(0).astype(int),
    )
    judges_per_response = judged.groupby("response").size()
    compared = int((humans["response"].map(judges_per_response).fillna(0) >= LEAST_JUDGES).sum())
    shared = _agreeing_judges(judged, same_within, scale).merge(humans, on="response")
    shared["difference"] = score_difference(shared["median"], shared["human"], scale)
    shared = shared[shared["difference"].abs() >= large_from - 1e-9]
    names = _names(store, data)
    shared = shared.merge(names, on="response")
    order = shared["difference"].abs().sort_values(ascending=False, kind="stable").index
    columns = [*COLUMNS, *(name for name in names.columns if name not in COLUMNS)]
    rows = shared.loc[order, columns].reset_index(drop=True)
    n_judges = int(judged["rater"].nunique())
    return SharedDisagreements(rows, compared, len(humans), n_judges, data.compared is not None)


def _names(store: Store, data: ProjectScores) -> pd.DataFrame:
    """Return item, system and question of each response; of each pair also its two responses."""
    if data.compared is not None:
        return named_pairs(data.compared)
    with store.reading() as session:
        texts = score_frames.response_frame(session, data.project.id, answers=False)
    return texts[["response", "item", "system", "question"]]


def _score_per_judge(scores: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    """Return response, rater and score: the mean of a judge's scores, or the most frequent of its labels."""
    if scale.ordered:
        return scores.groupby(["response", "rater"])["score"].mean().reset_index()
    parts = [
        score_per_response(part, scale).reset_index().assign(rater=rater)
        for rater, part in scores.groupby("rater", sort=True)
    ]
    columns = ["response", "rater", "score"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else scores[columns]


def _agreeing_judges(judged: pd.DataFrame, same_within: float, scale: Scale) -> pd.DataFrame:
    """Return response, median and names of the agreeing judges, where enough judges agree.

    Labels without an order have no median; the most frequent one takes its place.
    """
    by_response = judged.groupby("response")["score"]
    median = by_response.transform("median" if scale.ordered else lambda labels: labels.mode().iloc[0])
    alike = judged[(judged["score"] - median).abs() <= same_within + 1e-9].sort_values(["response", "rater"])
    all_judges = alike["response"].map(by_response.size())
    agreeing = alike.groupby("response")["rater"].transform("size")
    enough = alike[(agreeing >= LEAST_JUDGES) & (agreeing > all_judges / 2)]
    by_response_agreed = enough.assign(median=median).groupby("response", as_index=False)
    return by_response_agreed.agg(median=("median", "first"), judges=("rater", ", ".join))
