"""Draw agreement about sets of labels on *Agree*: how alike the sets are, and each label by itself."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.agreement.label_sets import SetsOfCriterion
from judgelab.languages import _
from judgelab.ui.kit import text, widgets


def draw_label_sets(sets: SetsOfCriterion) -> None:
    """Draw the tables of one criterion whose responses have several labels."""
    widgets.heading(_("Sets of labels"), _("compared with the raters' majority of each label"))
    st.caption(
        _(
            "A response can have several labels. Everything above, and every other page, counts two sets "
            "as equal only if all their labels are. Raters among themselves: α with MASI's distance "
            "{alpha}.",
            alpha=text.number(sets.alpha),
        )
    )
    judges = [
        {
            "Judge": each.judge,
            "Jaccard": text.with_interval(each.jaccard.value, each.jaccard.ci),
            "Equal sets": text.with_interval(each.exact.value, each.exact.ci),
            "n": text.count(each.n),
        }
        for each in sets.judges
    ]
    labels = [
        {
            "Judge": each.judge,
            "Label": label.label,
            "κ": text.with_interval(label.kappa.value, label.kappa.ci),
            "F1": text.with_interval(label.f1.value, label.f1.ci),
            "Accuracy": text.with_interval(label.accuracy.value, label.accuracy.ci),
            "TPR": text.with_interval(label.true_positive_rate.value, label.true_positive_rate.ci),
            "Given": text.count(label.given),
            "By raters": text.count(label.by_raters),
        }
        for each in sets.judges
        for label in each.labels
    ]
    titles = {
        "Judge": _("Judge"),
        "Jaccard": _("Jaccard"),
        "Equal sets": _("Equal sets"),
        "Label": _("Label"),
        "Accuracy": _("Accuracy"),
        "TPR": _("True positive rate"),
        "Given": _("Given"),
        "By raters": _("By raters"),
    }
    for key, rows in (("agree_sets", judges), ("agree_set_labels", labels)):
        if rows:
            columns = {
                name: st.column_config.Column(
                    titles.get(name, name), alignment="left" if name in ("Judge", "Label") else "right"
                )
                for name in rows[0]
            }
            widgets.table(pd.DataFrame(rows), key=key, columns=columns, height="content")
    tied = ", ".join(f"{text.plain(label)} {n:,}" for label, n in sets.tied.items() if n)
    if tied:
        st.caption(_("Left out because half of the raters gave a label: {counts}.", counts=tied))
