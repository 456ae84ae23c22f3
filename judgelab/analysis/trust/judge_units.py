"""Scores of one judge and of people on the same units of a criterion, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgelab.analysis.data.project_scores import ProjectScores, scored_by_people
from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.scales import Scale


@dataclass(frozen=True)
class JudgeUnits:
    """The units that people and one judge scored under one criterion.

    Attributes:
        table: all units that people rated under the criterion; `table.item` numbers items for resampling.
        all_judge_scores: the judge's score of each unit of the table, NaN if it gave none.
        responses: response row id of each unit of the table.
        scored_by_both: which units of the table both scored. The next six are of these units only.
        human_scores: the people's scores.
        judge_scores: the judge's scores.
        item: item numbers.
        system: system numbers, -1 if the response names no system.
        group: group numbers, -1 if the item names no group.
        words: number of words of each response.
        systems: system names by number.
        groups: group names by number.
        scale: the criterion's scale.
        same_scale: whether the judge's scores are on that scale.
    """

    table: UnitTable
    all_judge_scores: Floats
    responses: Ints
    scored_by_both: Bools
    human_scores: Floats
    judge_scores: Floats
    item: Ints
    system: Ints
    group: Ints
    words: Floats
    systems: tuple[str, ...]
    groups: tuple[str, ...]
    scale: Scale
    same_scale: bool


def judge_units(
    data: ProjectScores, words: pd.Series[float], judge: str, criterion: str, *, same_scale: bool
) -> JudgeUnits | None:
    """Return the judge's units under a criterion, or None if it and people scored no unit in common.

    `words` is `store.frames.snapshots.word_counts`.
    """
    return units_by_judge(data, words, {judge: same_scale}, criterion).get(judge)


def units_by_judge(
    data: ProjectScores, words: pd.Series[float], judges: Mapping[str, bool], criterion: str
) -> dict[str, JudgeUnits]:
    """Return, by judge, the units under a criterion; judges that share no unit with people are left out.

    Args:
        data: the project's scores.
        words: `store.frames.snapshots.word_counts`.
        judges: by judge, whether its scores are on the criterion's scale.
        criterion: its key.
    """
    scores = data.scores
    by_people = scored_by_people(scores)
    used = scores[(scores["criterion"] == criterion) & (by_people | scores["rater"].isin(list(judges)))]
    used = used[np.isfinite(used["score"].to_numpy(dtype=float, na_value=np.nan))]
    scales, drawn_items = data.project.scales, data.rated_items.index
    table = next(iter(unit_tables(used, data.aggregation, scales=scales, drawn_items=drawn_items)), None)
    if table is None:
        return {}
    responses = unit_responses(used)
    lengths: Floats = np.nan_to_num(words.reindex(responses).to_numpy(dtype=float, na_value=np.nan))
    groups = tuple(map(str, pd.factorize(used.drop_duplicates("response")["group"])[1]))
    scale = scales[criterion]
    units: dict[str, JudgeUnits] = {}
    for judge in table.compared:
        scored_by_both = np.isfinite(judge.scores) & np.isfinite(table.human_score)
        if not scored_by_both.any():
            continue
        within_scale = bool(
            ((judge.scores[scored_by_both] >= scale.low) & (judge.scores[scored_by_both] <= scale.high)).all()
        )
        units[judge.name] = JudgeUnits(
            table,
            judge.scores,
            responses,
            scored_by_both,
            table.human_score[scored_by_both],
            judge.scores[scored_by_both],
            table.item[scored_by_both],
            table.system[scored_by_both],
            table.group[scored_by_both],
            lengths[scored_by_both],
            table.systems,
            groups,
            scale,
            judges[judge.name] and within_scale,
        )
    return units


def unit_responses(scores: pd.DataFrame) -> Ints:
    """Return the response of each unit that people rated, in order of first appearance."""
    code, names = pd.factorize(scores["response"])
    rated = scored_by_people(scores).to_numpy()
    return np.asarray(names, dtype=np.int64)[np.unique(code[rated])]
