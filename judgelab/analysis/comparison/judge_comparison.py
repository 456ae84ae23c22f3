"""Judges against one another: what the pages and commands that compare them ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.domain import DECISION
from judgelab.errors import NotFound
from judgelab.metaeval.inference.contrasts import Contrast, Contrasts, RankedJudge, contrasts
from judgelab.metaeval.inference.p_value_words import correction_scope, methods_of_tests
from judgelab.store.db.engine import Store
from judgelab.wording import joined, mark

PERMUTATIONS = 1000


@dataclass(frozen=True)
class Comparison:
    """Judges and metrics compared on the same responses, one `Contrasts` a criterion.

    Attributes:
        level: where agreement is measured (`agreement.LEVELS`).
        coefficient: the coefficient's word.
        criteria: the results by criterion; each has `placed` (value, interval, cluster of every judge),
            `contrasts` (difference, interval, test, who is better), `n`, `lost` and `left_out`.
        raters: names of all that were asked for, judges first.
        kinds: "judge" or "metric" by name.
        policy: the quality rule the people's ratings went through, None for none.
        test: the test that was asked for.
        correction: of the p-values, over all pairs under all criteria that were asked for, one family.
        seed: of the resamples and permutations.
    """

    project: str
    level: str
    coefficient: str
    criteria: Mapping[str, Contrasts]
    raters: tuple[str, ...]
    kinds: Mapping[str, str]
    policy: FilterInfo | None
    test: str
    correction: str
    seed: int

    @property
    def family(self) -> int:
        """Return how many tests the p-values are corrected over."""
        return max((criterion.family for criterion in self.criteria.values()), default=0)

    @property
    def tests_said(self) -> str:
        """Return how the p-values were made and what they are corrected over, "" where there is none."""
        if not self.family:
            return ""
        methods = methods_of_tests(
            pair.test for criterion in self.criteria.values() for pair in criterion.contrasts
        )
        scope = correction_scope(self.correction, self.family, len(self.criteria))
        return joined([methods, scope], "; ") if methods else scope

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab compare --json` prints."""
        return {
            "project": self.project,
            "level": self.level,
            "coefficient": self.coefficient,
            "filter": None if self.policy is None else self.policy.to_json(),
            "correction": self.correction,
            "corrected_over": {"tests": self.family, "criteria": list(self.criteria)},
            "p_values": self.tests_said,
            "criteria": [contrasts_json(criterion) for criterion in self.criteria.values()],
        }


def compare_judges(
    store: Store,
    slug: str,
    *,
    raters: Sequence[str] | None = None,
    baseline: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    criterion: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    constant_groups: str = "zero",
    policy: str = IN_USE,
    decisions: bool = False,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Comparison:
    """Compare judges, metrics and juries of a project on the responses that all of them scored.

    Args:
        store: the database.
        slug: the project.
        raters: whom to compare; everybody who scored if not given.
        baseline: compare the others with this one only; every pair if not given.
        level: the project's default if not given.
        coefficient: a key of `metaeval.coefficients.registry.COEFFICIENTS`; by default the project's.
        criterion: only this one, so that p-values are corrected over its pairs alone; all rated criteria if
            not given.
        test: one of `metaeval.inference.contrast_tests.TESTS`.
        correction: "holm", "bh", "by", "bonferroni" or "none".
        constant_groups: "zero" or "drop", as in `agreement_table`.
        policy: the quality rule, as in `agreement_table`.
        decisions: whether adjudicated scores come before ratings.
        resamples: of the items, for intervals.
        permutations: of the test.
        seed: of both.

    Raises:
        NotFound: no such project, criterion, rater or rule.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    scores = data.scores
    if criterion is not None:
        data.project.criterion(criterion)
        scores = scores[scores["criterion"] == criterion]
    others = scores[~scores["rater_kind"].isin(("human", DECISION))]
    by_kind_and_name = sorted(set(zip(others["rater_kind"], others["rater"], strict=True)))
    kinds = {name: kind for kind, name in by_kind_and_name}
    names = (
        tuple(kinds) if raters is None else tuple(dict.fromkeys([*raters, *([baseline] if baseline else [])]))
    )
    for name in names:
        if name not in kinds:
            raise NotFound(mark("judge or metric"), name, kinds)
    measured_level = level or data.level
    coefficient = coefficient or data.defaults.coefficient
    results = contrasts(
        scores[scores["rater"].isin(names) | scores["rater_kind"].isin(("human", DECISION))],
        scales=data.project.scales,
        raters=names,
        baseline=baseline,
        level=measured_level,
        coefficient=coefficient,
        test=test,
        correction=correction,
        constant_groups=constant_groups,
        resamples=resamples,
        permutations=permutations,
        seed=seed,
        aggregation=data.aggregation,
        own_scale=data.own_scale,
    )
    by_criterion = {result.criterion: result for result in results}
    return Comparison(
        slug, measured_level, coefficient, by_criterion, names, kinds, data.policy, test, correction, seed
    )


def contrasts_json(result: Contrasts) -> dict[str, Any]:
    """Return the comparison under one criterion as plain JSON values."""
    return {
        "criterion": result.criterion,
        "n": result.n,
        "units_not_scored_by_all": result.lost,
        "left_out": dict(result.left_out),
        "raters": [ranked_json(row) for row in result.placed],
        "contrasts": [contrast_json(row) for row in result.contrasts],
    }


def ranked_json(row: RankedJudge) -> dict[str, Any]:
    """Return one judge's place as plain JSON values."""
    return {
        "rater": row.rater,
        "rater_kind": row.rater_kind,
        "cluster": row.cluster,
        "n_own": row.n_own,
        **row.estimate.to_json(),
    }


def contrast_json(row: Contrast) -> dict[str, Any]:
    """Return the contrast of two judges as plain JSON values."""
    return {
        "first": row.first,
        "second": row.second,
        "better": row.better,
        "difference": row.difference.to_json(),
        "test": row.test.to_json(),
    }
