"""The quality filter's result in tables and figures."""

from __future__ import annotations

import pandas as pd
import streamlit as st

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
from judgelab.ui.quality import words as quality_words
from judgelab.wording import mark

MEASURE = {
    "pairwise": mark("Mean Pearson r with the other raters, 95 % interval"),
    "loo": mark("Pearson r with the mean of the others, 95 % interval"),
}
STAGES = (
    ("before", mark("All ratings"), mark("all ratings {value}"), False),
    ("after_raters", mark("After raters"), mark("after raters {value}"), True),
    ("after_items", mark("After responses"), mark("after responses {value}"), True),
)
SCALE_LEVELS = {
    "nominal": mark("nominal"),
    "ordinal": mark("ordinal"),
    "interval": mark("interval"),
}
MOST_ROWS = 20
LEFT_OUT = {1: mark("removed 1st"), 2: mark("removed 2nd"), 3: mark("removed 3rd")}


def draw_raters(trial: FilterPreview, policy: FilterPolicy) -> None:
    """Draw the raters beside the threshold, then the same as a table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.subheader(_("Raters"), anchor=False, width="content")
        st.space("stretch")
        st.caption(_("○ before  ● after  ✕ removed"), width="content")
    marks = [RaterMark(line.rater, line.before, line.after, _note_of(line)) for line in trial.raters]
    figure = raters_forest(
        marks,
        threshold=None if policy.control == "hit" else policy.threshold,
        title=_(MEASURE[policy.method]),
        theme=widgets.theme(),
    )
    widgets.chart(figure, key="quality_raters", alt=quality_words.raters_finding(trial, policy))
    frame, column = _rater_frame(trial), st.column_config.Column
    widgets.table(
        frame,
        key="quality_table",
        columns={
            "Rater": column(_("Rater")),
            "Ratings": column(_("Ratings")),
            "r, all raters": column(_("r, all raters")),
            "r, after rule": column(_("r, after filter")),
            "95 % interval": column(_("95 % interval"), alignment="right"),
            "Mean offset": column(_("Mean offset")),
            "Modal share": column(_("Modal share")),
            "s / response": column(_("s / response")),
            "State": column(_("State")),
        },
        formats={
            "Ratings": text.count,
            "r, all raters": text.number,
            "r, after rule": text.number,
            "Mean offset": lambda value: text.signed(value, 2),
            "Modal share": text.per_cent,
            "s / response": lambda value: text.number(value, 0),
        },
        faint=[not line.kept for line in trial.raters],
        height="content" if len(frame) <= MOST_ROWS else 28 * MOST_ROWS,
    )
    st.caption(quality_words.trial_note(trial))


def draw_losses(trial: FilterPreview, policy: FilterPolicy, scale: Scale) -> None:
    """Draw what would go as a sum that adds up."""
    widgets.heading(_("Removed by this filter"))
    words = quality_words.cause_texts(policy, scale)
    rows = [
        (words[loss.cause], _count_or_dash(loss.answers), _count_or_dash(loss.ratings))
        for loss in trial.losses
    ]
    rows.append(
        (
            _("Kept"),
            _share_text(trial.kept.answers, trial.total.answers),
            _share_text(trial.kept.ratings, trial.total.ratings),
        )
    )
    frame = pd.DataFrame(rows, columns=["", "Responses", "Ratings"])
    columns = {
        "": st.column_config.Column(width=148),
        "Responses": st.column_config.Column(_("Responses"), alignment="right", width=104),
        "Ratings": st.column_config.Column(_("Ratings"), alignment="right", width=112),
    }
    widgets.table(frame, key="quality_losses", columns=columns)
    sentences = [quality_words.left_out_names(trial)] if trial.removed else []
    sentences.append(_("Nothing is deleted: a filter only selects ratings, and you can change it."))
    st.caption(" ".join(sentences))


def draw_agreement(trial: FilterPreview) -> None:
    """Draw agreement before the rule, after its raters and after its responses."""
    widgets.heading(_("Agreement"))
    drawn = [stage for stage in STAGES if stage[0] in trial.stages]
    stages = [FilterStage(_(name), trial.stages[key], filled) for key, name, _said, filled in drawn]
    figure = agreement_stages(stages, title=_("Mean pairwise r, 95 % interval"), theme=widgets.theme())
    widgets.chart(
        figure,
        key="quality_stages",
        alt="; ".join(f"{s.name} r {quality_words.estimate_text(s.estimate)}" for s in stages),
    )
    alt_text = "; ".join(
        _(words, value=quality_words.estimate_text(trial.stages[key])) for key, _name, words, _filled in drawn
    )
    first, last = (trial.alpha[stage] for stage in ("before", "after_items"))
    alpha = _(
        "Krippendorff's α ({level}) {before} before, {after} after.",
        level=_(SCALE_LEVELS[first.params["level"]]),
        before=quality_words.estimate_text(first),
        after=quality_words.estimate_text(last),
    )
    st.caption(f"{text.capitalised(alt_text)}. {alpha}")


def draw_distribution(trial: FilterPreview) -> None:
    """Draw how often each score was given, before and after."""
    widgets.heading(_("Score distribution"))
    distribution = trial.distribution
    figure = scores_before_after(
        distribution.scores,
        before=distribution.before,
        after=distribution.after,
        title=_("Score, % of ratings; outline before, filled after"),
        theme=widgets.theme(),
    )
    widgets.chart(figure, key="quality_scores", alt=quality_words.scores_finding(trial))
    st.caption(_("Removing raters who disagree raises agreement by itself. Report both figures."))


def draw_exclusions(trial: FilterPreview) -> None:
    """List every rater and response left out, with the reason."""
    reasons = [_(line.reason).replace(" -", f" {text.MINUS}") for line in trial.raters if line.reason]
    column = st.column_config.Column
    gone = sum(not line.kept for line in trial.raters) + len(trial.exclusions)
    with st.expander(_("Every exclusion with its reason ({n})", n=gone)):
        if not gone:
            st.caption(_("Nothing is excluded."))
        if reasons:
            widgets.table(
                pd.DataFrame({"Rater": reasons}), key="quality_reasons", columns={"Rater": column(_("Rater"))}
            )
        if len(trial.exclusions):
            frame = trial.exclusions.rename(columns=str.capitalize)
            spoken = {reason: _(reason) for reason in frame["Reason"].unique()}  # few, of thousands of rows
            frame["Reason"] = [spoken[reason] for reason in frame["Reason"]]
            widgets.table(
                frame if frame["System"].any() else frame.drop(columns="System"),
                key="quality_gone",
                columns={
                    "Item": column(_("Item")),
                    "System": column(_("System")),
                    "Reason": column(_("Reason")),
                },
            )


def _rater_frame(trial: FilterPreview) -> pd.DataFrame:
    lines = trial.raters
    frame = pd.DataFrame(
        {
            "Rater": [line.rater for line in lines],
            "Ratings": [line.habit.ratings for line in lines],
            "r, all raters": [line.before.value for line in lines],
            "r, after rule": [line.after.value if line.after else None for line in lines],
            "95 % interval": [text.interval((line.after or line.before).ci) for line in lines],
            "Mean offset": [line.habit.offset for line in lines],
            "Modal share": [line.habit.modal_share for line in lines],
            "s / response": [line.habit.seconds for line in lines],
            "State": [_state(line) for line in lines],
        }
    )
    measured = any(line.habit.seconds is not None for line in lines)
    return frame if measured else frame.drop(columns="s / response")


def _state(line: RaterPreview) -> str:
    if line.kept:
        return _("kept, see reasons") if line.reason else _("kept")
    if not line.round:
        return _("removed, other criterion")
    return _(LEFT_OUT[line.round]) if line.round in LEFT_OUT else _("removed {n}th", n=line.round)


def _note_of(line: RaterPreview) -> str:
    return _(line.note) if line.note else ""


def _count_or_dash(number: int) -> str:
    return text.count(number) if number else text.MISSING


def _share_text(part: int, whole: int) -> str:
    return _("{part} of {whole}", part=part, whole=whole)
