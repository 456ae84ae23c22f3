"""Scores of systems by people and by a judge: of their responses, or points from comparisons of two."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.data.human_scores import human_scores, score_per_response
from judgelab.analysis.data.project_scores import ProjectScores, scored_by_people
from judgelab.domain import DECISION
from judgelab.metaeval.core.arrays import stable_difference
from judgelab.metaeval.core.pair_scores import FIRST, SECOND

POINTS = (0.0, 1.0)


def response_scores(
    data: ProjectScores, scores: pd.DataFrame, judge: str | None, key: str
) -> tuple[pd.DataFrame, pd.Series[float]]:
    """Return the scores of responses under a criterion by people and by a judge, and the judge's alone.

    Args:
        data: the project's scores.
        scores: those under the criterion.
        judge: the judge's name; None for people alone.
        key: the criterion.

    Returns:
        A row a response: item, system, judge and human, NaN where unknown; and the judge's by response.
    """
    others = scores[~scored_by_people(scores)]
    # Z-scores are not comparable with the judge's points, so the mean replaces them, as everywhere.
    humans = human_scores(scores, data.on_scale_aggregation, scales=data.project.scales)
    human = humans.set_index("response")["human"] if len(humans) else pd.Series(dtype=float, name="human")
    judged = score_per_response(others[others["rater"] == judge], data.project.scales[key]).rename("judge")
    by_response = scores.drop_duplicates("response").set_index("response")[["item", "system"]]
    joined = by_response.join(judged, how="left").join(human, how="left")
    return joined.dropna(how="all", subset=["judge", "human"]), judged


def system_points(scores: pd.DataFrame, pairs: pd.DataFrame, judge: str | None) -> pd.DataFrame:
    """Return the points of both systems of each pair: 1 for a win, 0.5 for a tie, 0 for a loss.

    People's points are the mean over their choices, or an adjudicator's decision. Pairs within one system,
    or of responses that name none, are left out.

    Args:
        scores: scores of the pairs under one criterion (`SCORE_COLUMNS`).
        pairs: the pairs by number (`PAIR_COLUMNS`).
        judge: the judge's name; None for people alone.

    Returns:
        Two rows a pair: item, met (the item and the two systems), system, human and judge, NaN where
        unknown.
    """
    people = scores[scored_by_people(scores)]
    decided = people[people["rater_kind"] == DECISION].set_index("response")["score"]
    human = people.groupby("response")["score"].mean()
    human.loc[decided.index] = decided
    own = scores[~scored_by_people(scores) & (scores["rater"] == judge)]
    table = pairs.set_index("pair")[["item", "system_first", "system_second"]].assign(
        human=_points(human), judge=_points(own.groupby("response")["score"].mean())
    )
    table = table.dropna(how="all", subset=["human", "judge"])
    first, second = table["system_first"], table["system_second"]
    table = table[(first != "") & (second != "") & (first != second)]
    met = table["item"].astype(str) + "\0" + table["system_first"] + "\0" + table["system_second"]
    won = table.assign(met=met, system=table["system_first"])
    lost = table.assign(
        met=met, system=table["system_second"], human=1 - table["human"], judge=1 - table["judge"]
    )
    return pd.concat([won, lost], ignore_index=True)[["item", "met", "system", "human", "judge"]]


def paired_differences(item_means: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return first minus second system on their shared items, NaN where a score is missing."""
    system = item_means.index.get_level_values("system")
    sides = [item_means[system == name].droplevel("system") for name in (first, second)]
    shared = sides[0].merge(sides[1], left_index=True, right_index=True, suffixes=("_a", "_b"))
    return pd.DataFrame(
        {
            who: stable_difference(shared[f"{who}_a"].to_numpy(float), shared[f"{who}_b"].to_numpy(float))
            for who in ("human", "judge")
        }
    )


def _points(labels: pd.Series[float]) -> pd.Series[float]:
    return (SECOND - labels) / (SECOND - FIRST)
