"""Everything a report needs of a project, gathered once so that its parts agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from judgelab.analysis.agreement.measured_agreement import measure_agreement_and_ceiling, unscored_in
from judgelab.analysis.comparison.measured_comparison import Comparison, measure_comparison
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.trust.judge_biases import JudgeBiases, biases_by_judge
from judgelab.annotation.filters.intervals import RESAMPLES, mean_agreement_interval
from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.agreement import AgreementRow
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.statistic_defaults import POINTS, StatisticDefaults
from judgelab.metaeval.core.units import UnitTable
from judgelab.reporting.rater_flow import RaterFlow, rater_flow
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.unscored_counts import UnscoredCounts

if TYPE_CHECKING:
    from judgelab.store.judging.judge_use import JudgeUse
    from judgelab.store.people.memberships import MembershipInfo


@dataclass(frozen=True)
class ReportRecipe:
    """The options that a report's figures are computed with; the commands of the pack repeat them."""

    level: str
    coefficients: tuple[str, ...]
    policy: str
    resamples: int = 1000
    seed: int = 0
    constant_groups: str = "zero"
    decisions: bool = False


@dataclass(frozen=True)
class BlindCounts:
    """How many ratings were given in JudgeLab, how many of those not blind, and how many were imported."""

    in_judgelab: int
    not_blind: int
    imported: int


@dataclass(frozen=True)
class StudyRecord:
    """What a project records of a study besides its scores; of scores alone nothing of it is known.

    Attributes:
        judges: definitions of the project's judges.
        uses: by judge, the outcome of its runs and its prompts.
        counts: rows by kind ("items", "responses", ...).
        members: who is or was a member.
        imported: raters whose ratings all came from files.
        blind: how many ratings are known to be blind.
        note: whether and when the filter in use was locked.
    """

    judges: tuple[JudgeInfo, ...]
    uses: Mapping[str, JudgeUse]
    counts: Mapping[str, int]
    members: tuple[MembershipInfo, ...]
    imported: frozenset[str]
    blind: BlindCounts
    note: str


@dataclass(frozen=True)
class ReportFacts:
    """The scores, figures and counts of a report.

    Attributes:
        scores: the project's scores under the filter.
        rows: agreement of each judge, metric and baseline with the mean of all raters.
        vs_ceiling: agreement with the mean of all raters but one, and the difference from the ceiling.
        ceiling: agreement of each rater with the others.
        judges: definitions of the judges that are compared.
        uses: by judge, the outcome of its runs and its prompts.
        counts: rows by kind ("items", "responses", ...).
        blind: how many ratings are known to be blind.
        inter_rater: by criterion, the raters' mean pairwise r or kappa "before" the filter and "after_items".
        note: whether and when the filter in use was locked; belongs to every figure.
        biases: by judge and criterion, the judge's biases and the raters'; empty for comparisons.
        comparison: each pair of judges or metrics by the first coefficient; None with fewer than two.
        recorded: whether a project records how the ratings and judgments were made; of scores alone, only
            what they hold is known.
        saved_filter: whether the filter, if there is one, is saved in the project under its name.
    """

    scores: ProjectScores
    recipe: ReportRecipe
    rows: tuple[AgreementRow, ...]
    vs_ceiling: tuple[VsCeilingRow, ...]
    ceiling: tuple[AgreementRow, ...]
    judges: tuple[JudgeInfo, ...]
    uses: Mapping[str, JudgeUse]
    counts: Mapping[str, int]
    flow: RaterFlow
    blind: BlindCounts
    inter_rater: Mapping[str, Mapping[str, Estimate]]
    note: str
    comparison: Comparison | None
    biases: Mapping[str, Mapping[str, JudgeBiases]]
    recorded: bool = True
    saved_filter: bool = True

    @property
    def title(self) -> str:
        """The title of the report: the project's name; scores alone have none."""
        return self.scores.project.name if self.recorded else "Judges compared with human raters"

    @property
    def ratings(self) -> pd.DataFrame:
        """All ratings by people, kept by the filter or not; a frame may also hold missing ones."""
        humans = self.scores.humans
        return humans[humans["score"].notna()]

    @property
    def first_coefficient(self) -> str:
        """The coefficient that is drawn and that judges are ordered by."""
        return self.recipe.coefficients[0]

    @property
    def compared(self) -> bool:
        """Whether any judge or metric can be compared with human raters."""
        return any(row.rater_kind != BASELINE for row in self.rows)

    def judged(self, criterion: str) -> bool:
        """Return whether a judge or metric can be compared with human raters under a criterion."""
        return any(row.criterion == criterion and row.rater_kind != BASELINE for row in self.rows)

    @property
    def units(self) -> str:
        """Return what raters and judges judged: "responses" or "pairs"."""
        return "responses" if self.scores.compared is None else "pairs"

    def unscored_of(self, row: AnyAgreementRow) -> UnscoredCounts:
        """Return how many judgments have no score under the criteria that the row's figure is of."""
        rows = self.vs_ceiling if isinstance(row, VsCeilingRow) else self.rows
        return unscored_in(row, rows, self.scores.unscored_by_criterion)

    def ceiling_of(self, criterion: str) -> Estimate | None:
        """Return the human ceiling under a criterion, by the first coefficient."""
        key = (criterion, self.first_coefficient)
        return next((row.estimate for row in self.ceiling if (row.criterion, row.coefficient) == key), None)

    def has_ceiling(self, criterion: str) -> bool:
        """Return whether human raters can be compared with one another under a criterion."""
        return any(
            row.estimate.value is not None
            for row in self.ceiling
            if (row.criterion, row.coefficient) == (criterion, self.first_coefficient)
        )


def facts_of_scores(
    scores: ProjectScores,
    recipe: ReportRecipe,
    *,
    tables: Sequence[UnitTable],
    words: pd.Series[Any],
    record: StudyRecord | None = None,
    saved_filter: bool = True,
) -> ReportFacts:
    """Return the facts of a report.

    Args:
        scores: the scores, under a filter or not.
        recipe: which figures to report.
        tables: the unit tables of the scores.
        words: number of words of each response.
        record: what is known of the study besides; None for scores alone.
        saved_filter: whether the filter, if there is one, is saved in the project under its name.
    """
    options: dict[str, Any] = {
        "level": recipe.level,
        "constant_groups": recipe.constant_groups,
        "resamples": recipe.resamples,
        "seed": recipe.seed,
    }
    agreement = measure_agreement_and_ceiling(scores, tables, coefficients=recipe.coefficients, **options)
    rows = agreement.table.rows
    compared = {row.rater for row in rows if row.rater_kind != BASELINE}
    judges = list(dict.fromkeys(row.rater for row in rows if row.rater_kind == "judge"))
    known = record or _record_of_scores(scores, judges)
    return ReportFacts(
        scores=scores,
        recipe=recipe,
        rows=rows,
        vs_ceiling=tuple(agreement.vs_ceiling),
        ceiling=agreement.table.ceiling,
        judges=tuple(judge for judge in known.judges if judge.name in compared),
        uses=known.uses,
        counts=known.counts,
        flow=rater_flow(scores, known.members, known.imported),
        blind=known.blind,
        inter_rater=_inter_rater_agreement(scores),
        note=known.note if saved_filter else "",
        comparison=measure_comparison(scores, coefficient=recipe.coefficients[0], **options)
        if len(compared) > 1
        else None,
        biases={}
        if scores.compared is not None
        else biases_by_judge(scores, words, judges, resamples=recipe.resamples, seed=recipe.seed),
        recorded=record is not None,
        saved_filter=saved_filter and record is not None,
    )


def _record_of_scores(scores: ProjectScores, judges: Sequence[str]) -> StudyRecord:
    """Return what scores alone say of their study: who rated and judged, and how many items there are."""
    everything = pd.concat([scores.scores[["item", "response"]], scores.humans[["item", "response"]]])
    raters = frozenset(map(str, scores.humans["rater"].unique()))
    return StudyRecord(
        judges=tuple(_judge_without_recipe(name) for name in judges),
        uses={},
        counts={"items": everything["item"].nunique(), "responses": everything["response"].nunique()},
        members=(),
        imported=raters,
        blind=BlindCounts(0, 0, len(scores.humans)),
        note="",
    )


def _judge_without_recipe(name: str) -> JudgeInfo:
    return JudgeInfo(0, name, "imported", "", {}, "", None, "", {}, 1, "mean", "")


def _inter_rater_agreement(scores: ProjectScores) -> dict[str, dict[str, Estimate]]:
    """Return the raters' agreement before and after the filter, with intervals, as on the page *Quality*."""
    if scores.policy is None or scores.outcome is None:
        return {}
    policy = scores.policy.policy
    ratings_by_stage = {"before": scores.humans, "after_items": scores.outcome.kept}

    def interval(criterion: str, stage: str) -> tuple[float, float] | None:
        ratings = ratings_by_stage[stage]
        ratings = ratings[ratings["criterion"] == criterion]
        items, ordered = list(scores.rated_items.index), scores.project.scales[criterion].ordered
        return mean_agreement_interval(ratings, policy, resamples=RESAMPLES, items=items, ordered=ordered)

    return {
        criterion: {
            stage: replace(stages[stage], ci=interval(criterion, stage)) for stage in ratings_by_stage
        }
        for criterion, stages in scores.outcome.agreement_by_criterion.items()
    }


def suited_coefficients(usual: StatisticDefaults) -> tuple[str, ...]:
    """Return the project's default coefficients, and weighted kappa if every scale has few points."""
    return (*usual.coefficients, "qwk") if usual.wording == POINTS else usual.coefficients
