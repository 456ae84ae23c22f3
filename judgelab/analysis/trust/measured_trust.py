"""Whether a judge can be trusted: agreement, biases, system order and more, measured on loaded scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.project_scores import ProjectScores, scored_by_people
from judgelab.analysis.data.to_json import json_values
from judgelab.analysis.trust.corrected_families import families_by_question, with_corrected_tests
from judgelab.analysis.trust.criterion_trust import CriterionTrust, TrustSettings, criterion_trust
from judgelab.analysis.trust.judge_units import JudgeUnits, judge_units
from judgelab.analysis.trust.system_order import order_tests
from judgelab.analysis.trust.test_families import Family
from judgelab.domain import CONFIDENCE_COLUMNS, SCORE_COLUMNS
from judgelab.errors import NotFound
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.core.units import UnitTable
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts
from judgelab.wording import mark

if TYPE_CHECKING:
    from judgelab.store.scoring.judge_costs import JudgeCost


@dataclass(frozen=True)
class JudgeRecord:
    """What is known of a judge's runs besides its scores.

    Attributes:
        cost: what the runs cost; None if the judge did not run here.
        samples: the score in each reply (`SCORE_COLUMNS`), of any judges.
        confidences: the judge's verdicts with a confidence (`CONFIDENCE_COLUMNS`).
        unscored_reasons: number of judgments without a score, by the reason stored with them.
    """

    cost: JudgeCost | None
    samples: pd.DataFrame
    confidences: pd.DataFrame
    unscored_reasons: Mapping[str, int]


NO_RECORD = JudgeRecord(
    None, pd.DataFrame(columns=list(SCORE_COLUMNS)), pd.DataFrame(columns=list(CONFIDENCE_COLUMNS)), {}
)


@dataclass(frozen=True)
class JudgeTrust:
    """The evidence for and against one judge, criterion by criterion.

    Attributes:
        project: the project's slug.
        judge: name of the judge or metric.
        kind: "judge" or "metric".
        criteria: results by criterion key, for criteria that both people and the judge scored.
        criteria_without_scores: criteria that people scored and the judge did not.
        level: the level at which agreement is measured.
        coefficient: the coefficient of agreement.
        epsilon: the lead a human may have in the alternative annotator test.
        cost: what the judge's runs cost; None if it did not run here.
        unscored: counts of judgments without a score, by reason.
        policy: the filter applied to the people's ratings.
        seed: seed of all resamples and permutations.
        labels: labels of the project's criteria, by key.
        criteria_without_ratings: criteria that the judge scored and that have no rating, or none after the
            filter.
        unscored_reasons: number of unscored judgments by the reason stored with them.
        n_decided: number of scores or pairs decided by an adjudicator; None if decisions are not used.
    """

    project: str
    judge: str
    kind: str
    criteria: Mapping[str, CriterionTrust]
    criteria_without_scores: tuple[str, ...]
    level: str
    coefficient: str
    epsilon: float
    cost: JudgeCost | None
    unscored: UnscoredCounts
    policy: FilterInfo | None
    seed: int
    labels: Mapping[str, str] = field(default_factory=dict)
    criteria_without_ratings: tuple[str, ...] = ()
    unscored_reasons: Mapping[str, int] = field(default_factory=dict)
    n_decided: int | None = None

    @property
    def of_pairs(self) -> bool:
        """Whether these are figures of choices between two responses."""
        return any(criterion.of_pairs is not None for criterion in self.criteria.values())

    @property
    def families(self) -> Mapping[str, Family]:
        """Return the family of tests over which each kind of p-value is corrected."""
        return families_by_question(self.criteria)

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab trust --json` prints: all estimates with settings, all pairs of systems."""
        return {
            "project": self.project,
            "judge": self.judge,
            "rater_kind": self.kind,
            "level": self.level,
            "coefficient": self.coefficient,
            "epsilon": self.epsilon,
            "filter": None if self.policy is None else self.policy.to_json(),
            "decisions": self.n_decided,
            **self.unscored.to_json(),
            "unscored_reasons": dict(self.unscored_reasons),
            "criteria_without_scores": list(self.criteria_without_scores),
            "criteria_without_ratings": list(self.criteria_without_ratings),
            "cost": None if self.cost is None else json_values(self.cost),
            "criteria": [json_values(criterion) for criterion in self.criteria.values()],
            "families": {name: family.to_json() for name, family in self.families.items()},
            "seed": self.seed,
        }


def trust_in_scores(
    data: ProjectScores,
    judge: str,
    *,
    make_tables: Callable[[pd.DataFrame], Sequence[UnitTable]],
    words: pd.Series[Any],
    record: JudgeRecord = NO_RECORD,
    level: str | None = None,
    coefficient: str | None = None,
    epsilon: float = 0.2,
    own_systems: Sequence[str] = (),
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> JudgeTrust:
    """Return the evidence on one judge or metric; arguments not explained are those of `measure_trust`.

    `make_tables` returns the unit tables of some of the scores; `words` is the number of words of each
    response.

    Raises:
        NotFound: no such judge.
    """
    scores = data.scores
    others = scores[~scored_by_people(scores)]
    kind_by_rater = others.drop_duplicates("rater").set_index("rater")["rater_kind"]
    if judge not in kind_by_rater.index:
        raise NotFound(mark("judge or metric"), judge, map(str, kind_by_rater.index))
    kind = str(kind_by_rater[judge])
    by_people = scored_by_people(scores)
    own_scores = scores[by_people | (scores["rater"] == judge)]
    measured_level = level or data.level
    coefficient = coefficient or data.defaults.coefficient
    tables = make_tables(own_scores)
    options: dict[str, Any] = {
        "scales": data.project.scales, "constant_groups": constant_groups, "resamples": resamples,
        "seed": seed, "aggregation": data.aggregation, "own_scale": data.own_scale, "tables": tables,
    }  # fmt: skip
    rows = compare_with_ceiling(own_scores, level=measured_level, coefficients=[coefficient], **options).rows
    vs_ceiling = {row.criterion: row for row in rows if row.rater == judge}
    tables_without_ceiling = [
        table
        for table in tables
        if table.criterion in vs_ceiling and vs_ceiling[table.criterion].raters.value is None
    ]
    options["tables"] = tables_without_ceiling
    against_all = (
        agreement(own_scores, levels=[measured_level], coefficients=[coefficient], **options)
        if tables_without_ceiling
        else []
    )
    recipe = TrustSettings(coefficient, epsilon, tuple(own_systems), resamples, seed)
    labels = {criterion.key: criterion.label for criterion in data.project.criteria}
    same_scale = kind == "judge" and judge not in data.own_scale
    units: dict[str, JudgeUnits] = {}
    without_scores: list[str] = []
    without_ratings: list[str] = []
    rated_criteria = set(scores.loc[by_people, "criterion"].unique())
    for criterion in labels:
        if not (own_scores["criterion"] == criterion).any():
            continue
        criterion_units = judge_units(data, words, judge, criterion, same_scale=same_scale)
        if criterion_units is None:
            (without_scores if criterion in rated_criteria else without_ratings).append(criterion)
        else:
            units[criterion] = criterion_units
    orders = order_tests(units, data.compared, seed)
    by_criterion: dict[str, CriterionTrust] = {}
    for criterion, criterion_units in units.items():
        replies = record.samples[
            (record.samples["rater"] == judge) & (record.samples["criterion"] == criterion)
        ]
        by_criterion[criterion] = criterion_trust(
            judge,
            criterion,
            labels[criterion],
            criterion_units,
            replies,
            vs_ceiling.get(criterion),
            [row for row in against_all if row.criterion == criterion],
            recipe,
            record.confidences[record.confidences["criterion"] == criterion],
            orders.get(criterion),
            data.compared,
        )
    return JudgeTrust(
        project=data.project.slug,
        judge=judge,
        kind=kind,
        criteria=with_corrected_tests(by_criterion),
        criteria_without_scores=tuple(without_scores),
        level=measured_level,
        coefficient=coefficient,
        epsilon=epsilon,
        cost=record.cost,
        unscored=data.unscored.get(judge, NONE_MISSING),
        policy=data.policy,
        seed=seed,
        labels=labels,
        criteria_without_ratings=tuple(without_ratings),
        unscored_reasons=record.unscored_reasons,
        n_decided=data.n_decided,
    )
