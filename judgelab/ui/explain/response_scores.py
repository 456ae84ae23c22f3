"""What people, judges and metrics said about one response: people first."""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Literal

import pandas as pd
import streamlit as st

from judgelab.annotation.forms.pointwise import CANNOT_JUDGE
from judgelab.charts.strip import StripMark, score_strip
from judgelab.domain import Criterion
from judgelab.languages import _, _n
from judgelab.protocols import protocols
from judgelab.scales import Scale
from judgelab.store.frames.details import HumanRating, JudgeResult, MetricValue, ResponseDetail, SampleReply
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.ui.explain import judgment_record, panel_view, verdict_words
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

ABREAST = 3
METRICS_WIDTH = 420
LEARNED = "learned"
NO_SCORE = {"failed": mark("failed"), "unscored": mark("unscored")}
SHORTEST_REASON = 6  # a reply no longer than a score gives no reason
ORIGINS = {
    "run": "",
    "scripted": mark("scripted, no model asked"),
    "imported": mark("imported"),
    "jury": mark("a jury"),
    "learned": mark("learned from the raters"),
}


def score_text(score: float | None) -> str:
    """Return a score as it was given: `2` where it is whole, else with one decimal."""
    if score is None:
        return text.MISSING
    return text.number(score, 0 if float(score).is_integer() else 1)


def rating_text(rating: HumanRating) -> str:
    """Return what a person gave: a score, or that they cannot judge."""
    return _(CANNOT_JUDGE) if rating.score is None else score_text(rating.score)


def judgments_of(detail: ResponseDetail, criterion: str) -> list[JudgeResult]:
    """Return the last opinion of each judge under the criterion, scored or not."""
    last: dict[str, JudgeResult] = {}
    for opinion in detail.judgments:
        if opinion.criterion in (criterion, "*"):
            last[opinion.judge] = opinion
    return list(last.values())


def draw_score_strip(
    detail: ResponseDetail, criterion: Criterion, scale: Scale, *, chosen: str | None, left_out: Set[str]
) -> None:
    """Draw where people and judges stand on the scale; ratings that do not count are crossed."""
    people = [(r, r.score) for r in detail.ratings if r.criterion == criterion.key and r.score is not None]
    told = [o for o in judgments_of(detail, criterion.key) if o.score is not None]
    judges = [o for o in told if not _own_scale(o)]  # ranks and wins have no place on this scale
    marks = [StripMark(r.rater, "human", score, left_out=r.rater in left_out) for r, score in people]
    marks += [
        StripMark(o.judge, "judge", float(o.score or 0), chosen=o.judge == chosen, learned=o.judge == LEARNED)
        for o in judges
    ]
    if not marks:
        return
    said = _(
        "Raters gave {raters}, judges {judges}.",
        raters=_scores([score for __, score in people]),
        judges=_scores([o.score for o in judges]),
    )
    widgets.chart(score_strip(marks, scale=scale, theme=widgets.theme()), key="explain_strip", alt=said)


def _own_scale(opinion: JudgeResult) -> bool:
    return opinion.protocol in protocols.names() and protocols.get(opinion.protocol).own_scale


def write_ratings(detail: ResponseDetail, criterion: str, *, left_out: Set[str]) -> None:
    """Write each person's score with their comment, and whose do not count under the rule in use."""
    rows = [r for r in detail.ratings if r.criterion == criterion]
    if not rows:
        st.caption(_("No rater has scored this response under this criterion."))
        return
    frame = pd.DataFrame(
        {
            "Rater": [text.plain(r.rater) for r in rows],
            "Score": [f"**{rating_text(r)}**" for r in rows],
            "Comment": [_comment(r, left_out) for r in rows],
        }
    )
    commented = any(frame["Comment"])
    frame = frame if commented else frame.drop(columns="Comment")
    width: Literal["stretch", "content"] = "stretch" if commented else "content"
    st.table(frame, border="horizontal", hide_index=True, hide_header=True, width=width)


def write_decision(made: DecisionInfo | None) -> None:
    """Write what an adjudicator decided about the response under the criterion: who, why, seeing what."""
    if made is None:
        return
    who = text.plain(made.person or _("somebody"))
    words = {"who": who, "when": text.when(made.decided_at), "score": score_text(made.score)}
    if made.score is None:
        said = _("Adjudicated: cannot be decided. {who}, {when}.", **words)
    elif made.names_hidden:
        said = _("Adjudicated: **{score}**. {who}, {when}, without seeing the raters' names.", **words)
    else:
        said = _("Adjudicated: **{score}**. {who}, {when}.", **words)
    st.markdown(said)
    if made.saw_judges:
        st.caption(_("Whoever decided knew judges' scores of this project."))
    if made.reason:
        st.caption(text.plain(made.reason))


def write_other_criteria(detail: ResponseDetail, criteria: Sequence[Criterion], chosen: str) -> None:
    """Write under a fold what people said under the other criteria."""
    others = [c for c in criteria if c.key != chosen]
    rows = [r for r in detail.ratings if r.criterion != chosen]
    if not others or not rows:
        return
    with st.expander(_("Raters under the other criteria")):
        frame = pd.DataFrame([(r.rater, r.criterion, rating_text(r)) for r in rows])
        table = frame.pivot(index=0, columns=1, values=2).reindex(columns=[c.key for c in others])
        table = table.rename(columns={c.key: c.label for c in others}).rename_axis(
            index="Rater", columns=None
        )
        widgets.table(
            table.reset_index(),
            key="explain_others",
            columns={"Rater": st.column_config.Column(_("Rater"))},
        )


def write_judges(detail: ResponseDetail, criterion: str, *, chosen: str | None) -> None:
    """Write each judge's score with its samples and its reason, the judge in hand first."""
    found = sorted(judgments_of(detail, criterion), key=lambda o: o.judge != chosen)
    if not found:
        st.caption(_("No judge has seen this response."))
    st.space("small")
    for start in range(0, len(found), ABREAST):
        for column, opinion in zip(
            st.columns(ABREAST, gap="large"), found[start : start + ABREAST], strict=False
        ):
            with column:
                _write_judgment(opinion, criterion)


def draw_panels(detail: ResponseDetail, criterion: str, *, chosen: str | None) -> None:
    """Draw role by role what panels said, the judge in hand first."""
    shown = sorted(judgments_of(detail, criterion), key=lambda o: o.judge != chosen)
    panel_view.draw_panels(shown, chosen=chosen)


def draw_prompt_folds(detail: ResponseDetail, criterion: str, *, chosen: str | None) -> None:
    """Offer prompt and raw replies of each judge, one fold away."""
    for opinion in sorted(judgments_of(detail, criterion), key=lambda o: o.judge != chosen):
        if not opinion.samples:
            continue
        name, count = text.plain(opinion.judge), len(opinion.samples)
        if opinion.samples[0].messages:
            label = _n(
                "{judge}: prompt as sent, {n} raw reply",
                "{judge}: prompt as sent, {n} raw replies",
                count,
                judge=name,
            )
        else:
            label = _n("{judge}: {n} raw reply", "{judge}: {n} raw replies", count, judge=name)
        with st.expander(label):
            _draw_record(opinion, criterion, response=detail.response)


def write_metric_scores(values: Sequence[MetricValue]) -> None:
    """Write the numbers that metrics gave the response."""
    if not values:
        return
    widgets.heading(_("Metrics"))
    frame = pd.DataFrame(
        {
            "Metric": [v.metric for v in values],
            "Value": [_metric(v.score) for v in values],
            "Reason for none": [_(v.reason) if v.reason else "" for v in values],
        }
    )
    if not any(v.reason for v in values):
        frame = frame.drop(columns="Reason for none")
    columns = {
        "Metric": st.column_config.TextColumn(_("Metric")),
        "Value": st.column_config.TextColumn(_("Value"), alignment="right"),
        "Reason for none": st.column_config.TextColumn(_("Reason for none")),
    }
    widgets.table(frame, key="explain_metrics", columns=columns, width=METRICS_WIDTH, height="content")


def _comment(rating: HumanRating, left_out: Set[str]) -> str:
    marked = [f"“{text.plain(span['text'])}”" for span in rating.evidence]
    parts = [text.plain(rating.comment or "")]
    if marked:
        parts.append(_("marked {words}", words=", ".join(marked)))
    words = " · ".join(filter(None, parts))
    if rating.score is None or rating.rater not in left_out:
        return words
    return f"{words} :red[{_('left out by the quality rule')}]".strip()


def _write_judgment(opinion: JudgeResult, criterion: str) -> None:
    with st.container(gap="xsmall"):
        st.markdown(_signature(opinion))
        if opinion.score is None:
            reason = text.plain(_(opinion.reason)) if opinion.reason else ""
            colour = "red" if opinion.state == "failed" else "orange"
            st.markdown(f":{colour}[{_(NO_SCORE.get(opinion.state, opinion.state))}: {reason}]")
            return
        st.metric(text.plain(opinion.judge), score_text(opinion.score), label_visibility="collapsed")
        scores = [s.scores.get(criterion) for s in opinion.samples]
        if len(scores) > 1 and any(score is not None for score in scores):
            each = " ".join(score_text(score) for score in scores)
            st.caption(_("of {n} replies: {scores}", n=len(scores), scores=each))
        for line in verdict_words.verdict_lines(opinion):
            st.caption(line)
        said, source = _reasoning(opinion, criterion)
        if len(said) > SHORTEST_REASON and not panel_view.is_panel(opinion):
            st.text(said)
            if source:
                st.caption(source)


def _signature(opinion: JudgeResult) -> str:
    """Return the judge's name with the model and where its scores come from, as markdown."""
    model = Path(opinion.model).name if opinion.origin == "scripted" else opinion.model
    model = "" if model == opinion.judge else model
    origin = ORIGINS.get(opinion.origin, opinion.origin)
    beside = ", ".join(word for word in (model, _(origin) if origin else "") if word)
    name = f"**{text.plain(opinion.judge)}**"
    return f"{name} :gray[{text.plain(beside)}]" if beside else name


def _reasoning(opinion: JudgeResult, criterion: str) -> tuple[str, str]:
    """Return the judge's reason: its rationale, else the reply whose score is nearest to the judge's."""
    if opinion.rationale or not opinion.samples:
        return opinion.rationale, ""
    scored = [s for s in opinion.samples if s.scores.get(criterion) is not None]
    if not scored:
        return opinion.samples[0].text, ""
    nearest = min(scored, key=lambda s: abs(s.scores[criterion] - (opinion.score or 0.0)))
    return nearest.text, _("reply {place} of {n}", place=nearest.sample + 1, n=len(opinion.samples))


def _draw_record(opinion: JudgeResult, criterion: str, *, response: int) -> None:
    prompt, replies, calls = st.tabs([_("Prompt as sent"), _("Raw replies"), _("Every call")])
    first = opinion.samples[0]
    with prompt:
        if not first.messages:
            st.caption(_("The prompt was not brought along with these replies."))
        keys = dict.fromkeys(sample.call for sample in opinion.samples)
        if len(keys) > 1:
            st.caption(
                _n(
                    "The first of {n} call; the others stand under every call.",
                    "The first of {n} calls; the others stand under every call.",
                    len(keys),
                )
            )
        for message in first.messages:
            st.caption(message.role)
            st.code(message.content, language=None, wrap_lines=True)
    with replies:
        for sample in opinion.samples:
            st.caption(_heading(sample, criterion))
            st.code(sample.text or _("(an empty reply)"), language=None, wrap_lines=True)
    with calls:
        judgment_record.draw_judgment_record(opinion.run, response, criterion)


def _heading(sample: SampleReply, criterion: str) -> str:
    score = sample.scores.get(criterion)
    place = f"{sample.sample + 1} ({sample.call})" if sample.call else str(sample.sample + 1)
    choice = sample.detail.get("choice")
    if score is None and choice is not None and not sample.reason:
        return text.plain(_("reply {place}, read as {score}", place=place, score=str(choice)))
    if score is not None:
        return text.plain(_("reply {place}, read as {score}", place=place, score=score_text(score)))
    reason = _(sample.reason) if sample.reason else _("none read")
    return text.plain(_("reply {place}, no score: {reason}", place=place, reason=reason))


def _metric(score: float | None) -> str:
    return text.number(score, 3 if score is None or abs(score) < 10 else 1)


def _scores(scores: Sequence[float | None]) -> str:
    return text.listing([score_text(score) for score in scores], limit=8) or _("no score")
