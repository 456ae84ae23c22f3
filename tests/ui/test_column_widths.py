"""The widths of columns that show their cells whole."""

from __future__ import annotations

from judgelab.ui.kit import column_widths


def test_long_names_wrap_in_higher_rows_beside_the_figures_of_a_phone() -> None:
    assert column_widths.wrapped(["bleu", "rougeL"], 140) == (column_widths.fitting_width(["rougeL"]), 28)
    assert column_widths.wrapped(["bleu", "baseline: always the same answer"], 140) == (
        140,
        column_widths.LEAST_WRAPPING,
    )
    assert column_widths.LEAST_WRAPPING > 4 * 15, "the grid wraps above four times baseFontSize"
