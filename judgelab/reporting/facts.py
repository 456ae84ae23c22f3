"""Everything a report needs of a project, gathered once so that its parts agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling
from judgelab.analysis.agreement.measured_agreement import unscored_in
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.trust.judge_biases import JudgeBiases, biases_by_judge
from judgelab.annotation.filters.intervals import RESAMPLES, mean_agreement_interval
from judgelab.domain import BASELINE
from judgelab.errors import InvalidInput
from judgelab.metaeval.agreement.agreement import AgreementRow
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.statistic_defaults import POINTS, StatisticDefaults
from judgelab.reporting.rater_flow import RaterFlow, rater_flow
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.store.judging.judge_use import JudgeUse, judge_uses
from judgelab.store.judging.judges import JudgeInfo, list_judges
from judgelab.store.judging.unscored_counts import UnscoredCounts
from judgelab.store.people import memberships
from judgelab.store.rating.rating_records import imported_raters, rating_origins
from judgelab.store.transfer.importing import project_counts
from judgelab.wording import sentence


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


def gather_facts(
    store: Store,
    slug: str,
    *,
    policy: str = IN_USE,
    level: str | None = None,
    coefficients: Sequence[str] = (),
    comparisons: bool | None = None,
    decisions: bool = False,
) -> ReportFacts:
    """Return the facts of a report of the project.

    Args:
        store: the database.
        slug: the project.
        policy: the filter: "in use", "none" or a name.
        level: of agreement; the project's default if not given, as on the page *Agree*.
        coefficients: `suited_coefficients` if none is given; the first is drawn.
        comparisons: whether to report choices between two responses instead of scores; None for choices if
            nobody rated single responses.
        decisions: whether adjudicators' decisions replace ratings, or the majority of their pairs.

    Raises:
        NotFound: there is no such project, filter or coefficient.
        InvalidInput: there are no ratings yet.
    """
    scores = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy, decisions=decisions)
    of_pairs = scores.compared is not None
    if scores.humans.empty:
        raise InvalidInput(
            sentence(
                "project '{project}' has no human ratings to report; import or collect some first.",
                project=slug,
            )
        )
    recipe = ReportRecipe(
        level or scores.level,
        tuple(coefficients) or suited_coefficients(scores.defaults),
        "none" if scores.policy is None else scores.policy.name,
        decisions=decisions,
    )
    agreement = agreement_and_ceiling(
        store,
        slug,
        level=recipe.level,
        coefficients=recipe.coefficients,
        policy=policy,
        decisions=decisions,
        comparisons=of_pairs,
        constant_groups=recipe.constant_groups,
        resamples=recipe.resamples,
        seed=recipe.seed,
    )
    rows = agreement.table.rows
    compared = {row.rater for row in rows if row.rater_kind != BASELINE}
    with store.reading() as session:
        judges = [judge for judge in list_judges(session, scores.project.id) if judge.name in compared]
        uses = judge_uses(session, scores.project.id)
        counts = project_counts(session, scores.project.id)
        members = memberships.memberships(session, scores.project.id, removed=True)
        blind = BlindCounts(*rating_origins(session, scores.project.id, comparisons=of_pairs))
        imported = imported_raters(session, scores.project.id, comparisons=of_pairs)
    return ReportFacts(
        scores=scores,
        recipe=recipe,
        rows=rows,
        vs_ceiling=tuple(agreement.vs_ceiling),
        ceiling=agreement.table.ceiling,
        judges=tuple(judges),
        uses=uses,
        counts=counts,
        flow=rater_flow(scores, members, imported),
        blind=blind,
        inter_rater=_inter_rater_agreement(scores),
        note=saved_filters.lock_note(store, slug),
        comparison=_compare_judges(store, slug, recipe, policy, comparisons=of_pairs)
        if len(compared) > 1
        else None,
        biases={}
        if of_pairs
        else biases_by_judge(
            scores,
            snapshots.word_counts(store, scores.project.id),
            list(dict.fromkeys(row.rater for row in rows if row.rater_kind == "judge")),
            resamples=recipe.resamples,
            seed=recipe.seed,
        ),
    )


def _compare_judges(
    store: Store, slug: str, recipe: ReportRecipe, policy: str, *, comparisons: bool
) -> Comparison:
    return compare_judges(
        store,
        slug,
        level=recipe.level,
        coefficient=recipe.coefficients[0],
        policy=policy,
        decisions=recipe.decisions,
        comparisons=comparisons,
        constant_groups=recipe.constant_groups,
        resamples=recipe.resamples,
        seed=recipe.seed,
    )


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
