"""Evidence on a judge under one criterion: agreement, alternative annotator test, systems, biases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.trust.alternative_test import alternative_test
from judgelab.analysis.trust.judge_biases import JudgeBiases, biases_on_units
from judgelab.analysis.trust.judge_units import JudgeUnits
from judgelab.analysis.trust.pair_evidence import PairEvidence, pair_evidence
from judgelab.analysis.trust.system_order import decisions_on_units
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow, baseline_matches_raters, verdict
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS
from judgelab.metaeval.coefficients.estimates import pooled_estimate
from judgelab.metaeval.coefficients.reliability import Reliability, disattenuated, reliability
from judgelab.metaeval.core.arrays import rounded, to_points
from judgelab.metaeval.core.resampling import ItemDraws, item_draws
from judgelab.metaeval.core.result import AgreementRow, Estimate, undefined
from judgelab.metaeval.inference.alternative_annotator import AlternativeAnnotator
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.biases import BiasEstimate, self_preference
from judgelab.metaeval.judges.calibration import Calibration, calibration
from judgelab.metaeval.judges.consistency import SelfConsistency, self_consistency
from judgelab.metaeval.judges.slices import OffsetsBySlice, length_thirds, own_family, slices
from judgelab.metaeval.judges.system_pairs import SystemDecisions
from judgelab.metaeval.judges.ties import TieCalibration, tie_calibration
from judgelab.metaeval.raters.scale_use import ScaleUse, scale_use
from judgelab.scales import why_no_order


@dataclass(frozen=True)
class OwnFamily:
    """The judge's offset on responses of its own model family and on all others.

    Attributes:
        systems: the systems of the judge's family.
        own: offset on the family's responses.
        others: offset on all other responses.
        difference: `own` minus `others`.
        favour: lead of the family's responses over the others, by the judge and by the raters.
    """

    systems: tuple[str, ...]
    own: Estimate
    others: Estimate
    difference: Estimate
    favour: BiasEstimate


@dataclass(frozen=True)
class CriterionTrust(JudgeBiases):
    """All results for the judge under one criterion, biases included.

    Attributes:
        beside: agreement with the mean of all raters but one, for the judge, the left-out rater and the
            best trivial baseline on the same targets, and the judge's differences from both.
        against_all: if no rater can be left out: agreement of the judge and of each trivial baseline with
            the mean of all raters.
        verdict: "as_good", "below", "above", "no_better", "unclear" or "unknown"; see
            `metaeval.agreement.vs_ceiling_rows.verdict`.
        baseline_as_good: whether the best trivial baseline itself reaches the ceiling.
        reliability: reliability of one rater and of the raters' mean, and the highest r a judge could reach.
        corrected: the judge's pooled r, corrected for attenuation by the raters' noise.
        alternative: the alternative annotator test.
        systems: every pair of systems by people and by the judge; None with fewer than two systems, or if
            the scale has no order, as `ties`, `parts` and `family`.
        ties: whether the judge orders and ties the responses to one item as the raters do, and the distance
            up to which its scores are best taken as tied; None if no item has two scored responses.
        use: how the judge uses the scale.
        human_use: how the raters use the scale.
        consistency: how similar repeated replies are; undefined if each prompt was sent once.
        parts: the judge's offset by "group", "system", "length" and "score", where these exist.
        family: self-preference; None unless systems of the judge's family are named.
        missing: number of responses, or pairs, that people rated and the judge did not.
        calibration: how well the confidence stored with verdicts, or with choices between two responses,
            predicts that they are right; None if none is stored.
        of_pairs: what only comparisons show; None if the judge scored single responses.
    """

    beside: VsCeilingRow | None
    against_all: tuple[AgreementRow, ...]
    verdict: str
    baseline_as_good: bool
    reliability: Reliability
    corrected: Estimate
    alternative: AlternativeAnnotator
    systems: SystemDecisions | None
    ties: TieCalibration | None
    use: ScaleUse
    human_use: ScaleUse
    consistency: SelfConsistency
    parts: Mapping[str, OffsetsBySlice]
    family: OwnFamily | None
    missing: int
    calibration: Calibration | None = None
    of_pairs: PairEvidence | None = None

    @property
    def unordered(self) -> bool:
        """Return whether the labels have no order, so that systems have no means; choices give points."""
        return self.no_order and self.of_pairs is None


@dataclass(frozen=True)
class TrustSettings:
    """Settings shared by all measures of one judge; see `judge_trust.measure_trust`."""

    coefficient: str
    epsilon: float
    own_systems: tuple[str, ...]
    resamples: int
    seed: int


def criterion_trust(
    judge: str,
    criterion: str,
    label: str,
    units: JudgeUnits,
    replies: pd.DataFrame,
    beside: VsCeilingRow | None,
    against_all: Sequence[AgreementRow],
    recipe: TrustSettings,
    confidences: pd.DataFrame | None = None,
    orders: Sequence[Test] | None = None,
    compared: ComparedUnits | None = None,
) -> CriterionTrust:
    """Return all results for a judge under one criterion.

    Args:
        judge: its name.
        criterion: the criterion's key.
        label: its name for people.
        units: the units that people and the judge scored.
        replies: scores of the judge's single replies (`store.frames.sample_frames`).
        beside: the judge next to the ceiling, at the requested level.
        against_all: agreement with all raters, at the requested level.
        recipe: settings of all measures.
        confidences: confidences stored with the verdicts.
        orders: tests of the raters' orders of systems.
        compared: the pairs, if the units are pairs of responses.
    """
    table = units.table
    draws = item_draws(table.items, recipe.resamples, recipe.seed)
    no_order = None if units.scale.ordered else why_no_order(label)
    one_rater = (
        undefined(no_order)
        if no_order
        else INTER_RATER_COEFFICIENTS["mean_r"].compute(table, None, draws, "identity")
    )
    raters_per_response = len(table.humans.unit) / max(1, len(np.unique(table.humans.unit)))
    reliable = reliability(one_rater, raters_per_response)
    pooled = undefined(no_order) if no_order else _pooled_r(units, draws)
    alternative = alternative_test(units, draws, epsilon=recipe.epsilon, of_pairs=compared is not None)
    habits = biases_on_units(criterion, label, units, draws)
    judged = table.humans.where(units.scored_by_both[table.humans.unit])
    width = units.scale.high - units.scale.low
    return CriterionTrust(
        **vars(habits),
        beside=beside,
        against_all=tuple(against_all),
        verdict=verdict(beside, width=width),
        baseline_as_good=beside is not None and baseline_matches_raters(beside, width=width),
        reliability=reliable,
        corrected=disattenuated(pooled, reliable.of_mean),
        alternative=alternative,
        systems=decisions_on_units(
            units, compared, orders=orders, resamples=recipe.resamples, seed=recipe.seed
        ),
        ties=None if no_order else _ties(units, draws, recipe.seed),
        use=scale_use(units.judge_scores, units.scale if units.same_scale or no_order else None),
        human_use=scale_use(judged.score, units.scale),
        consistency=_consistency(units, replies, draws, recipe),
        parts=_parts(units, draws) if units.same_scale and not no_order else {},
        family=_family(units, draws, recipe.own_systems) if units.same_scale and not no_order else None,
        missing=int((~np.isfinite(units.all_judge_scores)).sum()),
        calibration=_calibration(units, confidences, recipe) if units.same_scale else None,
        of_pairs=None if compared is None else pair_evidence(units, compared, judge, criterion),
    )


def _ties(units: JudgeUnits, draws: ItemDraws, seed: int) -> TieCalibration | None:
    if len(np.unique(units.item)) == len(units.item):
        return None
    return tie_calibration(
        units.human_scores, units.judge_scores, units.item, item=units.item, draws=draws, seed=seed
    )


def _pooled_r(units: JudgeUnits, draws: ItemDraws) -> Estimate:
    return pooled_estimate(
        units.human_scores, units.judge_scores, item=units.item, draws=draws, coefficient="pearson"
    )


def _consistency(
    units: JudgeUnits, replies: pd.DataFrame, draws: ItemDraws, recipe: TrustSettings
) -> SelfConsistency:
    unit_by_response = pd.Series(np.arange(len(units.responses)), index=units.responses)
    known_replies = replies[replies["response"].isin(unit_by_response.index)]
    unit = unit_by_response.reindex(known_replies["response"]).to_numpy(dtype=np.int64)
    coefficient = (
        recipe.coefficient if recipe.coefficient in ("pearson", "spearman", "kendall") else "pearson"
    )
    return self_consistency(
        unit, known_replies["score"].to_numpy(dtype=float), item=units.table.item, draws=draws,
        human=units.table.human_score, coefficient=coefficient, seed=recipe.seed,
        no_order=None if units.scale.ordered else why_no_order(units.table.criterion),
    )  # fmt: skip


def _calibration(
    units: JudgeUnits, confidences: pd.DataFrame | None, recipe: TrustSettings
) -> Calibration | None:
    """Return the calibration of the judge's confidence; correct means the same point as the people's mean."""
    points = np.array([point.value for point in units.scale.points()])
    if confidences is None or confidences.empty or not len(points):
        return None
    human = pd.Series(units.table.human_score, index=units.responses)
    target = human.reindex(confidences["response"]).to_numpy(dtype=float)
    known = np.isfinite(target)
    scores = confidences["score"].to_numpy(dtype=float)[known]
    correct = to_points(rounded(scores), points) == to_points(rounded(target[known]), points)
    return calibration(
        confidences["confidence"].to_numpy(dtype=float)[known], correct.astype(float),
        resamples=recipe.resamples, seed=recipe.seed,
    )  # fmt: skip


def _parts(units: JudgeUnits, draws: ItemDraws) -> dict[str, OffsetsBySlice]:
    """Return the judge's offsets by each way of cutting the data that gives at least two parts."""
    cuts = {"group": (units.group, units.groups), "system": (units.system, units.systems)}
    cuts["length"] = length_thirds(units.words)
    points = [point.value for point in units.scale.points()]
    if 2 < len(points) <= 11:  # with two points, every difference would be in one part
        # Cut by the mean of both scores: cutting by one alone would show regression to the mean as bias.
        mean_scores = np.floor((units.human_scores + units.judge_scores) / 2 + 0.5)
        values, slice_of = np.unique(mean_scores, return_inverse=True)
        cuts["score"] = (slice_of.reshape(-1).astype(np.int64), tuple(f"{value:g}" for value in values))
    offsets = {}
    for name, (slice_of, names) in cuts.items():
        by_slice = slices(
            units.human_scores, units.judge_scores, slice_of, names, item=units.item, draws=draws,
            errors_comparable=name != "score",
        )  # fmt: skip
        if by_slice.slices:
            offsets[name] = by_slice
    return offsets


def _family(units: JudgeUnits, draws: ItemDraws, own_systems: Sequence[str]) -> OwnFamily | None:
    own_names = tuple(name for name in own_systems if name in units.systems)
    if not own_names:
        return None
    own_numbers = [units.systems.index(name) for name in own_names]
    is_own = np.isin(units.system, own_numbers)
    offsets = own_family(units.human_scores, units.judge_scores, is_own, item=units.item, draws=draws)
    preference = self_preference(units.human_scores, units.judge_scores, is_own, item=units.item)
    # The difference of the offsets equals the difference of the leads, so both share one interval.
    return OwnFamily(own_names, offsets[0], offsets[1], preference.difference, preference)
