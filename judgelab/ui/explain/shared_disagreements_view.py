"""Draw the responses, or pairs, on which judges agree with one another but not with the raters."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.shared_disagreements import SharedDisagreements, shared_disagreements
from judgelab.languages import _, _n
from judgelab.metaeval.core.pair_scores import FIRST, TIE
from judgelab.metaeval.judges.large_disagreements import large_disagreement_from, same_score_within
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.explain import reading_links
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate


@stale_results.kept(loaders.KEPT)
def load_judges_against_raters(
    slug: str, version: str, criterion: str, comparisons: bool
) -> SharedDisagreements:
    """Return the responses or pairs on which most judges agree and contradict the raters."""
    return shared_disagreements(gate.store(), slug, criterion=criterion, comparisons=comparisons)


def draw_judges_against_raters(project: ProjectInfo, together: SharedDisagreements, criterion: str) -> None:
    """List the responses, or pairs, on which most judges agree and contradict the raters."""
    frame = together.rows
    widgets.heading(_("Judges that agree with one another but not with the raters"), _counts(together))
    scale = project.scale(criterion)
    st.caption(_listed_note(scale, of_pairs=together.of_pairs))
    if frame.empty:
        return
    st.caption(
        _(
            "Either the raters are wrong or the judges share an error. Suspect a rater where the raters "
            "disagree with one another, and the judges where the raters agree."
        )
    )
    column = st.column_config.TextColumn
    alignment: Any = "left" if together.of_pairs else "right"
    columns: dict[str, Any] = {
        "Item": column(_("Item")),
        "System": column(_("Systems") if together.of_pairs else _("System")),
        "Raters": column(_("Raters"), alignment=alignment),
        "Apart": column(_("Raters' range"), alignment="right"),
        "Judges": column(_("Judges"), alignment=alignment),
        "Who": column(_("Which judges")),
    }
    table = _pair_table(frame) if together.of_pairs else _response_table(frame, scale)
    chosen = widgets.table(
        table, key=f"patterns_together_{project.id}_{criterion}", columns=columns, select=True
    )
    if chosen is not None:
        row = frame.iloc[chosen]
        judge, name = str(row["judges"]).split(", ")[0], f"{row['item']}, {row['system']}"
        if together.of_pairs:
            pair = (int(row["first"]), int(row["second"]))
            reading_links.draw_pair_link(project, judge, criterion, pair, name)
        else:
            reading_links.draw_response_link(project, judge, criterion, int(row["response"]), name)


def _listed_note(scale: Scale, *, of_pairs: bool) -> str:
    """Return which responses or pairs are listed."""
    if of_pairs:
        return _("A pair is listed if most judges make one choice and most raters another.")
    if not scale.ordered:
        return _("A response is listed if most judges give it one label and most raters another.")
    return _(
        "A response is listed if the judges' median is {far} or more from the raters' score, and if more "
        "than half of its judges, and at least two, are within {near} of that median.",
        far=text.points(large_disagreement_from(scale)),
        near=f"{same_score_within(scale):g}",
    )


def _counts(together: SharedDisagreements) -> str:
    numbers = {"far": text.count(len(together.rows)), "judges": together.judges}
    left_out = together.rated - together.compared
    if together.of_pairs:
        counts = _n(
            "{far} of the {n} pair that has a majority and was judged by at least two of the {judges} judges",
            "{far} of the {n} pairs that have a majority and were judged by at least two of the {judges} "
            "judges",
            together.compared,
            **numbers,
        )
        note = _n("{n} compared pair excluded", "{n} compared pairs excluded", left_out)
    else:
        counts = _n(
            "{far} of the {n} response that at least two of the {judges} judges scored",
            "{far} of the {n} responses that at least two of the {judges} judges scored",
            together.compared,
            **numbers,
        )
        note = _n("{n} rated response excluded", "{n} rated responses excluded", left_out)
    return f"{counts}; {note}" if left_out else counts


def _response_table(frame: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    def shown(value: float) -> str:
        return scale.label_of(value) or text.number(value, 1)

    table = pd.DataFrame(
        {
            "Item": frame["item"],
            "System": frame["system"],
            "Raters": frame["human"].map(shown),
            "Apart": frame["apart"].map(lambda value: text.number(value, 1)),
            "Judges": frame["median"].map(shown),
            "Who": frame["judges"],
        }
    )
    return table if scale.ordered else table.drop(columns="Apart")


def _pair_table(frame: pd.DataFrame) -> pd.DataFrame:
    rows = frame.to_dict("records")
    return pd.DataFrame(
        {
            "Item": frame["item"],
            "System": frame["system"],
            "Raters": [
                _(
                    "{choice} ({n} of {all})",
                    choice=_chosen(row, row["human"]),
                    n=text.count(row["agreeing"]),
                    all=text.count(row["raters"]),
                )
                for row in rows
            ],
            "Judges": [_chosen(row, row["median"]) for row in rows],
            "Who": frame["judges"],
        }
    )


def _chosen(row: Mapping[Hashable, Any], label: float) -> str:
    """Return the system of the chosen response; its place if the systems don't tell the two apart."""
    if label == TIE:
        return _("tie")
    first, second = str(row["system_first"]), str(row["system_second"])
    if not first or not second or first == second:
        return _("first") if label == FIRST else _("second")
    return first if label == FIRST else second
