"""How far judges and metrics agree with a project's people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.scores import IN_USE, ProjectScores, human_scores, measured_tables, project_scores
from judgelab.domain import DECISION
from judgelab.metaeval.agreement.agreement import AgreementRow, agreement, human_ceiling
from judgelab.metaeval.agreement.groups import GroupRow, agreement_by_group
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import Row, VsCeilingRow
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.defaults import RANKABLE
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.judging.no_scores import NONE_MISSING, UnscoredCounts


@dataclass(frozen=True)
class AgreementTable:
    """Agreement of every judge and metric with the people, and of the people among themselves.

    Attributes:
        rows: one per judge or metric, criterion and coefficient, then those of the trivial baselines.
        ceiling: one per criterion and coefficient: a person against the mean of the others.
        policy: the quality rule the people's ratings went through.
        unscored: by judge, how many judgments hold no score, and why.
        unscored_by_criterion: the same by judge and criterion, those under all at once among each.
        aggregation: how the people's ratings of a response became one score.
        decided: how many scores adjudicators decided, None where decisions do not enter.
        entered: by judge, how many of its scores a person read in a reply and entered by hand.
        per_item: how many responses whose ratings count are in the item that has most of them.
    """

    rows: tuple[AgreementRow, ...]
    ceiling: tuple[AgreementRow, ...]
    policy: FilterInfo | None
    unscored: dict[str, UnscoredCounts]
    aggregation: Aggregation = MEAN
    decided: int | None = None
    entered: Mapping[str, int] = field(default_factory=dict)
    per_item: int = 0
    unscored_by_criterion: Mapping[tuple[str, str], UnscoredCounts] = field(default_factory=dict)

    def unscored_of(self, judge: str, criterion: str) -> UnscoredCounts:
        """Return how many of a judge's judgments hold no score under a criterion; under "average", of all."""
        return self.unscored_by_criterion.get((judge, criterion), self.unscored.get(judge, NONE_MISSING))

    @property
    def too_few_to_rank(self) -> bool:
        """Return whether this is agreement within items that hold too few responses to be ranked."""
        return any(row.level == "item" for row in self.rows) and self.per_item < RANKABLE


def _rated_per_item(scores: pd.DataFrame) -> int:
    """Return how many responses people rated in the item that has most of them."""
    rated = scores[scores["rater_kind"].isin(("human", DECISION))]
    item = rated["item"][~rated["response"].duplicated()]
    return int(item.value_counts().max()) if len(item) else 0


def agreement_table(
    store: Store,
    slug: str,
    *,
    level: str | None = None,
    coefficients: Sequence[str] = (),
    policy: str = IN_USE,
    aggregate: str | None = None,
    decisions: bool = False,
    criterion: str | None = None,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> AgreementTable:
    """Return the agreement of all judges and metrics at one level.

    Level and coefficients are the project's defaults (`metaeval.core.defaults`) if not given. `aggregate`
    combines the people's ratings in another way than the filter says. With `decisions`, an adjudicator's
    decision is the human score of its response.

    Raises:
        NotFound: no such project, criterion or rule.
    """
    data = project_scores(store, slug, policy=policy, aggregate=aggregate, decisions=decisions)
    scores = _criterion_scores(data, criterion)
    options: dict[str, Any] = {
        "scales": data.project.scales,
        "levels": (level or data.level,),
        "coefficients": tuple(coefficients) or data.defaults.coefficients,
        "constant_groups": constant_groups,
        "resamples": resamples,
        "seed": seed,
        "aggregation": data.aggregation,
        "tables": measured_tables(store, data, scores),
    }
    rows = agreement(scores, own_scale=data.own_scale, **options)
    return _table(data, rows, human_ceiling(scores, **options))


@dataclass(frozen=True)
class AgreementAndCeiling:
    """Both comparisons: with the mean of all people, and with all but one; coefficient by coefficient."""

    table: AgreementTable
    vs_ceiling: list[VsCeilingRow]


def agreement_and_ceiling(
    store: Store,
    slug: str,
    *,
    level: str,
    coefficients: Sequence[str],
    policy: str = IN_USE,
    decisions: bool = False,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> AgreementAndCeiling:
    """Return `agreement_table` and `beside.beside_table`, the people measured once for both.

    Raises:
        NotFound: no such project or rule.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    options: dict[str, Any] = {
        "scales": data.project.scales,
        "constant_groups": constant_groups,
        "resamples": resamples,
        "seed": seed,
        "aggregation": data.aggregation,
        "own_scale": data.own_scale,
        "tables": measured_tables(store, data, data.scores),
    }
    rows = agreement(data.scores, levels=(level,), coefficients=coefficients, **options)
    vs_ceiling = compare_with_ceiling(data.scores, level=level, coefficients=coefficients, **options)
    table = _table(
        data, _by_coefficient(rows, coefficients), _by_coefficient(vs_ceiling.ceiling(), coefficients)
    )
    return AgreementAndCeiling(table, _by_coefficient(vs_ceiling.rows, coefficients))


def _by_coefficient(rows: Iterable[Row], coefficients: Sequence[str]) -> list[Row]:
    return sorted(rows, key=lambda row: coefficients.index(row.coefficient))


def _table(data: ProjectScores, rows: list[AgreementRow], ceiling: list[AgreementRow]) -> AgreementTable:
    return AgreementTable(
        rows=tuple(rows),
        ceiling=tuple(ceiling),
        policy=data.policy,
        unscored=data.unscored,
        unscored_by_criterion={
            (judge, criterion.key): data.unscored_of(judge, criterion.key)
            for judge in data.unscored
            for criterion in data.project.criteria
        },
        aggregation=data.aggregation,
        decided=data.decided,
        entered=data.entered,
        per_item=_rated_per_item(data.scores) if any(row.level == "item" for row in rows) else 0,
    )


def group_table(
    store: Store,
    slug: str,
    *,
    coefficients: Sequence[str] = (),
    criterion: str | None = None,
    policy: str = IN_USE,
    decisions: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> list[GroupRow]:
    """Return each rater's pooled agreement in each group and the plain average over groups.

    ELECT reports product categories this way, BioASQ batches. Empty when items have no groups. Coefficients
    are the project's defaults where none is given.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    scores = _criterion_scores(data, criterion)
    if not (scores["group"] != "").any():
        return []
    return agreement_by_group(
        scores,
        scales=data.project.scales,
        coefficients=tuple(coefficients) or data.defaults.coefficients,
        resamples=resamples,
        seed=seed,
        aggregation=data.aggregation,
        own_scale=data.own_scale,
    )


def paired_scores(
    store: Store,
    slug: str,
    *,
    rater: str,
    criterion: str,
    policy: str = IN_USE,
    decisions: bool = False,
) -> pd.DataFrame:
    """Return each response both the people and `rater` scored: the people's score beside the rater's.

    Columns: item, response, system, group, question, human, score, raters (how many people). The people's
    score is put together as the rule says; z-scores cannot stand beside a score of the scale, so there the
    mean is shown. With `decisions`, a decided score stands in its place.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    scores = _criterion_scores(data, criterion)
    humans = human_scores(scores, data.aggregation if data.aggregation.on_scale else MEAN)
    humans = humans[humans["criterion"] == criterion].set_index("response")[["human", "raters"]].dropna()
    judged = scores[~scores["rater_kind"].isin(("human", DECISION)) & (scores["rater"] == rater)]
    rater_scores = judged.groupby("response")["score"].mean()
    joined = humans.join(rater_scores, how="inner").reset_index()
    with store.reading() as session:
        texts = score_frames.response_frame(session, data.project.id, answers=False)
    columns = ["item", "response", "system", "group", "question", "human", "score", "raters"]
    return joined.merge(texts, on="response")[columns]


def _criterion_scores(data: ProjectScores, criterion: str | None) -> pd.DataFrame:
    if criterion is None:
        return data.scores
    data.project.criterion(criterion)
    return data.scores[data.scores["criterion"] == criterion]
