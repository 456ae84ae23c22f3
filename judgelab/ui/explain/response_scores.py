"""Draw the scores of one response with their reasons: raters first, then judges, then metrics."""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Literal

import pandas as pd
import streamlit as st

from judgelab.charts.strip import StripMark, score_strip
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.learned import stored_rationale
from judgelab.protocols import protocols
from judgelab.scales import PASSED, Scale, scale_from_json
from judgelab.scales.error_spans import span_in_words
from judgelab.store.frames.details import HumanRating, JudgeResult, MetricValue, ResponseDetail
from judgelab.store.judging.judge_names import LEARNED
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.store.rating.pair_decisions import PairDecisionInfo
from judgelab.ui.explain import panel_view, verdict_words
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import text_view
from judgelab.wording import mark

COLUMNS = 3  # judges side by side
METRICS_WIDTH = 420
NO_SCORE = {"failed": mark("failed"), "unscored": mark("unscored")}
SHORTEST_REASON = 6  # letters; a reply that is no longer has only a score
ORIGINS = {
    "run": "",
    "scripted": mark("scripted, no model asked"),
    "imported": mark("imported"),
    "jury": mark("a jury"),
    "learned": mark("trained on the ratings"),
}


def score_text(score: float | None, scale: Scale | None = None) -> str:
    """Return `2` for a whole score, else one decimal; its label where the labels of `scale` have no order."""
    if score is None:
        return text.MISSING
    if scale is not None and (label := scale.label_of(score)):
        return text.plain(label)
    return text.number(score, 0 if float(score).is_integer() else 1)


def rating_text(rating: HumanRating, scale: Scale | None = None) -> str:
    """Return a person's score, or that they cannot judge."""
    return _(PASSED) if rating.score is None else score_text(rating.score, scale)


def judgments_of(detail: ResponseDetail, criterion: str) -> list[JudgeResult]:
    """Return each judge's latest judgment under the criterion, scored or not."""
    latest: dict[str, JudgeResult] = {}
    for judgment in detail.judgments:
        if judgment.criterion in (criterion, "*"):
            latest[judgment.judge] = judgment
    return list(latest.values())


def judgments_chosen_first(detail: ResponseDetail, criterion: str, chosen: str | None) -> list[JudgeResult]:
    """Return each judge's latest judgment under the criterion, the chosen judge's first."""
    return sorted(judgments_of(detail, criterion), key=lambda judgment: judgment.judge != chosen)


def draw_score_strip(
    detail: ResponseDetail, criterion: Criterion, scale: Scale, *, chosen: str | None, left_out: Set[str]
) -> None:
    """Draw the raters' and judges' scores on the scale; ratings that do not count are crosses."""
    people = [
        (rating, rating.score)
        for rating in detail.ratings
        if rating.criterion == criterion.key and rating.score is not None
    ]
    scored = [judgment for judgment in judgments_of(detail, criterion.key) if judgment.score is not None]
    # Ranks and numbers of wins cannot be drawn on the criterion's scale.
    judges = [judgment for judgment in scored if not _has_own_scale(judgment)]
    marks = [
        StripMark(rating.rater, "human", score, left_out=rating.rater in left_out) for rating, score in people
    ]
    marks += [
        StripMark(
            judgment.judge,
            "judge",
            float(judgment.score or 0),
            chosen=judgment.judge == chosen,
            learned=judgment.judge == LEARNED,
        )
        for judgment in judges
    ]
    if not marks:
        return
    alt = _(
        "Raters gave {raters}, judges {judges}.",
        raters=_scores_text([score for __, score in people], scale),
        judges=_scores_text([judgment.score for judgment in judges], scale),
    )
    widgets.chart(score_strip(marks, scale=scale, theme=widgets.theme()), key="explain_strip", alt=alt)


def _has_own_scale(judgment: JudgeResult) -> bool:
    return judgment.protocol in protocols.names() and protocols.get(judgment.protocol).own_scale


def write_people_ratings(detail: ResponseDetail, criterion: str, scale: Scale, *, left_out: Set[str]) -> None:
    """Write each person's score and comment, and which do not count under the filter in use."""
    rows = [rating for rating in detail.ratings if rating.criterion == criterion]
    if not rows:
        st.caption(_("No rater has scored this response under this criterion."))
        return
    frame = pd.DataFrame(
        {
            "Rater": [text.plain(rating.rater) for rating in rows],
            "Score": [f"**{rating_text(rating, scale)}**" for rating in rows],
            "Comment": [_comment_text(rating, left_out) for rating in rows],
        }
    )
    commented = any(frame["Comment"])
    frame = frame if commented else frame.drop(columns="Comment")
    width: Literal["stretch", "content"] = "stretch" if commented else "content"
    st.table(frame, border="horizontal", hide_index=True, hide_header=True, width=width)


def write_decision(decision: DecisionInfo | None, scale: Scale) -> None:
    """Write the adjudicator's decision: the score, by whom, why, and what they could see."""
    if decision is not None:
        write_outcome(decision, None if decision.score is None else score_text(decision.score, scale))


def write_outcome(decision: DecisionInfo | PairDecisionInfo, outcome: str | None) -> None:
    """Write what an adjudicator decided (None if they could not), by whom, why, and what they could see."""
    decider = text.plain(decision.person or _("someone"))
    words = {"who": decider, "when": text.when(decision.decided_at), "score": outcome}
    if outcome is None:
        line = _("Adjudicated: cannot be decided. {who}, {when}.", **words)
    elif decision.names_hidden:
        line = _("Adjudicated: **{score}**. {who}, {when}, without seeing the raters' names.", **words)
    else:
        line = _("Adjudicated: **{score}**. {who}, {when}.", **words)
    st.markdown(line)
    if decision.saw_judges:
        st.caption(_("The adjudicator knew judges' scores of this project."))
    if decision.reason:
        st.caption(text.plain(decision.reason))


def write_other_criteria(detail: ResponseDetail, criteria: Sequence[Criterion], chosen: str) -> None:
    """Write the people's ratings under the other criteria, in an expander."""
    others = [criterion for criterion in criteria if criterion.key != chosen]
    rows = [rating for rating in detail.ratings if rating.criterion != chosen]
    if not others or not rows:
        return
    with st.expander(_("Raters, other criteria")):
        scales = {criterion.key: scale_from_json(criterion.scale) for criterion in others}
        frame = pd.DataFrame(
            [
                (rating.rater, rating.criterion, rating_text(rating, scales.get(rating.criterion)))
                for rating in rows
            ]
        )
        table = frame.pivot(index=0, columns=1, values=2).reindex(
            columns=[criterion.key for criterion in others]
        )
        table = table.rename(columns={criterion.key: criterion.label for criterion in others}).rename_axis(
            index="Rater", columns=None
        )
        widgets.table(
            table.reset_index(),
            key="explain_others",
            columns={"Rater": st.column_config.Column(_("Rater"))},
        )


def write_judges(detail: ResponseDetail, criterion: str, scale: Scale, *, chosen: str | None) -> None:
    """Write each judge's score with its samples and its reason, the chosen judge first."""
    judgments = judgments_chosen_first(detail, criterion, chosen)
    if not judgments:
        st.caption(_("No judge has scored this response."))
    st.space("small")
    for start in range(0, len(judgments), COLUMNS):
        columns = st.columns(COLUMNS, gap="large")
        for column, judgment in zip(columns, judgments[start : start + COLUMNS], strict=False):
            with column:
                _write_judgment(judgment, criterion, scale)


def write_metric_scores(values: Sequence[MetricValue]) -> None:
    """Write the response's metric scores."""
    if not values:
        return
    widgets.heading(_("Metrics"))
    frame = pd.DataFrame(
        {
            "Metric": [value.metric for value in values],
            "Value": [_metric_text(value.score) for value in values],
            "Reason for none": [_(value.reason) if value.reason else "" for value in values],
        }
    )
    if not any(value.reason for value in values):
        frame = frame.drop(columns="Reason for none")
    columns = {
        "Metric": st.column_config.TextColumn(_("Metric")),
        "Value": st.column_config.TextColumn(_("Value"), alignment="right"),
        "Reason for none": st.column_config.TextColumn(_("Reason for no score")),
    }
    widgets.table(frame, key="explain_metrics", columns=columns, width=METRICS_WIDTH, height="content")


def _comment_text(rating: HumanRating, left_out: Set[str]) -> str:
    marked = [text.plain(span_in_words(span)) for span in rating.evidence]
    parts = [text.plain(rating.comment or "")]
    if marked:
        parts.append(_("marked {words}", words=", ".join(marked)))
    words = " · ".join(filter(None, parts))
    if rating.score is None or rating.rater not in left_out:
        return words
    return " · ".join(filter(None, (words, f":red[{_('Rater removed by the quality filter')}]")))


def _write_judgment(judgment: JudgeResult, criterion: str, scale: Scale) -> None:
    with st.container(gap="xsmall"):
        st.markdown(_signature(judgment))
        if judgment.score is None:
            reason = text.plain(_(judgment.reason)) if judgment.reason else ""
            colour = "red" if judgment.state == "failed" else "orange"
            st.markdown(f":{colour}[{_(NO_SCORE.get(judgment.state, judgment.state))}: {reason}]")
            return
        on_scale = None if _has_own_scale(judgment) else scale
        shown = score_text(judgment.score, on_scale)
        st.metric(text.plain(judgment.judge), shown, label_visibility="collapsed")
        scores = [sample.scores.get(criterion) for sample in judgment.samples]
        if len(scores) > 1 and any(score is not None for score in scores):
            score_list = ", ".join(score_text(score, on_scale) for score in scores)
            st.caption(_("{n} replies: {scores}", n=len(scores), scores=score_list))
        for line in verdict_words.verdict_lines(judgment):
            st.caption(line)
        reasoning, source = _reasoning(judgment, criterion)
        if len(reasoning) > SHORTEST_REASON and not panel_view.is_panel(judgment):
            if judgment.origin == "learned":
                st.text(reasoning)
            else:
                text_view.draw_text(reasoning, text_view.RATIONALE, key=judgment.run)
            if source:
                st.caption(source)


def rationales(detail: ResponseDetail, criterion: str) -> list[str]:
    """Return the judges' rationales under the criterion."""
    return [_reasoning(judgment, criterion)[0] for judgment in judgments_of(detail, criterion)]


def _signature(judgment: JudgeResult) -> str:
    """Return the judge's name, model and the origin of its scores, as Markdown."""
    model = Path(judgment.model).name if judgment.origin == "scripted" else judgment.model
    model = "" if model == judgment.judge else model
    origin = ORIGINS.get(judgment.origin, judgment.origin)
    origin_words = ", ".join(word for word in (model, _(origin) if origin else "") if word)
    name = f"**{text.plain(judgment.judge)}**"
    return f"{name} :gray[{text.plain(origin_words)}]" if origin_words else name


def _reasoning(judgment: JudgeResult, criterion: str) -> tuple[str, str]:
    """Return the judge's rationale, else the reply whose score is closest to the judge's, and which it is."""
    if judgment.rationale and judgment.origin == "learned":
        return _(stored_rationale.translatable(judgment.rationale)), ""
    if judgment.rationale or not judgment.samples:
        return judgment.rationale, ""
    scored = [sample for sample in judgment.samples if sample.scores.get(criterion) is not None]
    if not scored:
        return judgment.samples[0].text, ""
    nearest = min(scored, key=lambda sample: abs(sample.scores[criterion] - (judgment.score or 0.0)))
    return nearest.text, _("reply {place} of {n}", place=nearest.sample + 1, n=len(judgment.samples))


def _metric_text(score: float | None) -> str:
    return text.number(score, 3 if score is None or abs(score) < 10 else 1)


def _scores_text(scores: Sequence[float | None], scale: Scale) -> str:
    return text.listing([score_text(score, scale) for score in scores], limit=8) or _("no score")
