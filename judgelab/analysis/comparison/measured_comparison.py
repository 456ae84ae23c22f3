"""Comparison of judges with one another, measured on loaded scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgelab.analysis.data.filter_info import FilterInfo, aggregate_name
from judgelab.analysis.data.project_scores import ProjectScores, scored_by_people
from judgelab.errors import NotFound
from judgelab.metaeval.coefficients.registry import rounds_to_points
from judgelab.metaeval.inference.contrasts import Contrast, Contrasts, RankedJudge, contrasts
from judgelab.metaeval.inference.p_value_words import correction_scope, methods_of_tests
from judgelab.wording import joined, mark

PERMUTATIONS = 1000


@dataclass(frozen=True)
class Comparison:
    """Judges and metrics compared on the same responses, one `Contrasts` per criterion.

    Attributes:
        project: the project's slug.
        level: the level at which agreement is measured (`agreement.LEVELS`).
        coefficient: key of the coefficient.
        criteria: results by criterion: `placed` (value, interval and cluster of every judge), `contrasts`
            (difference, interval, test, the better one), `n`, `lost` and `left_out`.
        raters: names of all compared judges and metrics, judges first.
        kinds: "judge" or "metric" by name.
        policy: the filter applied to the people's ratings, or None.
        test: key of the test.
        correction: correction of the p-values; all pairs under all criteria are one family.
        seed: seed of the resamples and permutations.
        of_pairs: whether choices between two responses are compared, not scores.
        n_decided: number of scores or pairs decided by an adjudicator; None if decisions are not used.
        targets: by criterion, what judges are compared with, such as the "mean of all raters".
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
    of_pairs: bool = False
    n_decided: int | None = None
    targets: Mapping[str, str] = field(default_factory=dict)

    @property
    def family(self) -> int:
        """Return the number of tests over which p-values are corrected."""
        return max((criterion.family for criterion in self.criteria.values()), default=0)

    @property
    def tests_description(self) -> str:
        """Return how the p-values were computed and corrected; empty if there are none."""
        if not self.family:
            return ""
        methods = methods_of_tests(
            pair.test for criterion in self.criteria.values() for pair in criterion.contrasts
        )
        tested = sum(
            any(pair.test.p is not None for pair in criterion.contrasts)
            for criterion in self.criteria.values()
        )
        scope = correction_scope(self.correction, self.family, tested)
        return joined([methods, scope], "; ") if methods else scope

    @property
    def target(self) -> str:
        """Return what judges are compared with under any of the criteria."""
        return " or ".join(dict.fromkeys(self.targets.values()))

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab compare --json` prints."""
        return {
            "project": self.project,
            "level": self.level,
            "coefficient": self.coefficient,
            "filter": None if self.policy is None else self.policy.to_json(),
            "decisions": self.n_decided,
            "correction": self.correction,
            "corrected_over": {"tests": self.family, "criteria": list(self.criteria)},
            "p_values": self.tests_description,
            "criteria": [contrasts_json(criterion) for criterion in self.criteria.values()],
        }


def measure_comparison(
    data: ProjectScores,
    *,
    raters: Sequence[str] | None = None,
    baseline: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    criterion: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    constant_groups: str = "zero",
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Comparison:
    """Compare judges, metrics and juries on the responses that all of them scored.

    Arguments as in `judge_comparison.compare_judges`.

    Raises:
        NotFound: no such criterion or rater.
    """
    scores = data.scores
    if criterion is not None:
        data.project.criterion(criterion)
        scores = scores[scores["criterion"] == criterion]
    others = scores[~scored_by_people(scores)]
    by_kind_and_name = others[["rater_kind", "rater"]].drop_duplicates()
    kinds = {name: kind for kind, name in sorted(by_kind_and_name.itertuples(index=False, name=None))}
    names = (
        tuple(kinds) if raters is None else tuple(dict.fromkeys([*raters, *([baseline] if baseline else [])]))
    )
    for name in names:
        if name not in kinds:
            raise NotFound(mark("judge or metric"), name, kinds)
    measured_level = level or data.level
    coefficient = coefficient or data.defaults.coefficient
    results = contrasts(
        scores[scores["rater"].isin(names) | scored_by_people(scores)],
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
        drawn_items=data.rated_items.index,
    )
    by_criterion = {result.criterion: result for result in results}
    return Comparison(
        project=data.project.slug,
        level=measured_level,
        coefficient=coefficient,
        criteria=by_criterion,
        raters=names,
        kinds=kinds,
        policy=data.policy,
        test=test,
        correction=correction,
        seed=seed,
        of_pairs=data.compared is not None,
        n_decided=data.n_decided,
        targets={name: _target(data, name, coefficient) for name in by_criterion},
    )


def _target(data: ProjectScores, criterion: str, coefficient: str) -> str:
    """Return what judges are compared with under a criterion, and that it is rounded if it is."""
    scale = data.project.scales.get(criterion)
    target = f"{aggregate_name(data.aggregation, scale)} of all raters"
    rounded = data.compared is None and scale is not None and rounds_to_points(coefficient, scale)
    return f"{target} (rounded to points, halves up)" if rounded else target


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
    """Return one judge's value and rank as plain JSON values."""
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
