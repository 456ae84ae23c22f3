"""Position bias: whether a judge that sees two texts side by side prefers one position."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.data.to_json import json_values
from judgelab.analysis.trust.bias_statements import significant_sign
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.multiplicity import LEVEL
from judgelab.metaeval.inference.significance import Test, binomial
from judgelab.metaeval.judges.biases import BiasEstimate, leniency, undefined_bias
from judgelab.metaeval.judges.position import FIRST, SECOND, TIE, PositionBias, position_bias
from judgelab.store.db.engine import Store
from judgelab.store.judging import shown_pairs
from judgelab.store.judging.runs import find_run
from judgelab.store.judging.shown_pairs import ChosenPair, ShownPair
from judgelab.store.projects.projects import get_project
from judgelab.wording import sentence

TOLERANCE = 1e-9  # means that differ by less count as equal


@dataclass(frozen=True)
class PositionReport:
    """Position bias of the choices in one run.

    Attributes:
        run: the run's id.
        choices: number of choices: replies that state one, votes, or pairs within a ranking.
        ties: choices that name neither text.
        first_rate: share of the decided choices that name the text shown first.
        first_test: exact test of that share against one half.
        both_orders: pairs shown in both orders: consistency, and choices changed by swapping. For responses
            that people rated, also how often the judge prefers the one with the higher human score.
        vs_raters: pairs that both people and the judge put in an order: share of pairs in which the judge
            chose the first text, share in which people scored it higher, and the difference. If each pair
            was shown in both orders, the people's share is one half.
    """

    run: int
    choices: int
    ties: int
    first_rate: Estimate
    first_test: Test
    both_orders: PositionBias
    vs_raters: BiasEstimate

    @property
    def preferred_position(self) -> int:
        """Return 1 if it chooses the first text significantly more often, -1 if the second, else 0."""
        p, ends = self.first_test.p, self.first_rate.ci
        if p is None or p >= LEVEL or ends is None:
            return 0
        return int(ends[0] > 1 / 2) - int(ends[1] < 1 / 2)

    @property
    def prefers_position(self) -> bool | None:
        """Return whether it prefers the position itself, not better texts; None if this is not known.

        It does if its preference is significantly stronger than the people's on the same pairs, or if each
        pair was shown in both orders.
        """
        if not self.preferred_position:
            return False
        if self.choices and 2 * self.both_orders.consistency.n == self.choices:
            return True
        if self.vs_raters.difference.ci is None:
            return None
        return significant_sign(self.vs_raters.difference) == self.preferred_position

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values; undefined is null with a reason."""
        return {
            **{"run": self.run, "choices": self.choices, "ties": self.ties},
            "first_rate": self.first_rate.to_json(),
            "first_test": asdict(self.first_test),
            "consistency": self.both_orders.consistency.to_json(),
            "always_first": self.both_orders.always_first,
            "always_second": self.both_orders.always_second,
            "swap_test": asdict(self.both_orders.swap_test),
            "accuracy_consistent": self.both_orders.accuracy_consistent.to_json(),
            "accuracy_tied": self.both_orders.accuracy_tied.to_json(),
            "beside_raters": json_values(self.vs_raters),
            "leans": {1: "first", -1: "second", 0: None}[self.preferred_position],
            "by_place": self.prefers_position,
        }


def position_report(store: Store, run_id: int) -> PositionReport | None:
    """Return the position bias of a run's choices, or None if its prompts show no pairs of texts.

    Raises:
        NotFound: no such run.
    """
    with store.reading() as session:
        run = find_run(session, run_id)
        is_pairwise = shown_pairs.is_pairwise_run(session, run_id)
        pairs_shown = list(shown_pairs.shown_pairs(session, run_id)) if is_pairwise else []
        compared = (
            list(shown_pairs.chosen_pairs(session, run.project_id, run_id=run_id)) if is_pairwise else []
        )
        slug = get_project(session, run.project_id).slug
    if not pairs_shown:
        return None
    decided: list[str] = [shown_pair.choice for _, shown_pair in pairs_shown if shown_pair.choice != TIE]
    nothing = sentence("no choice names one of the two texts")
    rate, test = binomial(decided.count(FIRST), len(decided), nothing=nothing)
    verdict, swapped = choices_in_both_orders(pairs_shown)
    both_ways = position_bias(verdict, swapped)
    vs_raters = undefined_bias(sentence("it compared no two responses of the project"), n=0)
    if compared:
        order = _human_order(store, slug)
        vs_raters = _first_choice_bias(compared, order)
        with_order = position_bias(*_choices_with_human_order(compared, order))
        both_ways = replace(
            both_ways,
            accuracy_consistent=with_order.accuracy_consistent,
            accuracy_tied=with_order.accuracy_tied,
        )
    return PositionReport(
        run=run_id,
        choices=len(pairs_shown),
        ties=len(pairs_shown) - len(decided),
        first_rate=rate,
        first_test=test,
        both_orders=both_ways,
        vs_raters=vs_raters,
    )


def choices_in_both_orders(
    pairs_shown: Iterable[tuple[int, ShownPair]],
) -> tuple[list[str], list[str]]:
    """Return the slots chosen in the first and in the swapped order, for pairs shown in both orders."""
    choices: defaultdict[tuple[Any, ...], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for judgment, shown_pair in pairs_shown:
        pair = sorted((shown_pair.first, shown_pair.second))
        swapped = shown_pair.first != pair[0]
        choices[judgment, shown_pair.voice, *pair][swapped].append(shown_pair.choice)
    choice_pairs = [
        ways for in_order, swapped in choices.values() for ways in zip(in_order, swapped, strict=False)
    ]
    return [first for first, _ in choice_pairs], [other for _, other in choice_pairs]


HumanOrder = Callable[[str, int, int], str | None]


def _human_order(store: Store, slug: str) -> HumanOrder:
    """Return a function that says which of two responses people scored higher under a criterion."""
    data = project_scores(store, slug)
    humans = human_scores(data.scores, data.on_scale_aggregation, scales=data.project.scales)
    human = humans.set_index(["criterion", "response"])["human"].to_dict()
    lower_is_better = {criterion.key for criterion in data.project.criteria if not criterion.higher_is_better}

    def order(criterion: str, first: int, second: int) -> str | None:
        difference = human.get((criterion, first), math.nan) - human.get((criterion, second), math.nan)
        return _slot_ahead(-difference if criterion in lower_is_better else difference)

    return order


def _first_choice_bias(compared: Iterable[ChosenPair], order: HumanOrder) -> BiasEstimate:
    """Return how often judge and people prefer the first text, on pairs that both put in an order."""
    rows = [
        (pair.item, pair.choice == FIRST, people == FIRST)
        for pair in compared
        for criterion in pair.criteria
        if (people := order(criterion, pair.first, pair.second)) not in (None, TIE) and pair.choice != TIE
    ]
    if not rows:
        return undefined_bias(sentence("raters and judge put no two responses in an order"), n=0)
    item = np.unique([row[0] for row in rows], return_inverse=True)[1].reshape(-1)
    judge, human = (np.array([row[side] for row in rows], dtype=np.float64) for side in (1, 2))
    return leniency(human, judge, item=item, ends=(0.0, 1.0))


def _choices_with_human_order(
    compared: Iterable[ChosenPair], order: HumanOrder
) -> tuple[list[str], list[str], list[str | None]]:
    """Return the slots chosen in both orders of each pair, and the slot that people scored higher."""
    choices: defaultdict[tuple[Any, ...], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for pair in compared:
        low, high = sorted((pair.first, pair.second))
        for criterion in pair.criteria:
            choices[criterion, low, high][pair.first != low].append(pair.choice)
    chosen, chosen_swapped, human_choices = [], [], []
    for (criterion, low, high), both_orders in choices.items():
        human_choice = order(criterion, low, high)
        for in_order, reversed_order in zip(*both_orders, strict=False):
            chosen.append(in_order)
            chosen_swapped.append(reversed_order)
            human_choices.append(human_choice)
    return chosen, chosen_swapped, human_choices


def _slot_ahead(difference: float) -> str | None:
    """Return which of two responses people scored higher, from first minus second score."""
    if not math.isfinite(difference):
        return None
    return TIE if abs(difference) < TOLERANCE else FIRST if difference > 0 else SECOND
