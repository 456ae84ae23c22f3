"""Draw *Patterns*: parts of the data, responses where judges agree against the raters, words in reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.patterns import (
    DisagreementPatterns,
    SharedDisagreements,
    disagreement_patterns,
    find_rationales,
    shared_disagreements,
)
from judgelab.languages import _, _n
from judgelab.metaeval.core.statistic_defaults import ANSWERS, LABELS, defaults_for_scale
from judgelab.metaeval.judges.large_disagreements import DisagreementRate
from judgelab.scales import Scale
from judgelab.store.judging.rationales import MOST_HITS, RationaleHit
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

CUTS = {
    "group": mark("Group"),
    "system": mark("System"),
    "length": mark("Length in words"),
    "words": mark("Similar responses"),
    "mode": mark("Failure mode"),
}
EXPLAIN_PAGE = "pages/researcher/disagreements.py"
LONGEST_TEXT = 120


@stale_results.kept(loaders.KEPT, spinner=mark("Searching for patterns…"))
def load_patterns(slug: str, version: str, judge: str, criterion: str) -> DisagreementPatterns:
    """Return where the judge and the raters are far apart, computed once per version of the data."""
    return disagreement_patterns(gate.store(), slug, judge=judge, criterion=criterion)


@stale_results.kept(loaders.KEPT)
def load_judges_against_raters(slug: str, version: str, criterion: str) -> SharedDisagreements:
    """Return the responses on which most judges agree and contradict the raters."""
    return shared_disagreements(gate.store(), slug, criterion=criterion)


def patterns_sentence(patterns: DisagreementPatterns, scale: Scale) -> str:
    """Return in one sentence how often judge and raters are far apart, and where significantly more often."""
    numbers = {
        "judge": text.plain(patterns.judge),
        "far": text.count(patterns.n_large),
        "n": _n("{n} response", "{n} responses", patterns.n),
    }
    wording = defaults_for_scale(scale).wording
    if wording == LABELS:
        finding = _("**{judge}** and the raters give different labels on **{far}** of {n}", **numbers)
    elif wording == ANSWERS:
        finding = _("**{judge}** gives the opposite answer to the raters on **{far}** of {n}", **numbers)
    else:
        finding = _(
            "**{judge}** and the raters are {points} or more apart on **{far}** of {n}",
            points=text.points(patterns.large_from),
            **numbers,
        )
    frequent_parts = [
        _("{part} ({far} of {n})", part=_part_phrase(cut, part.name), far=part.far, n=part.n)
        for cut, parts in patterns.rates_by_cut.items()
        for part in parts
        if part.is_more_frequent
    ]
    if patterns.without_score.failed or (patterns.without_score and not patterns.missing):
        counts = text.plain(", ".join(map(_, patterns.left_out)))
        finding = _("{finding} ({counts})", finding=finding, counts=counts)
    elif patterns.missing:
        finding = _n(
            "{finding} ({n} more has no score from it)",
            "{finding} ({n} more have no score from it)",
            patterns.missing,
            finding=finding,
        )
    if not frequent_parts:
        return _("{finding}; no group of the data has significantly more of them.", finding=finding)
    return _(
        "{finding}, significantly more often for {parts}.",
        finding=finding,
        parts=text.listing(frequent_parts),
    )


def draw_pattern_parts(project: ProjectInfo, patterns: DisagreementPatterns) -> None:
    """Draw the parts of the data; choosing one lists its disagreements."""
    ordered = project.scale(patterns.criterion).ordered
    widgets.heading(_("Where the large differences are") if ordered else _("Where the labels differ"))
    if not patterns.rates_by_cut:
        st.caption(_("The data have no two groups with five responses each."))
        return
    rows = [(cut, part) for cut, parts in patterns.rates_by_cut.items() for part in parts]
    frame = pd.DataFrame([_part_label(cut, part) for cut, part in rows])
    if not ordered:
        del frame["Difference"]
    column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Cut": column(_("Split by")),
        "Part": column(_("Group")),
        "Far": column(_("Large / n") if ordered else _("Different / n"), alignment="right"),
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
    st.caption(
        _(
            "p: share against all other groups of the split, {made}. Select a row to read its responses.",
            made="" if patterns.family is None else _(patterns.family.description),
        )
    )
    outside_counts = [f"{_(CUTS[cut])}: {text.count(n)}" for cut, n in patterns.in_no_part.items() if n]
    if outside_counts:
        note = _(
            "Responses in no group, or in one of fewer than five, are not listed ({counts}).",
            counts=", ".join(outside_counts),
        )
        st.caption(text.plain(note))
    if chosen is not None:
        cut, part = rows[chosen]
        members = patterns.members.get((cut, part.name), ())
        _draw_responses(project, patterns, members, title=f"{_(CUTS[cut])}: {part.name}")


def draw_judges_against_raters(project: ProjectInfo, together: SharedDisagreements, criterion: str) -> None:
    """List the responses on which most judges agree and contradict the raters."""
    frame = together.rows
    counts = _n(
        "{far} of {n} response that two or more of {judges} judges scored",
        "{far} of {n} responses that two or more of {judges} judges scored",
        together.compared,
        far=text.count(len(frame)),
        judges=together.judges,
    )
    if together.compared < together.rated:
        left_out_note = _n(
            "{n} rated response excluded", "{n} rated responses excluded", together.rated - together.compared
        )
        counts = f"{counts}; {left_out_note}"
    widgets.heading(_("Judges that agree with one another but not with the raters"), counts)
    scale = project.scale(criterion)
    if frame.empty:
        st.caption(
            _("There is no response on which most judges agree closely and differ widely from the raters.")
            if scale.ordered
            else _("There is no response on which most judges give one label and most raters another.")
        )
        return
    st.caption(
        _(
            "Either the raters are wrong here or the judges share an error: suspect a rater where the "
            "raters disagree with one another, and the judges where they agree."
        )
    )

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
    if not scale.ordered:
        del table["Apart"]
    column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Item": column(_("Item")),
        "System": column(_("System")),
        "Raters": column(_("Raters"), alignment="right"),
        "Apart": column(_("Raters' range"), alignment="right"),
        "Judges": column(_("Judges"), alignment="right"),
        "Who": column(_("Judges shown")),
    }
    chosen = widgets.table(
        table, key=f"patterns_together_{project.id}_{criterion}", columns=columns, select=True
    )
    if chosen is not None:
        row = frame.iloc[chosen]
        judge = str(row["judges"]).split(", ")[0]
        _draw_link(project, judge, criterion, int(row["response"]), f"{row['item']}, {row['system']}")


def draw_reason_search(project: ProjectInfo) -> None:
    """Draw a search for words in the reasons of judges and the comments of raters."""
    widgets.heading(_("Words in reasons"))
    words = st.text_input(
        _("Containing all of these words"), key="patterns_words", placeholder=_("e.g. too short"), width=360
    )
    if not words.strip():
        return
    reasons = find_rationales(gate.store(), project.id, words)
    more = " +" if MOST_HITS in Counter(reason.kind for reason in reasons).values() else ""
    st.caption(_n("{n} reason", "{n} reasons", len(reasons)) + more)
    if reasons:
        _draw_reasons(project, reasons, words)


def _draw_reasons(project: ProjectInfo, reasons: Sequence[RationaleHit], words: str) -> None:
    frame = pd.DataFrame(
        {
            "Who": [reason.rater for reason in reasons],
            "Item": [reason.item for reason in reasons],
            "System": [reason.system for reason in reasons],
            "Criterion": [project.criterion(reason.criterion).label for reason in reasons],
            "Score": [_score_of(project, reason) for reason in reasons],
            "Reason": [reason.text for reason in reasons],
        }
    )
    column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Who": column(_("Who")),
        "Item": column(_("Item")),
        "System": column(_("System")),
        "Criterion": column(_("Criterion")),
        "Score": column(_("Score"), alignment="right"),
        "Reason": column(_("Reason"), width="large"),
    }
    chosen = widgets.table(frame, key=f"patterns_reasons_{project.id}_{words}", columns=columns, select=True)
    if chosen is not None:
        hit = reasons[chosen]
        st.text(hit.text)
        judge = hit.rater if hit.kind == "judge" else ""
        _draw_link(project, judge, hit.criterion, hit.response, f"{hit.item}, {hit.system}")


def _draw_responses(
    project: ProjectInfo, patterns: DisagreementPatterns, members: Sequence[int], *, title: str
) -> None:
    responses = loaders.responses(project.slug, loaders.data_version(project.slug)).set_index("response")
    st.markdown(f"**{text.plain(title)}**")
    if not members:
        ordered = project.scale(patterns.criterion).ordered
        st.caption(_("No large differences here.") if ordered else _("No different labels here."))
    for response in members:
        name = ", ".join(filter(None, map(str, responses.loc[response, ["item", "system"]])))
        _draw_link(project, patterns.judge, patterns.criterion, response, name)


def _draw_link(project: ProjectInfo, judge: str, criterion: str, response: int, response_name: str) -> None:
    parameters = {"project": project.slug, "judge": judge, "criterion": criterion, "response": str(response)}
    st.page_link(
        EXPLAIN_PAGE,
        label=_("Read {response}", response=text.plain(response_name[:LONGEST_TEXT])),
        icon=":material/arrow_forward:",
        query_params={name: value for name, value in parameters.items() if value},
    )


def _part_phrase(cut: str, part: str) -> str:
    """Return the name of a part of the data, as used in a sentence."""
    quoted = text.quoted_names([text.plain(part)])
    return _("answers of {length} words", length=part) if cut == "length" else quoted


def _part_label(cut: str, part: DisagreementRate) -> dict[str, str]:
    return {
        "Cut": _(CUTS[cut]),
        "Part": _(part.name),
        "Far": f"{part.far:,} / {part.n:,}",
        "Share": f"{text.share(part.far, part.n)} {_interval_text(part.share.ci)}",
        "Elsewhere": ""
        if part.elsewhere.value is None
        else f"{text.per_cent(part.elsewhere.value)} (n {text.count(part.elsewhere.n)})",
        "Difference": text.signed(part.difference, 2),
        "p": text.p_value(part.test.adjusted),
    }


def _score_of(project: ProjectInfo, reason: RationaleHit) -> str:
    scale = project.scale(reason.criterion)
    label = "" if reason.score is None else scale.label_of(reason.score)
    return label or text.number(reason.score, 1)


def _interval_text(ci: tuple[float, float] | None) -> str:
    return "" if ci is None else f"[{100 * ci[0]:z.0f}, {100 * ci[1]:z.0f}]"
