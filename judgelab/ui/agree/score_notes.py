"""Notes on *Agree* about scores: adjudicated ones, those entered by hand, and the answer "cannot judge"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from judgelab.analysis.agreement.agreement_table import AgreementTable
from judgelab.languages import _, _n
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.ui.kit import text


def write_decided_note(count: int | None, *, decisions: Iterable[DecisionInfo]) -> None:
    """Write how many decided scores replace ratings, and how many deciders knew judges' scores.

    `decisions` are all decisions of the project. Somebody who knows judges' scores may lean towards the
    judges that are measured against the decision.
    """
    if count is None:
        return
    note = _n(
        "{n} adjudicated score replaces ratings.",
        "{n} adjudicated scores replace ratings.",
        count,
    )
    knowing = sum(decision.saw_judges and decision.score is not None for decision in decisions)
    if knowing:
        knowing_note = _n(
            "{n} of these decisions was made by a person who knew judges' scores.",
            "{n} of these decisions were made by people who knew judges' scores.",
            knowing,
        )
        note = f"{note} {knowing_note}"
    st.caption(note)


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
