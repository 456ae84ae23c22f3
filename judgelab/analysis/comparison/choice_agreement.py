"""How often judges make the same choice as the raters, from comparisons of two responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from judgelab.analysis.comparison.margin_notes import margin_notes
from judgelab.analysis.comparison.measured_strengths import StrengthRow, strength_rows
from judgelab.analysis.data.compared_pairs import ComparedPairs, compared_pairs
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.data.to_json import json_values
from judgelab.analysis.trust.judge_units import unit_responses
from judgelab.analysis.trust.pair_evidence import OrderEffects, order_effects
from judgelab.domain import BASELINE, DECISION
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.core.aggregation import MAJORITY
from judgelab.metaeval.core.pair_scores import SCALE, PairScores
from judgelab.metaeval.core.result import AgreementRow, Estimate, undefined
from judgelab.metaeval.core.tie_margin import TieMargin
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.metaeval.inference.alternative_annotator import AlternativeAnnotator, alternative_annotator
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.wording import sentence

ACCURACY, KAPPA = "exact", "kappa"
EPSILON = 0.2  # lead that the alternative annotator test allows a person


@dataclass(frozen=True)
class JudgeOfPairs:
    """One judge or metric beside the raters.

    Attributes:
        implied: whether its choices are the order of its scores of single responses.
        with_majority: accuracy and kappa by coefficient, against the majority of all raters.
        vs_raters: the same against the majority of all raters but one, with the raters' own, by coefficient.
        order: None if the order in which it saw the two is not known, or if its choices are implied.
        replacement: the alternative annotator test; None for metrics.
        margin: up to which difference of its scores it has a tie; None if its choices are not implied.
        without_choice: number of its judgments without a choice.
    """

    name: str
    kind: str
    implied: bool
    with_majority: Mapping[str, Estimate]
    vs_raters: Mapping[str, VsCeilingRow]
    order: OrderEffects | None
    replacement: AlternativeAnnotator | None
    margin: TieMargin | None = None
    without_choice: int = 0


@dataclass(frozen=True)
class BaselineOfPairs:
    """One trivial baseline beside the raters.

    Attributes:
        name: its name, one of `metaeval.agreement.baselines.NAMES`.
        with_majority: accuracy and kappa by coefficient, against the majority of all raters.
        vs_raters: the same against the majority of all raters but one, with the raters' own, by coefficient.
    """

    name: str
    with_majority: Mapping[str, Estimate]
    vs_raters: Mapping[str, VsCeilingRow]


@dataclass(frozen=True)
class ChoiceAgreement:
    """Agreement of choices under one criterion.

    Attributes:
        pairs: number of pairs that raters compared.
        choices: number of their choices.
        raters: the raters' names.
        undecided: number of pairs in which no choice has a majority of all raters.
        example_pairs: number of compared pairs on which a margin for a tie was chosen; they enter no
            agreement and are not among `pairs`.
        judges: judges first, then metrics, the highest accuracy first.
        baselines: the trivial baselines, the highest accuracy first.
        ceiling: one rater against the majority of the others, by coefficient.
        strengths: Bradley-Terry strengths of the systems by the raters and by each judge.
        n_decided: number of pairs decided by an adjudicator; None if decisions are not used.
        policy: the quality filter of the raters' choices; None without one.
    """

    project: str
    criterion: str
    label: str
    pairs: int
    choices: int
    raters: tuple[str, ...]
    undecided: int
    example_pairs: int
    judges: tuple[JudgeOfPairs, ...]
    baselines: tuple[BaselineOfPairs, ...]
    ceiling: Mapping[str, Estimate]
    strengths: tuple[StrengthRow, ...]
    n_decided: int | None = None
    policy: FilterInfo | None = None

    @property
    def margin_notes(self) -> tuple[str, ...]:
        """What to say of the judges' margins for a tie; empty if no choices are implied."""
        margins = {judge.name: judge.margin for judge in self.judges if judge.margin is not None}
        return margin_notes(margins, self.example_pairs)

    @property
    def comparable(self) -> bool:
        """Whether the raters can be compared with one another."""
        ceiling = self.ceiling.get(ACCURACY)
        return ceiling is not None and ceiling.value is not None

    @property
    def best_baseline(self) -> BaselineOfPairs | None:
        """The trivial baseline with the highest accuracy, if one has a value."""
        return next((each for each in self.baselines if self.accuracy(each).value is not None), None)

    def accuracy(self, judge: JudgeOfPairs | BaselineOfPairs) -> Estimate:
        """Return the judge's accuracy as the raters' is measured, or against all raters if theirs is not."""
        row = judge.vs_raters.get(ACCURACY) if self.comparable else None
        return judge.with_majority[ACCURACY] if row is None else row.estimate

    def to_json(self) -> dict[str, Any]:
        """Return one entry of "criteria" in what `judgelab choices --json` prints."""
        figures = {name: json_values(value) for name, value in vars(self).items() if name != "policy"}
        return {**figures, "filter": None if self.policy is None else self.policy.to_json()}


def choice_agreement(
    store: Store,
    slug: str,
    *,
    criterion: str | None = None,
    decisions: bool = False,
    policy: str = IN_USE,
    resamples: int = 1000,
    seed: int = 0,
) -> ChoiceAgreement:
    """Return how often judges and metrics choose as most raters do; first, tie and second are three labels.

    Judges and metrics that scored single responses take part with the order of their scores. Intervals
    resample items. A pair without a majority of the raters it is measured against is left out. With
    `decisions`, an adjudicator's decision replaces the majority of its pair, and in the strengths its
    choices.
    Raters' choices are those that the filter `policy` keeps: "in use", "none", or a filter's name.

    Raises:
        NotFound: no such project, criterion or filter.
        InvalidInput: nobody compared responses, or a criterion must be chosen.
    """
    pairs = compared_pairs(store, slug, criterion=criterion, decisions=decisions, policy=policy)
    found = _measured(pairs, {"resamples": resamples, "seed": seed})
    decided = int((pairs.found.measured.scores["rater_kind"] == DECISION).sum())
    return replace(found, n_decided=decided) if decisions else found


def _measured(pairs: ComparedPairs, options: Mapping[str, int]) -> ChoiceAgreement:
    project, key, found = pairs.project, pairs.criterion, pairs.found.measured
    scales, items = {key: scale_from_json(SCALE)}, pairs.rated_items
    tables = unit_tables(found.scores, MAJORITY, scales=scales, longer=found.longer, drawn_items=items)
    arguments: dict[str, Any] = {"scales": scales, "aggregation": MAJORITY, "tables": tables, **options}
    coefficients = (ACCURACY, KAPPA)
    rows = agreement(found.scores, levels=("none",), coefficients=coefficients, **arguments)
    beside = compare_with_ceiling(found.scores, level="none", coefficients=coefficients, **arguments)
    kind = found.scores["rater_kind"]
    humans, others = found.scores[kind == "human"], found.scores[~kind.isin(("human", DECISION))]
    table = tables[0] if tables else None
    judges = [
        _judge(name, found, rows, beside.rows, table, pairs.preferences, pairs.missing.get(name, 0))
        for name in dict.fromkeys([*others["rater"].unique(), *pairs.missing])
    ]
    return ChoiceAgreement(
        project=project.slug,
        criterion=key,
        label=project.criterion(key).label,
        pairs=humans["response"].nunique(),
        example_pairs=pairs.found.example_pairs,
        choices=len(humans),
        raters=tuple(sorted(humans["rater"].unique())),
        undecided=0 if table is None else table.tied,
        judges=tuple(sorted(judges, key=_best_first)),
        baselines=_baselines(rows, beside.rows),
        ceiling={row.coefficient: row.estimate for row in beside.ceiling()},
        strengths=strength_rows(pairs.preferences, pairs.responses, resamples=200, seed=options["seed"]),
        policy=pairs.policy,
    )


def _best_first(judge: JudgeOfPairs) -> tuple[bool, float, str]:
    return judge.kind != "judge", _descending(judge), judge.name


def _descending(judge: JudgeOfPairs | BaselineOfPairs) -> float:
    row = judge.vs_raters.get(ACCURACY)
    beside = None if row is None else row.estimate.value
    value = judge.with_majority[ACCURACY].value if beside is None else beside
    return 1.0 if value is None else -value


def _baselines(rows: list[AgreementRow], beside: list[VsCeilingRow]) -> tuple[BaselineOfPairs, ...]:
    names = dict.fromkeys(row.rater for row in rows if row.rater_kind == BASELINE)
    baselines = [
        BaselineOfPairs(
            name=name,
            with_majority={row.coefficient: row.estimate for row in rows if row.rater == name},
            vs_raters={row.coefficient: row for row in beside if row.rater == name},
        )
        for name in names
    ]
    return tuple(sorted(baselines, key=_descending))


def _judge(
    name: str,
    found: PairScores,
    rows: list[AgreementRow],
    beside: list[VsCeilingRow],
    table: UnitTable | None,
    preferences: pd.DataFrame,
    lost: int,
) -> JudgeOfPairs:
    nothing = undefined(sentence("it compared no two responses that raters compared"))
    of_judge = {row.coefficient: row.estimate for row in rows if row.rater == name}
    own = preferences[(preferences["rater"] == name) & (preferences["rater_kind"] == "judge")]
    implied, metric = name in found.implied, name in found.metrics
    return JudgeOfPairs(
        name=name,
        kind="metric" if metric else "judge",
        implied=implied,
        with_majority={c: of_judge.get(c, nothing) for c in (ACCURACY, KAPPA)},
        vs_raters={row.coefficient: row for row in beside if row.rater == name},
        order=None
        if implied or table is None or not (own["order"] != "").any()
        else order_effects(
            own, found.pairs, pd.Series(table.human_score, index=unit_responses(found.scores))
        ),
        replacement=None if metric or table is None else _replacement(table, name),
        margin=next((margin for (_, of), margin in found.margins.items() if of == name), None),
        without_choice=lost,
    )


def _replacement(table: UnitTable, name: str) -> AlternativeAnnotator | None:
    scores = next((rater.scores for rater in table.compared if rater.name == name), None)
    if scores is None:
        return None
    return alternative_annotator(
        table.humans, scores, names=table.human_names, scoring="accuracy", epsilon=EPSILON, item=table.item,
        of_pairs=True,
    )  # fmt: skip
