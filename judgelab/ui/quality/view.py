"""Draw the result of a filter in tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.filters.choice_habits import ChoiceHabits
from judgelab.analysis.filters.filter_preview import FilterPreview, RaterPreview
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.charts.quality import (
    FilterStage,
    RaterMark,
    agreement_stages,
    raters_forest,
    scores_before_after,
)
from judgelab.languages import _
from judgelab.scales import Scale
from judgelab.ui.kit import text, widgets
from judgelab.ui.quality import choice_habits_table
from judgelab.ui.quality import words as quality_words
from judgelab.wording import mark

STAGES = (
    ("before", mark("All ratings"), mark("all ratings {value}"), False),
    ("after_raters", mark("After removing raters"), mark("after removing raters {value}"), True),
    ("after_items", mark("After removing responses"), mark("after removing responses {value}"), True),
)
PAIR_STAGES = (
    ("before", mark("All comparisons"), mark("all comparisons {value}"), False),
    STAGES[1],
    ("after_items", mark("After removing pairs"), mark("after removing pairs {value}"), True),
)
DISTRIBUTIONS = {
    "scores": (mark("Score distribution"), mark("Score, % of ratings; outline before, filled after")),
    "labels": (mark("Label distribution"), mark("Label, % of ratings; outline before, filled after")),
    "choices": (
        mark("Distribution of choices"),
        mark("Choice, % of comparisons; outline before, filled after"),
    ),
}
SCALE_LEVELS = {
    "nominal": mark("nominal"),
    "ordinal": mark("ordinal"),
    "interval": mark("interval"),
}
MOST_ROWS = 20
FORMATS: dict[str, Callable[[Any], str]] = {
    "Ratings": text.count,
    "r, all raters": text.number,
    "r, after rule": text.number,
    "Mean offset": lambda value: text.signed(value, 2),
    "Modal share": text.per_cent,
    "s / response": lambda value: text.number(value, 0),
}
NEED_ORDER = ("Mean offset",)
LEGENDS = {  # by whether the filter is in use
    True: mark("○ all raters  ● kept raters  ✕ removed"),
    False: mark("○ all raters  ● kept raters  ✕ would be removed"),
}
REMOVED_IN_ROUND = {1: mark("removed 1st"), 2: mark("removed 2nd"), 3: mark("removed 3rd")}


def draw_raters(
    preview: FilterPreview,
    policy: FilterPolicy,
    scale: Scale,
    habits: Mapping[str, ChoiceHabits],
    *,
    in_use: bool,
) -> None:
    """Draw the raters' agreement against the threshold, then the raters as a table.

    Without an order of the scale it is κ, and the table has no column of offsets. `habits` say how raters
    choose between two responses; they are a table of their own.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.subheader(_("Raters"), anchor=False, width="content")
        st.space("stretch")
        st.caption(_(LEGENDS[in_use]), width="content")
    marks = [
        RaterMark(row.rater, row.before, row.after, _note_text(row) if scale.ordered else "")
        for row in preview.raters
    ]
    figure = raters_forest(
        marks,
        threshold=None if policy.control == "hit" else policy.threshold,
        title=_(quality_words.MEASURE_TITLES[preview.coefficient, policy.method]),
        theme=widgets.theme(),
    )
    widgets.chart(figure, key="quality_raters", alt=quality_words.raters_alt_text(preview, policy))
    r = quality_words.symbol(preview)
    frame, column = _rater_frame(preview), st.column_config.Column
    if not scale.ordered:
        frame = frame.drop(columns=list(NEED_ORDER))
    widgets.table(
        frame,
        key="quality_table",
        columns={
            "Rater": column(_("Rater")),
            "Ratings": column(_("Comparisons") if preview.compared else _("Ratings")),
            "r, all raters": column(_("{r}, all raters", r=r)),
            "r, after rule": column(_("{r}, kept raters", r=r)),
            "95 % interval": column(_("95 % interval"), alignment="right"),
            "Mean offset": column(_("Offset, all raters")),
            "Modal share": column(_("Modal share")),
            "s / response": column(_("s / response")),
            "State": column(_("State") if in_use else _("With this filter")),
        },
        formats={name: write for name, write in FORMATS.items() if name in frame},
        faint=[not row.kept for row in preview.raters],
        height="content" if len(frame) <= MOST_ROWS else 28 * MOST_ROWS,
    )
    notes = [quality_words.preview_note(preview, in_use=in_use)]
    if preview.removed:
        notes.append(_("The interval of a removed rater is that of {r} with all raters.", r=r))
    st.caption(text.keep_together(" ".join(notes)))
    choice_habits_table.draw_choice_habits([row.rater for row in preview.raters], habits)


def draw_losses(preview: FilterPreview, policy: FilterPolicy, scale: Scale, *, in_use: bool) -> None:
    """Draw a table of what the filter removes by cause and what it keeps, or would if it is not in use."""
    widgets.heading(_("Removed and kept"))
    labels = quality_words.cause_labels(policy, scale, compared=preview.compared)
    rows = [
        (labels[loss.cause], _count_or_dash(loss.answers), _count_or_dash(loss.ratings))
        for loss in preview.losses
        if loss.cause in labels
    ]
    rows.append(
        (
            _("Kept"),
            _share_text(preview.kept.answers, preview.total.answers),
            _share_text(preview.kept.ratings, preview.total.ratings),
        )
    )
    frame = pd.DataFrame(rows, columns=["", "Responses", "Ratings"])
    units, ratings = (_("Pairs"), _("Comparisons")) if preview.compared else (_("Responses"), _("Ratings"))
    columns = {
        "Responses": st.column_config.Column(units, alignment="right"),
        "Ratings": st.column_config.Column(ratings, alignment="right"),
    }
    widgets.table(frame, key="quality_losses", columns=columns)
    sentences = [quality_words.removed_sentence(preview, in_use=in_use)] if preview.removed else []
    sentences.append(
        _("Nothing is deleted: a filter only selects comparisons, and you can change it.")
        if preview.compared
        else _("Nothing is deleted: a filter only selects ratings, and you can change it.")
    )
    st.caption(text.keep_together(" ".join(sentences)))


def draw_agreement(preview: FilterPreview) -> None:
    """Draw agreement without the filter, after removing raters, and after removing responses."""
    widgets.heading(_("Agreement"))
    first, last = (preview.alpha[stage] for stage in ("before", "after_items"))
    alpha = _(
        "Krippendorff's α ({level}): {before} before the filter, {after} after it.",
        level=_(SCALE_LEVELS[first.params["level"]]),
        before=quality_words.estimate_text(first),
        after=quality_words.estimate_text(last),
    )
    r, all_stages = quality_words.symbol(preview), PAIR_STAGES if preview.compared else STAGES
    shown_stages = [stage for stage in all_stages if stage[0] in preview.stages]
    stages = [FilterStage(_(name), preview.stages[key], filled) for key, name, _label, filled in shown_stages]
    title = _("Mean pairwise {r}, 95 % interval", r=r)
    figure = agreement_stages(stages, title=title, theme=widgets.theme())
    widgets.chart(
        figure,
        key="quality_stages",
        alt="; ".join(f"{stage.name} {r} {quality_words.estimate_text(stage.estimate)}" for stage in stages),
    )
    alt_text = "; ".join(
        _(words, value=quality_words.estimate_text(preview.stages[key]))
        for key, _name, words, _filled in shown_stages
    )
    st.caption(text.keep_together(f"{text.capitalised(alt_text)}. {alpha}"))


def draw_distribution(preview: FilterPreview) -> None:
    """Draw the distribution of scores before and after the filter."""
    what = "choices" if preview.compared else "scores" if preview.coefficient == "pearson" else "labels"
    heading, title = DISTRIBUTIONS[what]
    widgets.heading(_(heading))
    distribution = preview.distribution
    figure = scores_before_after(
        quality_words.distribution_names(preview),
        before=distribution.before,
        after=distribution.after,
        title=_(title),
        theme=widgets.theme(),
    )
    widgets.chart(figure, key="quality_scores", alt=quality_words.scores_alt_text(preview))
    st.caption(_("Removing raters who disagree usually raises agreement. Report agreement before and after."))


def draw_exclusions(preview: FilterPreview, *, in_use: bool) -> None:
    """Draw a list of every rater and response the filter removes, or would, with the reasons."""
    reasons = [_(row.reason).replace(" -", f" {text.MINUS}") for row in preview.raters if row.reason]
    column = st.column_config.Column
    count = sum(not row.kept for row in preview.raters) + len(preview.exclusions)
    title = (
        mark("Everything removed, with the reasons ({n})")
        if in_use
        else mark("Everything that would be removed, with the reasons ({n})")
    )
    with st.expander(_(title, n=count)):
        if not count:
            st.caption(_("Nothing is excluded."))
        if reasons:
            widgets.table(
                pd.DataFrame({"Rater": reasons}), key="quality_reasons", columns={"Rater": column(_("Rater"))}
            )
        if len(preview.exclusions):
            frame = preview.exclusions.rename(columns=str.capitalize)
            # Translated once each, not in every row.
            translations = {reason: _(reason) for reason in frame["Reason"].unique()}
            frame["Reason"] = [translations[reason] for reason in frame["Reason"]]
            widgets.table(
                frame if frame["System"].any() else frame.drop(columns="System"),
                key="quality_gone",
                columns={
                    "Item": column(_("Item")),
                    "System": column(_("System")),
                    "Reason": column(_("Reason")),
                },
            )


def _rater_frame(preview: FilterPreview) -> pd.DataFrame:
    rows = preview.raters
    frame = pd.DataFrame(
        {
            "Rater": [row.rater for row in rows],
            "Ratings": [row.habit.ratings for row in rows],
            "r, all raters": [row.before.value for row in rows],
            "r, after rule": [row.after.value if row.after else None for row in rows],
            "95 % interval": [text.interval((row.after or row.before).ci) for row in rows],
            "Mean offset": [row.habit.offset for row in rows],
            "Modal share": [row.habit.modal_share for row in rows],
            "s / response": [row.habit.seconds for row in rows],
            "State": [_state_text(row) for row in rows],
        }
    )
    timed = any(row.habit.seconds is not None for row in rows)
    return frame if timed else frame.drop(columns="s / response")


def _state_text(row: RaterPreview) -> str:
    if row.kept:
        return _("kept, see reasons") if row.reason else _("kept")
    if not row.round:
        return _("removed, other criterion")
    return (
        _(REMOVED_IN_ROUND[row.round]) if row.round in REMOVED_IN_ROUND else _("removed {n}th", n=row.round)
    )


def _note_text(row: RaterPreview) -> str:
    return _(row.note) if row.note else ""


def _count_or_dash(number: int) -> str:
    return text.count(number) if number else text.MISSING


def _share_text(part: int, whole: int) -> str:
    return _("{part} of {whole}", part=part, whole=whole)
