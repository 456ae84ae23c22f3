"""What only comparisons of two responses show of a judge: the order of the two, their length, win rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.trust.judge_units import JudgeUnits
from judgelab.domain import CONFIDENCE_COLUMNS
from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, choice_labels
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.core.tie_margin import TieMargin
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.inference.significance import Test, binomial
from judgelab.metaeval.judges.biases import BiasEstimate, leniency, undefined_bias
from judgelab.metaeval.judges.system_orders import CORRECTION
from judgelab.wording import sentence

LEAST = 5  # pairs with a winner and a longer response


@dataclass(frozen=True)
class OrderEffects:
    """What changing the order of two responses changes in a judge's choices.

    Attributes:
        first_rate: share of the choices other than ties that pick the response shown first.
        first_test: exact test of that share against one half.
        consistency: share of the pairs judged in both orders with the same choice in both.
        winner_first: share of the choices that pick the raters' winner where it was shown first.
        winner_second: the same where it was shown second.
    """

    first_rate: Estimate
    first_test: Test
    consistency: Estimate
    winner_first: Estimate
    winner_second: Estimate


@dataclass(frozen=True)
class PairEvidence:
    """How a judge chooses between two responses under one criterion.

    Attributes:
        implied: whether its choices are the order of its scores of single responses.
        order: what the order of the two changes; None if it is not known, or if the choices are implied.
        longer: share of the pairs in which judge and raters chose the longer response, where both chose one.
        margin: up to which difference of its scores it has a tie; None if its choices are not implied.
    """

    implied: bool
    order: OrderEffects | None
    longer: BiasEstimate
    margin: TieMargin | None = None


class SystemUnits(NamedTuple):
    """Scores of systems by item: of people, of a judge, the item, and the system as numbered in `names`."""

    human: Floats
    judge: Floats
    item: Ints
    system: Ints
    names: tuple[str, ...]


def pair_evidence(units: JudgeUnits, compared: ComparedUnits, judge: str, criterion: str) -> PairEvidence:
    """Return the evidence from a judge's comparisons under a criterion."""
    implied = judge in compared.implied
    rows = compared.preferences
    own = rows[(rows["rater"] == judge) & (rows["rater_kind"] == "judge") & (rows["criterion"] == criterion)]
    known = not implied and bool((own["order"] != "").any())
    majority = pd.Series(units.human_scores, index=units.responses[units.scored_by_both])
    order = order_effects(own, compared.pairs, majority) if known else None
    margin = compared.margins.get((criterion, judge))
    return PairEvidence(implied, order, _longer(units, compared), margin)


def confidences_of_pairs(choices: pd.DataFrame, compared: ComparedUnits) -> pd.DataFrame:
    """Return a judge's choices with a confidence (`CHOICE_TYPES`) as `CONFIDENCE_COLUMNS` of pairs.

    `response` is the number of the pair and `score` the label of the choice, as in the scores of pairs.
    """
    ends = ["criterion", "low", "high"]
    sides = compared.pairs[["first", "second"]]
    pairs = compared.pairs[["pair", "criterion", "first"]].assign(
        low=sides.min(axis=1), high=sides.max(axis=1)
    )
    known = choices.rename(columns={"response_a": "low", "response_b": "high"}).merge(pairs, on=ends)
    label = choice_labels(known["choice"])
    score = np.where(known["low"] == known["first"], label, FIRST + SECOND - label)
    return known.assign(response=known["pair"], score=score)[list(CONFIDENCE_COLUMNS)]


def order_effects(preferences: pd.DataFrame, pairs: pd.DataFrame, majority: pd.Series[float]) -> OrderEffects:
    """Return the order effects in one judge's comparisons (`PREFERENCE_COLUMNS`) with a known order.

    `pairs` are the pairs by number (`PAIR_COLUMNS`), `majority` the raters' label of each.
    """
    shown = preferences[preferences["order"] != ""]
    decided = shown[shown["choice"] != "tie"]
    first = int((decided["choice"] == decided["order"]).sum())
    rate, test = binomial(first, len(decided), nothing=sentence("no choice names one of the two responses"))
    same = same_in_both_orders(shown)
    consistency = share(int(same.sum()), len(same), nothing=sentence("no pair was judged in both orders"))
    won = shown.merge(_winners(pairs, majority), on=["response_a", "response_b"])
    right, first_won = won["choice"] == won["winner"], won["order"] == won["winner"]
    by_place = [
        share(int((right & place).sum()), int(place.sum()), nothing=sentence("no pair has a winner there"))
        for place in (first_won, ~first_won)
    ]
    return OrderEffects(rate, test, consistency, *by_place)


def _winners(pairs: pd.DataFrame, majority: pd.Series[float]) -> pd.DataFrame:
    """Return the raters' winner of each pair that has one, "a" or "b", by the responses in order of id."""
    label = majority.reindex(pairs["pair"]).to_numpy()
    first, second = pairs["first"].to_numpy(), pairs["second"].to_numpy()
    winner = np.where(label == FIRST, first, second)
    low, high = np.minimum(first, second), np.maximum(first, second)
    has_winner = (label == FIRST) | (label == SECOND)
    columns = {"response_a": low, "response_b": high, "winner": np.where(winner == low, "a", "b")}
    return pd.DataFrame({name: values[has_winner] for name, values in columns.items()})


def same_in_both_orders(preferences: pd.DataFrame) -> pd.Series[bool]:
    """Return whether one judge chose the same in both orders, by response_a, response_b and criterion.

    Only pairs that the judge saw in both orders are in the result.
    """
    unit = ["response_a", "response_b", "criterion"]
    shown = preferences[preferences["order"] != ""]
    labelled = shown.assign(label=choice_labels(shown["choice"]))
    by_order = labelled.groupby([*unit, "order"])["label"].agg(["min", "max"])
    both = by_order.groupby(level=unit).agg(orders=("min", "size"), low=("min", "min"), high=("max", "max"))
    both = both[both["orders"] == 2]
    return both["low"] == both["high"]


def _longer(units: JudgeUnits, compared: ComparedUnits) -> BiasEstimate:
    labels = compared.longer.reindex(units.responses[units.scored_by_both])
    longer = np.asarray(labels, dtype=np.float64)
    chose = np.logical_and.reduce([_decided(x) for x in (longer, units.human_scores, units.judge_scores)])
    n = int(chose.sum())
    if n < LEAST:
        reason = sentence("fewer than {least} pairs in which both chose and one is longer", least=LEAST)
        return undefined_bias(reason, n=n)
    human, judge = (
        (x[chose] == longer[chose]).astype(float) for x in (units.human_scores, units.judge_scores)
    )
    return leniency(human, judge, item=units.item[chose], ends=(0.0, 1.0))


def _decided(scores: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.asarray((scores == FIRST) | (scores == SECOND), dtype=bool)


def system_units(units: JudgeUnits, compared: ComparedUnits | None) -> SystemUnits:
    """Return the units from which systems are ordered: scores of responses, or points of pairs.

    In a pair, the winner has 1 point, the loser 0, and both half a point in a tie; people's points are the
    mean over the raters, or those of a decision where decisions are used. Two systems are compared on the
    pairs of both alone, whatever others they met.
    """
    if compared is None:
        return SystemUnits(units.human_scores, units.judge_scores, units.item, units.system, units.systems)
    table, by_number = units.table, compared.pairs.set_index("pair")
    ratings = np.bincount(table.humans.unit, minlength=len(table.item))
    points = np.bincount(table.humans.unit, _points(table.humans.score), minlength=len(table.item))
    human_points = np.divide(points, ratings, out=np.full(len(points), np.nan), where=ratings > 0)
    if table.decided is not None:
        human_points = np.where(np.isfinite(table.decided), _points(table.decided), human_points)
    judged = np.isfinite(units.all_judge_scores) & np.isfinite(human_points)
    pairs = by_number.loc[units.responses[judged]]
    first, second = pairs["system_first"].astype(str), pairs["system_second"].astype(str)
    named = ((first != "") & (second != "") & (first != second)).to_numpy()
    human = human_points[judged][named]
    judge = _points(units.all_judge_scores[judged])[named]
    sides = np.column_stack([first[named], second[named]])
    names = tuple(sorted(set(sides.ravel().tolist())))
    met = pd.DataFrame({"item": table.item[judged][named], "first": sides[:, 0], "second": sides[:, 1]})
    item = met.groupby(["item", "first", "second"], sort=False).ngroup().to_numpy(dtype=np.int64)
    system = pd.Categorical(sides.T.ravel(), categories=list(names)).codes.astype(np.int64)
    return SystemUnits(
        np.concatenate([human, 1 - human]),
        np.concatenate([judge, 1 - judge]),
        np.tile(item, 2),
        system,
        names,
    )


def _points(labels: Floats) -> Floats:
    return np.asarray((SECOND - labels) / (SECOND - FIRST), dtype=float)


def order_tests(evidence: PairEvidence | None) -> list[Test]:
    """Return the test that the judge prefers neither the first nor the second response, if there is one."""
    return [] if evidence is None or evidence.order is None else [evidence.order.first_test]


def longer_tests(evidence: PairEvidence | None) -> list[Test]:
    """Return the test that judge and raters choose the longer response equally often, if there is one."""
    return [] if evidence is None else [evidence.longer.test]


def with_corrected_pair_tests(
    by_criterion: Mapping[str, PairEvidence | None],
) -> dict[str, PairEvidence | None]:
    """Return the evidence with corrected p: order and length, a family each over the criteria (Holm)."""
    known = {key: evidence for key, evidence in by_criterion.items() if evidence is not None}
    longer = iter(with_correction([evidence.longer.test for evidence in known.values()], CORRECTION))
    ordered = [evidence.order for evidence in known.values() if evidence.order is not None]
    first = iter(with_correction([order.first_test for order in ordered], CORRECTION))
    return {
        key: None
        if evidence is None
        else replace(
            evidence,
            longer=replace(evidence.longer, test=next(longer)),
            order=None if evidence.order is None else replace(evidence.order, first_test=next(first)),
        )
        for key, evidence in by_criterion.items()
    }
