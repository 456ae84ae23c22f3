"""Draw the parts of the data in which a judge and the raters disagree, and the responses or pairs of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.pair_parts import OTHER_IN_BOTH
from judgelab.analysis.disagreement.patterns import DisagreementPatterns, disagreement_patterns
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.explain import patterns_words, reading_links
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark


@stale_results.kept(loaders.KEPT, spinner=mark("Searching for patterns…"))
def load_patterns(
    slug: str, version: str, judge: str, criterion: str, comparisons: bool
) -> DisagreementPatterns:
    """Return where the judge and the raters are far apart, computed once per version of the data."""
    return disagreement_patterns(
        gate.store(), slug, judge=judge, criterion=criterion, comparisons=comparisons
    )


def draw_pattern_parts(project: ProjectInfo, patterns: DisagreementPatterns) -> None:
    """Draw the parts of the data; choosing one lists its disagreements."""
    of_pairs = patterns.pairs is not None
    ordered = not of_pairs and project.scale(patterns.criterion).ordered
    widgets.heading(
        _("Where the choices differ")
        if of_pairs
        else _("Where the large differences are")
        if ordered
        else _("Where the labels differ")
    )
    if not patterns.rates_by_cut:
        st.caption(
            _("The data have no two subsets with five pairs each.")
            if of_pairs
            else _("The data have no two subsets with five responses each.")
        )
        return
    rows = [(cut, part) for cut, parts in patterns.rates_by_cut.items() for part in parts]
    frame = pd.DataFrame([patterns_words.part_row(patterns, cut, part) for cut, part in rows])
    if not ordered:
        del frame["Difference"]
    column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Cut": column(_("Split by")),
        "Part": column(_("Subset")),
        "Far": column(_("Large differences / n") if ordered else _("Different / n"), alignment="right"),
        "Share": column(_("Share"), alignment="right"),
        "Elsewhere": column(_("Elsewhere"), alignment="right"),
        "Difference": column(_("Judge − raters"), alignment="right"),
        "p": column(alignment="right"),
    }
    chosen = widgets.table(
        frame,
        key=f"patterns_parts_{project.id}_{patterns.criterion}_{patterns.judge}",
        columns=columns,
        select=True,
        strong=["Share"],
    )
    _write_notes(patterns)
    if chosen is not None:
        cut, part = rows[chosen]
        title = f"{patterns_words.cut_name(patterns, cut)}: {frame['Part'].iloc[chosen]}"
        _draw_members(project, patterns, patterns.members.get((cut, part.name), ()), title=title)


def _write_notes(patterns: DisagreementPatterns) -> None:
    """Write how p is computed and what is in no group."""
    of_pairs = patterns.pairs is not None
    made = "" if patterns.family is None else _(patterns.family.description)
    st.caption(
        _(
            "p compares the share with that of all other pairs listed in the same split: {made}. Select a "
            "row to read its pairs.",
            made=made,
        )
        if of_pairs
        else _(
            "p compares the share with that of all other responses listed in the same split: {made}. Select "
            "a row to read its responses.",
            made=made,
        )
    )
    outside_counts = [
        _outside(n, patterns_words.cut_name(patterns, cut), of_pairs=of_pairs)
        for cut, n in patterns.in_no_part.items()
        if n
    ]
    if outside_counts:
        counts = ", ".join(outside_counts)
        note = (
            _(
                "Not listed: pairs in no subset, or in a subset of fewer than five pairs ({counts}).",
                counts=counts,
            )
            if of_pairs
            else _(
                "Not listed: responses in no subset, or in a subset of fewer than five responses ({counts}).",
                counts=counts,
            )
        )
        st.caption(text.plain(note))
    if any(part.name == OTHER_IN_BOTH for part in patterns.rates_by_cut.get("order", ())):
        st.caption(
            _(
                "If a judge's choice changes with the order, it counts as a tie. It then differs from every "
                "winner that the raters chose."
            )
        )


def _outside(n: int, cut: str, *, of_pairs: bool) -> str:
    if of_pairs:
        return _n("{n} pair under “{cut}”", "{n} pairs under “{cut}”", n, cut=cut)
    return _n("{n} response under “{cut}”", "{n} responses under “{cut}”", n, cut=cut)


def _draw_members(
    project: ProjectInfo, patterns: DisagreementPatterns, members: Sequence[int], *, title: str
) -> None:
    """Draw a link to each response or pair on which judge and raters disagree."""
    st.markdown(f"**{text.plain(title)}**")
    if patterns.pairs is not None:
        if not members:
            st.caption(_("No different choices here."))
        for pair in patterns.pairs.loc[list(members)].to_dict("records"):
            name = ", ".join(filter(None, (str(pair["item"]), str(pair["system"]))))
            ends = (int(pair["first"]), int(pair["second"]))
            reading_links.draw_pair_link(project, patterns.judge, patterns.criterion, ends, name)
        return
    responses = loaders.responses(project.slug, loaders.data_version(project.slug)).set_index("response")
    if not members:
        ordered = project.scale(patterns.criterion).ordered
        st.caption(_("No large differences here.") if ordered else _("No different labels here."))
    for response in members:
        row = responses.loc[response]
        name = ", ".join(part for part in (str(row["item"]), str(row["system"])) if part)
        reading_links.draw_response_link(project, patterns.judge, patterns.criterion, response, name)
