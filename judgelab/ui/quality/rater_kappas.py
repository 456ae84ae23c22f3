"""Draw kappa of every two raters: as a matrix, or as a list of pairs if there are many raters."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.analysis.raters.measured_kappas import RaterKappas
from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.kappas import PairKappa
from judgelab.ui.kit import missing_values, text, widgets
from judgelab.wording import mark

MOST_COLUMNS = 8
MOST_NAMED = 6
MOST_RATERS = 40  # with more, only the command line and the report's files list the pairs
WEIGHTS = {"identity": mark("Cohen’s κ"), "quadratic": mark("Quadratic-weighted κ")}


def draw_rater_kappas(kappas: RaterKappas | None, names: Sequence[str], *, of_pairs: bool = False) -> None:
    """Draw the kappas under one criterion, or nothing if no two raters share a response.

    `names` are all raters on the page; those without a rating that counts are named below the table.
    """
    if kappas is None or not kappas.pairs:
        return
    kappa = _(WEIGHTS[kappas.weights])
    widgets.heading(
        _("Every pair of raters"),
        _("{kappa}, n shared pairs of responses", kappa=kappa)
        if of_pairs
        else _("{kappa}, n shared responses", kappa=kappa),
    )
    if any(pair.estimate.value is not None for pair in kappas.pairs):
        frame = _kappa_matrix(kappas) if len(kappas.raters) <= MOST_COLUMNS else _kappa_list(kappas)
        widgets.table(
            frame,
            key="raters_kappas",
            columns={name: st.column_config.TextColumn(alignment="right") for name in frame.columns[1:]},
            height="content" if len(frame) <= MOST_COLUMNS else "auto",
        )
    missing_values.write_missing_reasons(
        (f"{pair.first} – {pair.second}", pair.estimate.reason) for pair in kappas.pairs
    )
    if missing := [name for name in names if name not in kappas.raters]:
        listing = text.plain(text.listing(missing, limit=MOST_NAMED))
        st.caption(
            _(
                "Only raters whose ratings the filter keeps on this criterion; not listed: {names}.",
                names=listing,
            )
        )


def write_too_many_note(raters: int) -> None:
    """Write where to find the pairs when there are too many raters to list them here."""
    note = _n(
        "{n} rater: κ of every pair is in the report files and in `judgelab raters --pairs`.",
        "{n} raters: κ of every pair is in the report files and in `judgelab raters --pairs`.",
        raters,
    )
    st.caption(note)


def _kappa_matrix(kappas: RaterKappas) -> pd.DataFrame:
    cells = {(pair.first, pair.second): _kappa_text(pair) for pair in kappas.pairs}
    rows = [
        {
            _("Rater"): row,
            **{
                rater: cells.get((row, rater)) or cells.get((rater, row), text.MISSING)
                for rater in kappas.raters
            },
        }
        for row in kappas.raters
    ]
    return pd.DataFrame(rows)


def _kappa_list(kappas: RaterKappas) -> pd.DataFrame:
    def lowest(rater_pair: PairKappa) -> float:
        return 2.0 if rater_pair.estimate.value is None else rater_pair.estimate.value

    return pd.DataFrame(
        [
            {
                _("Raters"): f"{pair.first} – {pair.second}",
                "κ": text.number(pair.estimate.value),
                _("95 % interval"): text.interval(pair.estimate.ci),
                "n": text.count(pair.estimate.n),
            }
            for pair in sorted(kappas.pairs, key=lowest)
        ]
    )


def _kappa_text(pair: PairKappa) -> str:
    return f"{text.number(pair.estimate.value)} (n {text.count(pair.estimate.n)})"
