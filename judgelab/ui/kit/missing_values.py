"""Notes below a table on the values that it lacks."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from judgelab.languages import _
from judgelab.ui.kit import text


def write_missing_reasons(rows: Iterable[tuple[str, str | None]], *, column: str = "") -> None:
    """Write why rows of a table have no value, each reason once; a table cell would cut it off.

    Args:
        rows: the name of each row, and why it has no value, if it has none.
        column: the head of the column that lacks the values, if the table has several such columns.
    """
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in rows:
        if reason:
            names_by_reason.setdefault(_(reason), []).append(name)
    for reason, names in names_by_reason.items():
        words = {"raters": text.quoted_names(names, limit=9), "reason": reason}
        line = (
            _("No “{column}” for {raters}: {reason}.", column=column, **words)
            if column
            else _("No value for {raters}: {reason}.", **words)
        )
        st.caption(text.plain(line))
