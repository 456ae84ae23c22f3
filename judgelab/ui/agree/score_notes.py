"""Notes on *Agree* about scores: those entered by hand, and the answer "cannot judge"."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from judgelab.analysis.agreement.measured_agreement import AgreementTable
from judgelab.languages import _
from judgelab.ui.kit import text


def write_score_notes(table: AgreementTable, labels: Mapping[str, str]) -> None:
    """Write how many scores a person entered by hand, and how many ratings say "cannot judge".

    `labels` are the criteria's names by key.
    """
    if counts := table.entered_by_hand:
        judges = ", ".join(f"{text.plain(name)} {n:,}" for name, n in sorted(counts.items()))
        note = _("Includes scores entered by hand where a reply could not be read: {counts}.", counts=judges)
        st.caption(note)
    if table.cannot_judge:
        criteria = ", ".join(f"{text.plain(labels[key])} {n:,}" for key, n in table.cannot_judge.items())
        st.caption(
            _(
                "Raters said “cannot judge” instead of giving a score: {counts}. These are no ratings here.",
                counts=criteria,
            )
        )
