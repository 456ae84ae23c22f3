"""One's own ratings among the raters and the judges, on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.accounts.raters import project_raters
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.analysis.raters.self_comparison import Placed
from judgelab.charts.forest import ForestRow, forest
from judgelab.charts.own_ratings import OtherScore, ResponseRow, own_ratings_chart
from judgelab.domain import RaterKind
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.self_comparison import LEAST, SelfComparisonRow
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.explain import response_scores
from judgelab.ui.explain.own_ratings_words import MEASURES
from judgelab.ui.kit import text, viewport, widgets
from judgelab.ui.rater import who_rates
from judgelab.ui.session import gate
from judgelab.wording import mark

LEARNED = "learned"
MOST_DRAWN = 8  # responses; the table has all
ROW = 76  # pixels of the ranking for each response drawn beside it
NAME_WIDTH = 224
AXES = {
    "mae": mark("points, 95 % interval"),
    "pearson": mark("Pearson r, 95 % interval"),
    "spearman": mark("Spearman ρ, 95 % interval"),
}


def choose_person(visitor: PersonInfo, project: ProjectInfo) -> str:
    """Return whose ratings are placed: the visitor's; the owner at a desk of several raters chooses."""
    if not who_rates.chooses_rater(visitor):
        return visitor.name
    others = {str(rater.id): rater.name for rater in project_raters(gate.store(), project.id)}
    rated = st.session_state.get(who_rates.PERSON_KEY, "")
    names = list(dict.fromkeys([visitor.name, *others.values()]))
    first = others.get(rated, visitor.name)
    chosen = st.selectbox(_("Whose ratings"), names, index=names.index(first), key="you_whose", width=240)
    return str(chosen or visitor.name)


def person_name(name: str, person: PersonInfo) -> str:
    """Return how the page speaks of whose ratings they are."""
    return _("You") if name == person.name else name


def choose_measure() -> str:
    """Draw the choice of the measure."""
    chosen = st.segmented_control(
        _("Agreement as"),
        list(MEASURES),
        default="mae",
        required=True,
        format_func=lambda key: _(MEASURES[key]),
        key="you_measure",
    )
    return str(chosen or "mae")


def draw_widest_gaps(found: Placed, project: ProjectInfo, criterion: str, who: str) -> None:
    """Draw the responses with the widest gaps, one row each."""
    widest = found.responses.head(MOST_DRAWN)
    scores = found.scores[found.scores["response"].isin(widest["response"])]
    by_response = {one: rows.to_dict("records") for one, rows in scores.groupby("response")}
    rows = [
        ResponseRow(
            line["question"] or line["item"],
            line["own"],
            line["crowd"],
            [
                OtherScore(one["rater"], _kind(one["rater_kind"]), one["score"], one["rater"] == LEARNED)
                for one in by_response.get(line["response"], [])
            ],
        )
        for line in widest.to_dict("records")
    ]
    signs = (f"● {text.plain(who)}", f"○ {_('other raters')}", f"┃ {_('their mean')}", f"◆ {_('judges')}")
    st.caption(" &emsp; ".join(signs))
    figure = own_ratings_chart(
        rows,
        scale=project.scale(criterion),
        own_name=who,
        theme=widgets.theme(),
        narrow=viewport.is_narrow(),
    )
    said = "; ".join(
        _(
            "{question}: {own}, crowd {crowd}",
            question=row.name,
            own=f"{row.own:g}",
            crowd=f"{row.crowd:z.1f}",
        )
        for row in rows
    )
    widgets.chart(figure, key="you_answers", alt=f"{said}.")
    if len(found.responses) > MOST_DRAWN:
        st.caption(
            _(
                "The {some} with the widest gaps of {n}; the table has all.",
                some=MOST_DRAWN,
                n=len(found.responses),
            )
        )


def draw_ranking(found: Placed, coefficient: str, who: str) -> None:
    """Draw everybody's agreement with the crowd's mean, as far as it is defined."""
    known = [row for row in found.rows if row.estimate.value is not None]
    if not known:
        st.caption(_("Nobody shares enough answers; {least} are needed.", least=LEAST[coefficient]))
        return
    rows = [
        ForestRow(who if row.own else row.rater, _kind(row.kind), row.estimate, row.rater == LEARNED)
        for row in known
    ]
    said = "; ".join(f"{row.name} {text.number(row.estimate.value)}" for row in rows)
    figure = forest(
        rows,
        ceiling=None,
        title=_(AXES[coefficient]),
        theme=widgets.theme(),
        errors=coefficient == "mae",
        height=ROW * min(MOST_DRAWN, len(found.responses)),
    )
    widgets.chart(figure, key=f"you_forest_{coefficient}", alt=f"{said}.")
    missing = len(found.rows) - len(known)
    if missing:
        st.caption(
            _n(
                "{n} other is undefined: too few of these answers are shared (the table says how many).",
                "{n} others are undefined: too few of these answers are shared (the table says how many).",
                missing,
            )
        )


def draw_ranking_table(
    found: Placed, coefficient: str, who: str, raters: Mapping[str, ComparedRater]
) -> None:
    """Draw the same as a table, with n and the reasons."""
    frame = pd.DataFrame(
        {
            "Rater": [who if row.own else row.rater for row in found.rows],
            "Kind": [_kind_words(row, raters) for row in found.rows],
            "Value": [text.number(row.estimate.value) for row in found.rows],
            "95 % interval": [text.interval(row.estimate.ci) for row in found.rows],
            "n": [text.count(row.estimate.n) for row in found.rows],
        }
    )
    heads = {
        "Rater": st.column_config.TextColumn(_("Rater"), width=NAME_WIDTH),
        "Kind": st.column_config.TextColumn(_("Kind")),
        "Value": st.column_config.TextColumn(_(MEASURES[coefficient]), alignment="right"),
        "95 % interval": st.column_config.TextColumn(_("95 % interval"), alignment="right"),
        "n": st.column_config.TextColumn(_("n"), alignment="right"),
    }
    widgets.table(frame, key="you_everybody", columns=heads, strong=["Value"], height="content")
    widgets.write_missing_reasons((who if row.own else row.rater, row.estimate.reason) for row in found.rows)


def draw_response_table(found: Placed, who: str, *, key: str) -> int | None:
    """Draw one row a response; returns the row id of the response that is selected.

    Args:
        found: the rater's place among the others.
        who: what the rater is called.
        key: of the table; another one for other rows.
    """
    lines = found.responses
    frame = pd.DataFrame(
        {
            "Answer": [_row_title(line) for line in lines.to_dict("records")],
            "Own": [_score(value) for value in lines["own"]],
            "Crowd": [text.number(value, 1) for value in lines["crowd"]],
            "Raters": [text.count(int(value)) for value in lines["raters"]],
        }
    )
    columns: dict[str, Any] = {
        "Answer": st.column_config.TextColumn(_("Answer"), width="large"),
        "Own": st.column_config.TextColumn(who, alignment="right"),
        "Crowd": st.column_config.TextColumn(_("Crowd’s mean"), alignment="right"),
        "Raters": st.column_config.TextColumn(_("Raters"), alignment="right"),
    }
    judged = found.scores[found.scores["rater_kind"] == "judge"]
    for judge in found.judges:
        said = judged[judged["rater"] == judge].set_index("response")["score"]
        frame[judge] = [_score(said.get(one)) for one in lines["response"]]
        columns[judge] = st.column_config.TextColumn(judge, alignment="right")
    row = widgets.table(frame, key=key, columns=columns, select=True, strong=["Own"], height="content")
    return None if row is None else int(lines["response"].iloc[row])


def _score(value: float | None) -> str:
    return response_scores.score_text(None if value is None or value != value else value)


def _kind(kind: str) -> RaterKind:
    return "judge" if kind == "judge" else "human"


def _kind_words(row: SelfComparisonRow, raters: Mapping[str, ComparedRater]) -> str:
    if row.kind != "judge":
        return _("human")
    said = raters[row.rater].mark if row.rater in raters else ""
    return ", ".join([_("judge"), *([_(said)] if said else [])])


def _row_title(line: Mapping[Any, Any]) -> str:
    title = str(line["question"] or line["item"])
    return f"{title} · {line['system']}" if line["system"] else title
