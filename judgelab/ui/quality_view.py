"""The quality rule's result in words, tables and figures."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.trial import RaterLine, Trial
from judgelab.annotation.quality import FilterPolicy
from judgelab.charts.quality import RaterMark, Stage, agreement_stages, raters_forest, score_distribution
from judgelab.metaeval.result import Estimate
from judgelab.ui import text, widgets

MEASURE = {
    "pairwise": "Mean Pearson r with the other raters, 95 % interval",
    "loo": "Pearson r with the mean of the others, 95 % interval",
}
STAGES = (
    ("before", "All ratings", False),
    ("after_raters", "After raters", True),
    ("after_items", "After responses", True),
)
MOST_ROWS = 20
MOST_NAMES = 4
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def sentence(trial: Trial, policy: FilterPolicy) -> str:
    """Return the answer: who and what goes, and what agreement becomes, with its intervals."""
    out, gone = len(trial.out), trial.total.answers - trial.kept.answers
    before, after = trial.stages.get("before"), trial.stages.get("after_items")
    raters = text.counted(len(trial.lines), "rater")
    if not out and not gone:
        return f"{_by(policy)} takes out nobody: {raters}, r {_estimate(before)}."
    takes = f"**{out} of {raters} and {gone:,} of {text.counted(trial.total.answers, 'response')}**"
    if after is None or after.value is None:
        reason = text.plain(after.reason or "no two raters share responses") if after else "nothing is left"
        return f"{_by(policy)} takes out {takes}; agreement is then undefined: {reason}."
    return (
        f"{_by(policy)} takes out {takes}; the remaining raters agree at "
        f"r **{text.number(after.value)}** {text.interval(after.ci)} instead of {_estimate(before)}."
    )


def _by(policy: FilterPolicy) -> str:
    if policy.control == "hit":
        return f"By degraded copies and repeats, p < {policy.hit_alpha:g}, the rule"
    copies = " with degraded copies first" if policy.control == "both" else ""
    return f"At {policy.threshold:.2f} the rule{copies}"


def raters(trial: Trial, policy: FilterPolicy) -> None:
    """Draw the raters beside the threshold, then the same as a table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.subheader("Raters", anchor=False, width="content")
        st.space("stretch")
        st.caption("○ before  ● after  ✕ out", width="content")
    marks = [RaterMark(line.rater, line.before, line.after, line.note) for line in trial.lines]
    figure = raters_forest(
        marks,
        threshold=None if policy.control == "hit" else policy.threshold,
        title=MEASURE[policy.method],
        theme=widgets.theme(),
    )
    widgets.chart(figure, key="quality_raters", alt=_finding(trial, policy))
    frame = _rater_frame(trial)
    widgets.table(
        frame,
        key="quality_table",
        columns={name: st.column_config.Column(alignment="right") for name in ("95 % interval",)},
        formats={
            "Ratings": text.count,
            "r, all raters": text.number,
            "r, after rule": text.number,
            "Mean offset": lambda value: text.signed(value, 2),
            "Modal share": _per_cent,
            "s / response": lambda value: text.number(value, 0),
        },
        faint=[not line.kept for line in trial.lines],
        height="content" if len(frame) <= MOST_ROWS else 28 * MOST_ROWS,
    )
    st.caption(_note(trial))


def losses(trial: Trial, policy: FilterPolicy) -> None:
    """Draw what would go as a sum that adds up."""
    widgets.heading("What would go")
    words = _causes(policy)
    rows = [(words[loss.cause], _gone(loss.answers), _gone(loss.ratings)) for loss in trial.losses]
    rows.append(
        ("Kept", _of(trial.kept.answers, trial.total.answers), _of(trial.kept.ratings, trial.total.ratings))
    )
    frame = pd.DataFrame(rows, columns=["", "Responses", "Ratings"])
    columns = {
        "": st.column_config.Column(width=132),
        "Responses": st.column_config.Column(alignment="right", width=104),
        "Ratings": st.column_config.Column(alignment="right", width=112),
    }
    widgets.table(frame, key="quality_losses", columns=columns)
    st.caption(
        f"{_names(trial)}Nothing is deleted: a rule is a view over the ratings; another can be chosen."
    )


def agreement(trial: Trial) -> None:
    """Draw agreement before the rule, after its raters and after its responses."""
    widgets.heading("Agreement")
    stages = [Stage(name, trial.stages[key], filled) for key, name, filled in STAGES if key in trial.stages]
    figure = agreement_stages(stages, title="Mean pairwise r, 95 % interval", theme=widgets.theme())
    widgets.chart(
        figure, key="quality_stages", alt="; ".join(f"{s.name} r {_estimate(s.estimate)}" for s in stages)
    )
    said = "; ".join(f"{stage.name.lower()} {_estimate(stage.estimate)}" for stage in stages)
    first, last = (trial.alpha[stage] for stage in ("before", "after_items"))
    level = first.params.get("level", "")
    st.caption(
        f"{said[:1].upper()}{said[1:]}. Krippendorff's α ({level}) {text.number(first.value)} before, "
        f"{text.number(last.value)} after."
    )


def distribution(trial: Trial) -> None:
    """Draw how often each score was given, before and after."""
    widgets.heading("Score distribution")
    found = trial.distribution
    figure = score_distribution(
        found.scores,
        before=found.before,
        after=found.after,
        title="Score, % of ratings; outline before, filled after",
        theme=widgets.theme(),
    )
    widgets.chart(figure, key="quality_scores", alt=_shift(trial))
    st.caption("Taking out those who disagree raises agreement by itself. Report both figures.")


def exclusions(trial: Trial) -> None:
    """List every rater and response left out, with the reason."""
    said = [line.reason.replace(" -", f" {text.MINUS}") for line in trial.lines if line.reason]
    count = len(said) + len(trial.exclusions)
    with st.expander(f"Every exclusion with its reason ({text.count(count)})"):
        if not count:
            st.caption("Nobody and nothing is left out.")
            return
        if said:
            widgets.table(pd.DataFrame({"Rater": said}), key="quality_reasons")
        if len(trial.exclusions):
            frame = trial.exclusions.rename(columns=str.capitalize)
            widgets.table(
                frame if frame["System"].any() else frame.drop(columns="System"), key="quality_gone"
            )


def _rater_frame(trial: Trial) -> pd.DataFrame:
    lines = trial.lines
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


def _state(line: RaterLine) -> str:
    if line.kept:
        return "kept" if not line.reason else "kept, see reasons"
    return f"out {ORDINALS.get(line.round, f'{line.round}th')}" if line.round else "out, other criterion"


def _names(trial: Trial) -> str:
    """Return who goes, in order: `Out: Hugo, then Farid. `."""
    names = [text.plain(line.rater) for line in trial.out]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"Out: {', then '.join(names[:MOST_NAMES])}{more}. " if names else ""


def _causes(policy: FilterPolicy) -> dict[str, str]:
    below = {
        "agreement": f"Raters below {policy.threshold:.2f}",
        "hit": "Raters failing copies",
        "both": "Raters",
    }[policy.control]
    fewer = (
        "Left with one rating"
        if policy.min_annotations == 2
        else (f"Fewer than {text.counted(policy.min_annotations, 'rating')} left")
    )
    return {"raters": below, "too_few": fewer, "conflict": "In conflict"}


def _note(trial: Trial) -> str:
    """Return the range of thresholds with the same result, and the recipe of the intervals."""
    who = _the_same(len(trial.out))
    low, high = trial.same_from, trial.same_to
    if low is not None and high is not None:
        said = f"Any threshold above {text.number(low)} and up to {text.number(high)} takes out {who}. "
    elif high is not None:
        said = f"Any threshold up to {text.number(high)} takes out {who}. "
    else:
        said = ""
    return (
        f"{said}“After” is among the kept raters. Intervals: bootstrap over items, "
        f"B = {trial.resamples}, seed {trial.seed}."
    )


def _the_same(number: int) -> str:
    if number < 2:
        return "the same rater" if number else "nobody"
    return f"the same {number} raters"


def _finding(trial: Trial, policy: FilterPolicy) -> str:
    names = text.listing([line.rater for line in trial.out]) or "nobody"
    raters = text.counted(len(trial.lines), "rater")
    return f"Agreement of {raters} with the others; below {policy.threshold:.2f}: {names}."


def _shift(trial: Trial) -> str:
    found = zip(trial.distribution.scores, trial.distribution.before, trial.distribution.after, strict=True)
    return "; ".join(
        f"score {score}: {before:.0f} % before, {after:.0f} % after" for score, before, after in found
    )


def _estimate(estimate: Estimate | None) -> str:
    return text.MISSING if estimate is None else text.with_interval(estimate.value, estimate.ci)


def _gone(number: int) -> str:
    return text.count(number) if number else text.MISSING


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}"


def _per_cent(share: float) -> str:
    return text.share(round(share * 1000), 1000)
