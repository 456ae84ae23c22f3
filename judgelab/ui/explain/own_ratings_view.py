"""Draw *You against the judges*: the person's ratings compared with the crowd and the judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.accounts.raters import project_raters
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.analysis.raters.self_comparison import PersonComparison
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.charts.own_ratings import OtherScore, RatedResponse, own_ratings_chart
from judgelab.domain import RaterKind
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.self_comparison import LEAST, SelfComparisonRow
from judgelab.scales import Scale
from judgelab.store.judging.judge_names import LEARNED
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.explain import response_scores
from judgelab.ui.explain.own_ratings_words import MEASURES
from judgelab.ui.kit import missing_values, text, viewport, widgets
from judgelab.ui.rater import who_rates
from judgelab.ui.session import gate
from judgelab.wording import mark

MOST_DRAWN = 8  # responses; the table shows all
ROW_HEIGHT = 76  # pixels of the ranking for each response drawn next to it
NAME_WIDTH = 224
AXES = {
    "mae": mark("points, 95 % interval"),
    "pearson": mark("Pearson's r, 95 % interval"),
    "spearman": mark("Spearman's ρ, 95 % interval"),
    "exact": mark("Share of equal labels, 95 % interval"),
}


def choose_person(visitor: PersonInfo, project: ProjectInfo) -> str:
    """Return the person whose ratings are compared: the visitor, or one chosen by the owner."""
    if not who_rates.chooses_rater(visitor):
        return visitor.name
    others = {str(rater.id): rater.name for rater in project_raters(gate.store(), project.id)}
    rated_as = st.session_state.get(who_rates.PERSON_KEY, "")
    names = list(dict.fromkeys([visitor.name, *others.values()]))
    first = others.get(rated_as, visitor.name)
    chosen = st.selectbox(_("Rater"), names, index=names.index(first), key="you_whose", width=240)
    return str(chosen or visitor.name)


def person_name(name: str, person: PersonInfo) -> str:
    """Return "You" for the visitor, else the name."""
    return _("You") if name == person.name else name


def choose_measure(scale: Scale) -> str:
    """Draw the choice of the measure and return its key; labels without an order can only be equal."""
    if not scale.ordered:
        return "exact"
    chosen = st.segmented_control(
        _("Agreement as"),
        [key for key in MEASURES if key != "exact"],
        default="mae",
        required=True,
        format_func=lambda key: _(MEASURES[key]),
        key="you_measure",
    )
    return str(chosen or "mae")


def draw_widest_gaps(
    comparison: PersonComparison, project: ProjectInfo, criterion: str, own_name: str
) -> None:
    """Draw the responses with the widest gaps between person and crowd, one row each."""
    widest = comparison.responses.head(MOST_DRAWN)
    scores = comparison.scores[comparison.scores["response"].isin(widest["response"])]
    by_response = {response_id: group.to_dict("records") for response_id, group in scores.groupby("response")}
    rows = [
        RatedResponse(
            response["question"] or response["item"],
            response["own"],
            response["crowd"],
            [
                OtherScore(
                    score["rater"], _kind(score["rater_kind"]), score["score"], score["rater"] == LEARNED
                )
                for score in by_response.get(response["response"], [])
            ],
        )
        for response in widest.to_dict("records")
    ]
    legend = (
        f"● {text.plain(own_name)}",
        f"○ {_('other raters')}",
        f"┃ {_('their mean')}",
        f"◆ {_('judges')}",
    )
    st.caption(" &emsp; ".join(legend))
    figure = own_ratings_chart(
        rows,
        scale=project.scale(criterion),
        own_name=own_name,
        theme=widgets.theme(),
        narrow=viewport.is_narrow(),
    )
    alt = "; ".join(
        _(
            "{question}: {own}, crowd {crowd}",
            question=row.name,
            own=f"{row.own:g}",
            crowd=f"{row.crowd:z.1f}",
        )
        for row in rows
    )
    widgets.chart(figure, key="you_answers", alt=f"{alt}.")
    if len(comparison.responses) > MOST_DRAWN:
        st.caption(
            _(
                "The {some} with the widest gaps of {n}; the table has all.",
                some=MOST_DRAWN,
                n=len(comparison.responses),
            )
        )


def draw_crowd_agreement(comparison: PersonComparison, coefficient: str, own_name: str) -> None:
    """Draw everybody's agreement with the crowd's mean, where it is defined."""
    defined = [row for row in comparison.rows if row.estimate.value is not None]
    if not defined:
        st.caption(_("No other rater shares enough answers; {least} are needed.", least=LEAST[coefficient]))
        return
    rows = [
        ForestRow(own_name if row.own else row.rater, _kind(row.kind), row.estimate, row.rater == LEARNED)
        for row in defined
    ]
    alt = "; ".join(f"{row.name} {text.number(row.estimate.value)}" for row in rows)
    figure = forest_plot(
        rows,
        ceiling=None,
        title=_(AXES[coefficient]),
        theme=widgets.theme(),
        errors=coefficient == "mae",
        height=ROW_HEIGHT * min(MOST_DRAWN, len(comparison.responses)),
    )
    widgets.chart(figure, key=f"you_forest_{coefficient}", alt=f"{alt}.")
    missing = len(comparison.rows) - len(defined)
    if missing:
        st.caption(
            _n(
                "{n} other has no value: it shares too few answers (see the table).",
                "{n} others have no value: they share too few answers (see the table).",
                missing,
            )
        )


def draw_crowd_agreement_table(
    comparison: PersonComparison, coefficient: str, own_name: str, raters: Mapping[str, ComparedRater]
) -> None:
    """Draw everybody's agreement as a table, with n and the reasons for missing values."""
    frame = pd.DataFrame(
        {
            "Rater": [own_name if row.own else row.rater for row in comparison.rows],
            "Kind": [_kind_words(row, raters) for row in comparison.rows],
            "Value": [text.number(row.estimate.value) for row in comparison.rows],
            "95 % interval": [text.interval(row.estimate.ci) for row in comparison.rows],
            "n": [text.count(row.estimate.n) for row in comparison.rows],
        }
    )
    columns = {
        "Rater": st.column_config.TextColumn(_("Rater"), width=NAME_WIDTH),
        "Kind": st.column_config.TextColumn(_("Kind")),
        "Value": st.column_config.TextColumn(_(MEASURES[coefficient]), alignment="right"),
        "95 % interval": st.column_config.TextColumn(_("95 % interval"), alignment="right"),
        "n": st.column_config.TextColumn(_("n"), alignment="right"),
    }
    widgets.table(frame, key="you_everybody", columns=columns, strong=["Value"], height="content")
    missing_values.write_missing_reasons(
        (own_name if row.own else row.rater, row.estimate.reason) for row in comparison.rows
    )


def draw_response_table(comparison: PersonComparison, own_name: str, *, scale: Scale, key: str) -> int | None:
    """Draw one row per response; return the row id of the selected response.

    Args:
        comparison: the person compared with the others.
        own_name: what the person is called.
        scale: of the criterion.
        key: of the table; a different one for different rows.
    """
    responses = comparison.responses
    frame = pd.DataFrame(
        {
            "Answer": [_row_title(response) for response in responses.to_dict("records")],
            "Own": [_score(value, scale) for value in responses["own"]],
            "Crowd": [scale.label_of(value) or text.number(value, 1) for value in responses["crowd"]],
            "Raters": [text.count(int(value)) for value in responses["raters"]],
        }
    )
    columns: dict[str, Any] = {
        "Answer": st.column_config.TextColumn(_("Answer"), width="large"),
        "Own": st.column_config.TextColumn(own_name, alignment="right"),
        "Crowd": st.column_config.TextColumn(
            _("Other raters’ mean") if scale.ordered else _("Most others"), alignment="right"
        ),
        "Raters": st.column_config.TextColumn(_("Raters"), alignment="right"),
    }
    judge_scores = comparison.scores[comparison.scores["rater_kind"] == "judge"]
    for judge in comparison.judges:
        score_by_response = judge_scores[judge_scores["rater"] == judge].set_index("response")["score"]
        frame[judge] = [
            _score(score_by_response.get(response_id), scale) for response_id in responses["response"]
        ]
        columns[judge] = st.column_config.TextColumn(judge, alignment="right")
    row = widgets.table(frame, key=key, columns=columns, select=True, strong=["Own"], height="content")
    return None if row is None else int(responses["response"].iloc[row])


def _score(value: float | None, scale: Scale) -> str:
    if value is None or value != value:
        return text.MISSING
    return scale.label_of(value) or response_scores.score_text(value)


def _kind(kind: str) -> RaterKind:
    return "judge" if kind == "judge" else "human"


def _kind_words(row: SelfComparisonRow, raters: Mapping[str, ComparedRater]) -> str:
    if row.kind != "judge":
        return _("rater")
    origin = raters[row.rater].badge if row.rater in raters else ""
    return ", ".join([_("judge"), *([_(origin)] if origin else [])])


def _row_title(response: Mapping[Any, Any]) -> str:
    title = str(response["question"] or response["item"])
    return f"{title} · {response['system']}" if response["system"] else title
