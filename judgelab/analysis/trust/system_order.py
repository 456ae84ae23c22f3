"""The order of systems by the raters and by a judge: decisions of pairs, and what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.trust.judge_units import JudgeUnits
from judgelab.analysis.trust.pair_evidence import system_units
from judgelab.analysis.trust.statements import Statement, quoted_labels, range_of
from judgelab.metaeval.core.bounded_means import Ends, difference_ends, scale_ends
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.system_differences import system_item_scores
from judgelab.metaeval.judges.system_orders import human_order_tests
from judgelab.metaeval.judges.system_pairs import SystemDecisions, system_decisions
from judgelab.wording import counted, mark, sentence

# By whether only one system was scored, for a criterion while other criteria have several systems.
NO_ORDER = {
    True: mark("On {criterion}, it and the raters scored only one system, so there is no order to compare."),
    False: mark("On {criterion}, no two systems share two items, so their order can't be compared."),
}
UNORDERED = mark("On {criterion}, the labels have no order, so the systems have no means to compare.")
# By whether the raters' order of two systems is significant; the judge reverses it.
ONE_PAIR = {
    True: mark(
        "On {criterion}, it puts the two systems in the opposite order to the raters, whose order is "
        "significant."
    ),
    False: mark(
        "On {criterion}, it puts the two systems in the opposite order to the raters, whose order may be "
        "chance."
    ),
}
ORDERS = {
    False: mark(
        "On {criterion}, it orders {wrong} of {pairs} pairs of systems differently from the raters; the "
        "raters' order is significant for {sure} of these."
    ),
    True: mark(
        "On {criterion}, it orders {wrong} of {pairs} pairs of systems differently from the raters and "
        "ties {level} that they do not; the raters' order is significant for {sure} of these."
    ),
}

ONLY_TIES = mark(
    "On {criterion}, it ties {level} of {pairs} pairs of systems that the raters do not tie; the raters' "
    "order is significant for {sure} of these."
)


class OrderedSystems(Protocol):
    """What is known of the systems under one criterion; see `criterion_trust.CriterionTrust`."""

    @property
    def criterion(self) -> str:
        """Return its key."""

    @property
    def label(self) -> str:
        """Return its name for people."""

    @property
    def n(self) -> int:
        """Return the number of units that both scored."""

    @property
    def unordered(self) -> bool:
        """Return whether its labels have no order, so that systems have no means."""

    @property
    def systems(self) -> SystemDecisions | None:
        """Return the pairs of systems."""


def order_tests(
    units: Mapping[str, JudgeUnits], compared: ComparedUnits | None, seed: int
) -> dict[str, list[Test]]:
    """Return tests of the raters' orders of systems by criterion, corrected over all criteria.

    `units` are those of a judge by criterion, `compared` the pairs if they are pairs of responses. Labels
    without an order have none.
    """
    ordered = {
        criterion: system_units(unit, compared)
        for criterion, unit in units.items()
        if unit.scale.ordered or compared is not None
    }
    grids = [system_item_scores(unit.human, unit.judge, unit.item, unit.system) for unit in ordered.values()]
    return dict(zip(ordered, human_order_tests(grids, seed=seed), strict=True))


def decisions_on_units(
    units: JudgeUnits,
    compared: ComparedUnits | None,
    *,
    orders: Sequence[Test] | None,
    resamples: int,
    seed: int,
) -> SystemDecisions | None:
    """Return every pair of systems by people and by a judge; None with fewer than two, or without an order.

    `orders` are the tests of `order_tests` under this criterion.
    """
    if not units.scale.ordered and compared is None:
        return None
    of_systems = system_units(units, compared)
    if len(np.unique(of_systems.system[of_systems.system >= 0])) < 2:
        return None
    return system_decisions(
        of_systems.human, of_systems.judge, item=of_systems.item, system=of_systems.system,
        names=of_systems.names, orders=orders, ends=_difference_ends(units, compared), resamples=resamples,
        seed=seed,
    )  # fmt: skip


def _difference_ends(units: JudgeUnits, compared: ComparedUnits | None) -> tuple[Ends | None, Ends | None]:
    """Return the ends of differences of two systems: of scores, or of points in pairs, from 0 to 1."""
    ends = difference_ends(scale_ends(units.scale) if compared is None else (0.0, 1.0))
    return ends, ends if units.same_scale or compared is not None else None


def system_statements(criteria: Sequence[OrderedSystems], *, explain: bool = False) -> list[Statement]:
    """Return sentences on the order of systems; `explain`: also why there is none under any criterion."""
    statements = []
    several = explain or any(criterion.systems is not None for criterion in criteria)
    for measured in criteria:
        if measured.systems is None or measured.systems.accuracy.value is None:
            if several:
                why = UNORDERED if measured.unordered else NO_ORDER[measured.systems is None]
                text = sentence(why, criterion=quoted_labels([measured.label]))
                statements.append(Statement("systems", text, None, (measured.criterion,), measured.n))
            continue
        wrong, shared_items = measured.systems.wrong, items_of_pairs(measured.systems)
        # Systems with equal human means have no order to find.
        pairs = [pair for pair in measured.systems.pairs if pair.human.value]
        sure = sum(pair.decided for pair in wrong)
        if not pairs:
            text = counted(
                "On {criterion}, the raters tie both systems, so there is no order to compare.",
                "On {criterion}, the raters tie all {n} pairs of systems, so there is no order to compare.",
                len(measured.systems.pairs), criterion=quoted_labels([measured.label]),
            )  # fmt: skip
            statements.append(
                Statement("systems", text, None, (measured.criterion,), unit="item", **shared_items)
            )
            continue
        if not wrong and len(pairs) < len(measured.systems.pairs):
            text = counted(
                "On {criterion}, it puts the one pair of systems that the raters do not tie in their order.",
                "On {criterion}, it puts the {n} pairs of systems that the raters do not tie in their order.",
                len(pairs), criterion=quoted_labels([measured.label]),
            )  # fmt: skip
        elif not wrong:
            text = counted(
                "On {criterion}, it puts the two systems in the raters' order.",
                "On {criterion}, it puts all {n} pairs of systems in the raters' order.",
                len(pairs), criterion=quoted_labels([measured.label]),
            )  # fmt: skip
        elif measured.systems.lost == 0 and len(measured.systems.pairs) == 1:
            text = sentence(ONE_PAIR[sure > 0], criterion=quoted_labels([measured.label]))
        else:
            level = sum(pair.verdict == "judge_ties" for pair in wrong)
            text = sentence(
                ONLY_TIES if level == len(wrong) else ORDERS[level > 0],
                criterion=quoted_labels([measured.label]), wrong=len(wrong) - level, level=level,
                pairs=len(measured.systems.pairs), sure=sure,
            )  # fmt: skip
        # Differing from an order that may be chance counts neither for nor against the judge.
        good = None if wrong and not sure else not wrong
        statements.append(
            Statement("systems", text, good, (measured.criterion,), unit="item", **shared_items)
        )
        if measured.systems.lost:
            text = counted(
                "On {criterion}, {n} pair of systems with fewer than two shared items is excluded.",
                "On {criterion}, {n} pairs of systems with fewer than two shared items are excluded.",
                measured.systems.lost, criterion=quoted_labels([measured.label]),
            )  # fmt: skip
            statements.append(
                Statement("systems", text, None, (measured.criterion,), unit="item", **shared_items)
            )
    return statements


def items_of_pairs(systems: SystemDecisions) -> dict[str, Any]:
    """Return the items shared by the pair of systems that shares the fewest, and by that with the most."""
    return range_of([pair.human.n for pair in systems.pairs])
