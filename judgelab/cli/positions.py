"""The position bias of a judge, as `run position` prints it."""

from __future__ import annotations

from collections.abc import Iterator

from judgelab.analysis.trust.position_bias import PositionReport
from judgelab.cli import shared
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.significance import Test


def position_lines(report: PositionReport) -> Iterator[str]:
    """Yield a report on position bias as lines of text."""
    yield f"run {report.run}  {shared.counted(report.choices, 'choice')}, {report.ties} of them ties"
    yield f"The text shown first is chosen: {_share_text(report.first_rate)}{_test_text(report.first_test)}"
    beside = report.vs_raters
    if beside.difference.value is not None:
        yield (
            "On pairs that the raters' scores put in an order, the first text "
            f"wins: {_share_text(beside.own)} by the judge's choice, "
            f"{_share_text(beside.raters)} by the raters' scores"
        )
    elif report.preferred_position and report.prefers_position is None:
        yield f"It is not known whether the position or the texts cause this: {beside.difference.reason}"
    swapped = report.both_orders
    yield f"The same text is chosen in both orders: {_share_text(swapped.consistency)}"
    if swapped.consistency.value is not None:
        yield (
            f"In both orders, the first text won {shared.counted(swapped.always_first, 'pair')}, "
            f"the second {swapped.always_second}{_test_text(swapped.swap_test)}"
        )


def _share_text(value: Estimate) -> str:
    if value.value is None:
        return f"none ({value.reason})"
    interval = shared.interval(value.ci)
    return f"{value.value:z.2f}{interval} of {value.n}"


def _test_text(test: Test) -> str:
    return "" if test.p is None else f", p = {test.p:.3g} against an even split"
