"""One judge or metric against the people, score by score, and the responses behind each mark."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.agreement.vs_ceiling import confusion_matrix, pairs_in_cell
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.charts.confusion import confusion_heatmap
from judgelab.charts.scatter import ResponseDot, pair_scatter
from judgelab.languages import _, _n
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.scales import Scale
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import findings


def draw_score_pairs(
    rater: ComparedRater, pairs: pd.DataFrame, scale: Scale, aggregation: Aggregation = MEAN
) -> pd.DataFrame | None:
    """Draw a matrix or scatter plot; return the responses behind the clicked mark, if one was clicked.

    The raters' score is their mean, also in place of z-scores, or another `aggregation`, which is named.
    """
    by_mean = aggregation.method in ("mean", "z_mean")
    if pairs.empty:
        st.caption(_("No response has both a human rating and a score by this rater."))
        return None
    matrix = confusion_matrix(pairs, scale) if rater.kind == "judge" else None
    if matrix is None and not scale.ordered:
        st.caption(_("Too many labels, or sets of labels, for a table of who gave which."))
        return None
    if matrix is None:
        return _draw_scatter(rater, pairs, scale, by_mean=by_mean)
    labels = None if scale.ordered else [point.label for point in scale.points()]
    figure = confusion_heatmap(
        matrix.counts,
        judge_title=_("Judge, rounded") if scale.ordered else _("Judge"),
        raters_title=_("Raters’ label")
        if not scale.ordered and aggregation.by_model
        else _("Label of most raters")
        if not scale.ordered
        else _("Raters’ mean, rounded")
        if by_mean
        else _("Raters’ score, rounded"),
        theme=widgets.theme(),
        labels=labels,
    )
    near = None if scale.level == "nominal" else matrix.adjacent_agreement
    same = matrix.exact_agreement
    if scale.ordered:
        sentence = findings.matrix_finding(rater.name, same=same, near=near, by_mean=by_mean)
    elif aggregation.by_model:
        sentence = _(
            "{rater}: the label of the raters on {same}, n = {total}.",
            rater=rater.name,
            same=text.share_with_interval(same.value, same.ci),
            total=same.n,
        )
    else:
        sentence = _(
            "{rater}: the label of most raters on {same}, n = {total}.",
            rater=rater.name,
            same=text.share_with_interval(same.value, same.ci),
            total=same.n,
        )
    point = _draw_clickable(figure, alt=sentence)
    finding = text.capitalised(sentence.removeprefix(f"{rater.name}: "))
    if same.ci is not None:
        finding = f"{finding} {_('Intervals: {method}.', method=_(same.ci_method))}"
    st.caption(text.plain(finding))
    return None if point is None else pairs_in_cell(pairs, scale, human=point[0], judge=point[1])


def draw_links(rater: ComparedRater, *, project: str, criterion: str, to_run: bool) -> None:
    """Link to a judge's largest differences and, if asked, to its run; a metric has neither."""
    if rater.kind != "judge":
        return
    st.page_link(
        "pages/researcher/disagreements.py",
        label=_("Read the disagreements"),
        icon=":material/arrow_forward:",
        query_params={"project": project, "judge": rater.name, "criterion": criterion},
    )
    if to_run:
        draw_run_link(rater, project=project)


def draw_run_link(rater: ComparedRater | None, *, project: str) -> None:
    """Link to the run, made here or imported, that has a judge's judgments, if there is one."""
    if rater is None or rater.kind != "judge" or rater.run is None:
        return
    st.page_link(
        "pages/researcher/runs.py",
        label=_("Open the run of {judge}", judge=text.plain(rater.name)),
        icon=":material/arrow_forward:",
        query_params={"project": project, "run": str(rater.run)},
    )


def draw_response_list(
    rows: pd.DataFrame, scale: Scale, *, project: str, rater: ComparedRater, criterion: str
) -> None:
    """List the responses behind a mark; choosing one opens it on *Disagreements*."""
    widgets.heading(_("Responses behind this figure"), _n("{n} response", "{n} responses", len(rows)))
    frame = pd.DataFrame(
        {
            "Item": rows["item"],
            "System": rows["system"],
            "Question": rows["question"],
            "Raters": rows["human"],
            "Score": rows["score"],
        }
    )
    frame = frame.drop(columns=[name for name in ("System", "Question") if (frame[name] == "").all()])
    scores = {"Raters": lambda value: text.number(value, 1), "Score": lambda value: text.number(value, 2)}
    if not scale.ordered:
        scores = dict.fromkeys(scores, lambda value: scale.label_of(value) or text.number(value, 2))
    column = st.column_config.Column
    columns = {
        "Item": column(_("Item")),
        "System": column(_("System")),
        "Question": column(_("Question")),
        "Raters": column(_("Raters")),
        "Score": column(_("Score")),
    }
    chosen = widgets.table(frame, key="agree_behind", formats=scores, select=True, columns=columns)
    if chosen is None:
        st.caption(_("Select a row to read the response with all rationales."))
        return
    link = {
        "project": project,
        "judge": rater.name,
        "criterion": criterion,
        "response": str(int(rows["response"].iloc[chosen])),
    }
    if rater.kind != "judge":
        del link["judge"]
    st.switch_page("pages/researcher/disagreements.py", query_params=link)


def _draw_scatter(
    rater: ComparedRater, pairs: pd.DataFrame, scale: Scale, *, by_mean: bool
) -> pd.DataFrame | None:
    dots = [
        ResponseDot(int(response), float(human), float(score))
        for response, human, score in pairs[["response", "human", "score"]].to_numpy()
    ]
    judge = rater.kind == "judge"
    figure = pair_scatter(
        dots,
        kind="judge" if judge else "metric",
        title=rater.name,
        raters_title=_("Raters’ mean") if by_mean else _("Raters’ score"),
        theme=widgets.theme(),
        same_scale=(scale.low, scale.high) if judge else None,
    )
    sentence = _n(
        "{rater} against the raters' scores on {n} response.",
        "{rater} against the raters' scores on {n} responses.",
        len(dots),
        rater=rater.name,
    )
    point = _draw_clickable(figure, alt=sentence)
    hint = _("One mark per response, n = {n}. Click one to read it.", n=len(dots))
    st.caption(text.keep_together(hint))
    return None if point is None else pairs[pairs["response"] == int(point[0])]


def _draw_clickable(figure: Any, *, alt: str) -> list[float] | None:
    """Draw the figure and return the custom data of the clicked mark."""
    state = widgets.chart(figure, key="agree_pairs", alt=alt, on_select="rerun", selection_mode="points")
    points = state["selection"]["points"] if state else []
    data = points[0].get("customdata") if points else None
    return None if data is None else [float(value) for value in data]
