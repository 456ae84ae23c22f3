"""Whether a judge that sees two texts side by side goes by where they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from judgelab.metaeval.position import FIRST, TIE, Position, position_bias
from judgelab.metaeval.result import Estimate
from judgelab.metaeval.significance import Test, binomial
from judgelab.store import shown_pairs
from judgelab.store.engine import Store
from judgelab.store.runs import find_run
from judgelab.store.shown_pairs import Shown
from judgelab.wording import sentence


@dataclass(frozen=True)
class PositionReport:
    """What a run's choices between two texts say about their places.

    Attributes:
        run: the run.
        choices: replies that state a choice, or votes, or pairs within a ranking.
        ties: choices that name neither text.
        first_rate: share of the decided choices that name the text shown first, over both orders and one.
        first_test: exact test of that share being one half.
        swapped: the pairs that were shown in both orders: consistency, and what swapping turns.
    """

    run: int
    choices: int
    ties: int
    first_rate: Estimate
    first_test: Test
    swapped: Position

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values; undefined is null with a reason."""
        return {
            **{"run": self.run, "choices": self.choices, "ties": self.ties},
            "first_rate": self.first_rate.to_json(),
            "first_test": asdict(self.first_test),
            "consistency": self.swapped.consistency.to_json(),
            "always_first": self.swapped.always_first,
            "always_second": self.swapped.always_second,
            "swap_test": asdict(self.swapped.swap_test),
        }


def position_report(store: Store, run_id: int) -> PositionReport | None:
    """Return what a run's choices say about the places of the texts; None where it showed no two texts.

    Raises:
        NotFound: no such run.
    """
    with store.reading() as session:
        find_run(session, run_id)
        seen = shown_pairs.shows_two(session, run_id)
        found = list(shown_pairs.shown_pairs(session, run_id)) if seen else []
    if not found:
        return None
    decided: list[str] = [shown.choice for _, shown in found if shown.choice != TIE]
    nothing = sentence("no choice names one of the two texts")
    rate, test = binomial(decided.count(FIRST), len(decided), nothing=nothing)
    verdict, swapped = both_orders(found)
    return PositionReport(
        run=run_id,
        choices=len(found),
        ties=len(found) - len(decided),
        first_rate=rate,
        first_test=test,
        swapped=position_bias(verdict, swapped),
    )


def both_orders(found: Iterable[tuple[int, Shown]]) -> tuple[list[str], list[str]]:
    """Return the slot chosen in either order of each pair that was shown both ways, draw by draw."""
    asked: defaultdict[tuple[Any, ...], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for judgment, shown in found:
        pair = sorted((shown.first, shown.second))
        turned = shown.first != pair[0]
        asked[judgment, shown.voice, *pair][turned].append(shown.choice)
    both = [ways for kept, turned in asked.values() for ways in zip(kept, turned, strict=False)]
    return [one for one, _ in both], [other for _, other in both]
