"""Draw agreement about marked errors on *Raters*, and how many errors of which kind were marked."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.languages import _, _n
from judgelab.metaeval.raters.marked_errors import TITLES, ErrorAgreement, MarkedText
from judgelab.scales.error_spans import ErrorSpans
from judgelab.ui.kit import missing_values, text, widgets

MOST_ERRORS = 1000


def draw_marked_errors(agreement: ErrorAgreement, scale: ErrorSpans) -> None:
    """Draw both tables of one criterion with marked errors."""
    widgets.heading(
        _("Marked errors"),
        _n("{n} rating that counts", "{n} ratings that count", agreement.ratings),
    )
    st.caption(
        _(
            "F1 of the marked characters, over every two raters of a response. n counts pairs of raters and "
            "responses in which at least one of the two marked something."
        )
    )
    rows = pd.DataFrame(
        {
            "Compared": _(TITLES[name]),
            "F1": text.with_interval(estimate.value, estimate.ci),
            "n": text.count(estimate.n),
        }
        for name, estimate in agreement.f1.items()
    )
    columns = {
        "Compared": st.column_config.TextColumn(_("Compared")),
        "F1": st.column_config.TextColumn("F1", alignment="right"),
        "n": st.column_config.TextColumn("n", alignment="right"),
    }
    first, second = st.columns(2, gap="large")
    with first:
        widgets.table(rows, key="raters_error_f1", columns=columns, height="content")
        missing_values.write_missing_reasons(
            (_(TITLES[name]), estimate.reason) for name, estimate in agreement.f1.items()
        )
    with second:
        widgets.table(
            _counts(agreement, scale),
            key="raters_error_counts",
            columns={name: st.column_config.NumberColumn(name, alignment="right") for name in scale.weights},
            height="content",
        )
    _draw_errors(agreement.texts)


def _draw_errors(texts: Sequence[MarkedText]) -> None:
    """Draw every error, those of one response together, so that two raters can be read side by side."""
    rows = pd.DataFrame(
        {
            "Item": text_of_rater.item,
            "System": text_of_rater.system,
            "Rater": text_of_rater.rater,
            "Marked": error["text"],
            "Type": error["type"],
            "Severity": error["severity"],
        }
        for text_of_rater in texts
        for error in text_of_rater.errors
    )
    if rows.empty:
        return
    titles = {
        "Item": _("Item"),
        "System": _("System"),
        "Rater": _("Rater"),
        "Marked": _("Marked words"),
        "Type": _("Type of error"),
        "Severity": _("Severity"),
    }
    with st.expander(_n("{n} marked error", "{n} marked errors", len(rows))):
        if len(rows) > MOST_ERRORS:
            st.caption(_("The first {n} errors; the export has all.", n=text.count(MOST_ERRORS)))
        columns = {name: st.column_config.TextColumn(title) for name, title in titles.items()}
        widgets.table(rows.head(MOST_ERRORS), key="raters_errors", columns=columns)


def _counts(agreement: ErrorAgreement, scale: ErrorSpans) -> pd.DataFrame:
    """Return the number of errors, a row a type and a column a severity, also of those no longer offered."""
    types = dict.fromkeys([*scale.types, *(kind for kind, _severity in agreement.errors)])
    severities = dict.fromkeys([*scale.weights, *(severity for _kind, severity in agreement.errors)])
    return pd.DataFrame(
        [
            {
                _("Type of error"): kind,
                **{severity: agreement.errors.get((kind, severity), 0) for severity in severities},
            }
            for kind in types
        ]
    )
