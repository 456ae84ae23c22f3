"""*Explain* for comparisons: two responses side by side, with everybody's choice and rationale or comment."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.choice_differences import PairDetail, pair_detail
from judgelab.languages import _, _n
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE
from judgelab.store.frames.comparison_details import GivenChoice
from judgelab.store.frames.details import ResponseDetail
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.pair_decisions import PairDecisionInfo
from judgelab.ui.cache import loaders
from judgelab.ui.explain import pair_texts, reading_links, response_scores
from judgelab.ui.kit import column_widths, help_link, row_list, text, view_state, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, filter_note, response_view
from judgelab.wording import mark

SESSION_KEYS = {"judge": "pairs_judge", "pair": "pairs_pair"}  # by query parameter
TABLE_KEY = "pairs_table"
KINDS = {"human": mark("rater"), "judge": mark("judge"), "metric": mark("metric")}
ROWS_AT_ONCE = 1_000
HEIGHT = 640


def draw_pairs(project: ProjectInfo, version: str) -> None:
    """Draw the page: the judge's pairs, those with the fewest raters on its side first, and one of them."""
    view_state.follow_link("pairs", SESSION_KEYS)
    heading = st.container(gap="xsmall")
    narrow = viewport.is_narrow()
    list_place, pair_place = (
        (st.container(), st.container()) if narrow else st.columns([34, 66], gap="medium")
    )
    with list_place, st.expander(_("Choose a judge and a pair")) if narrow else st.container():
        criterion, judge = _choose(project, version)
        rows = loaders.choice_differences(project.slug, version, criterion=criterion, judge=judge)
        differing = rows[rows["raters"].notna() & (rows["raters"] != rows["judge"])]
        only = st.toggle(_("Disagreements only"), key="pairs_differing", persist_state="session")
        shown = (differing if only else rows).reset_index(drop=True)
        current = _current_pair(shown, rows)
        _draw_list(shown, current)
    with heading:
        scope = filter_note.scope(project, comparisons=True)
        widgets.header(_("Disagreements"), scope, guide=help_link.EXPLAIN)
        if judge:
            st.caption(text.plain(_sentence(judge, rows, differing)))
            reading_links.draw_agreement_link(project, judge, form=compared.PAIRS)
        widgets.demo_notice(project)
    with pair_place:
        if current is None:
            st.write(_("No pair was compared by both the raters and this judge."))
        else:
            first, second = int(current["first"]), int(current["second"])
            detail = pair_detail(gate.store(), project.slug, criterion=criterion, first=first, second=second)
            pair = (min(first, second), max(first, second), criterion)
            implied = loaders.implied_choices(project.slug, version, criterion=criterion)
            detail = _with_implied(detail, implied)
            _draw_pair(detail, loaders.pair_decisions(project.slug, version).get(pair))
    view_state.write_link("pairs", {word: st.session_state.get(key) for word, key in SESSION_KEYS.items()})


def _choose(project: ProjectInfo, version: str) -> tuple[str, str]:
    """Draw the choice of criterion and judge; the judge is "" if there is none."""
    key = compared.choose_criterion(project, version)
    names = list(loaders.judges_of_pairs(project.slug, version, criterion=key))
    view_state.drop_unavailable(SESSION_KEYS["judge"], names)
    if not names:
        return key, ""
    name = st.selectbox(_("Judge"), names, key=SESSION_KEYS["judge"], persist_state="session")
    return key, name


def _sentence(judge: str, rows: pd.DataFrame, differing: pd.DataFrame) -> str:
    decided = int(rows["raters"].notna().sum())
    return _n(
        "{judge} disagrees with the raters' majority in {differ} of the {n} pair that has one.",
        "{judge} disagrees with the raters' majority in {differ} of the {n} pairs that have one.",
        decided,
        judge=judge,
        differ=text.count(len(differing)),
    )


def _current_pair(shown: pd.DataFrame, rows: pd.DataFrame) -> pd.Series | None:
    """Return the clicked or linked pair, even if it is filtered out, else the first one shown."""
    requested, words = st.session_state.get(SESSION_KEYS["pair"]), _pair_words(rows)
    if requested in words:
        return rows.iloc[words.index(requested)]
    return None if shown.empty else shown.iloc[0]


def _pair_words(rows: pd.DataFrame) -> list[str]:
    return [compared.pair_word(a, b) for a, b in rows[["first", "second"]].itertuples(index=False)]


def _draw_list(rows: pd.DataFrame, current: pd.Series | None) -> None:
    """Draw the pairs (of many a part), with the current one tinted; a click opens another."""
    if rows.empty or current is None:
        st.caption(_("No differences match these filters."))
        return
    words, word = _pair_words(rows), compared.pair_word(current["first"], current["second"])
    place = words.index(word) if word in words else None
    start = (place or 0) // ROWS_AT_ONCE * ROWS_AT_ONCE
    part = rows.iloc[start : start + ROWS_AT_ONCE].reset_index(drop=True)
    systems = part["system_first"].astype(str) + " – " + part["system_second"].astype(str)
    width = 110 if systems.nunique() > 1 else 190
    questions = column_widths.item_labels(
        part["question"].astype(str).tolist(), part["item"].astype(str).tolist(), width
    )
    table = pd.DataFrame(
        {
            "Question": questions,
            "Pair": systems,
            "Raters": [f"{a} : {t} : {b}" for a, t, b in part[["n_first", "n_tie", "n_second"]].to_numpy()],
            "Judge": [_(LABELS[label]) for label in part["judge"]],
        }
    )
    if systems.nunique() == 1:
        del table["Pair"]
    columns = {
        "Question": st.column_config.TextColumn(_("Item"), width=width),
        "Pair": st.column_config.TextColumn(_("Pair"), width=110),
        "Raters": st.column_config.TextColumn(_("Raters"), width=70),
        "Judge": st.column_config.TextColumn(_("Judge"), width=66),
    }
    st.caption(_("Raters: numbers of choices, in the order first response : tie : second response."))
    row_list.draw_row_list(
        table,
        key=TABLE_KEY,
        columns=columns,
        height=min(HEIGHT, 40 + 28 * len(table)),
        current=None if place is None else place - start,
        on_click=lambda row: st.session_state.update({SESSION_KEYS["pair"]: words[start + row]}),
        formats={"Question": column_widths.short_labels(table["Question"], width).__getitem__},
    )
    if len(part) < len(rows):
        first, last = text.count(start + 1), text.count(start + len(part))
        st.caption(_("Pairs {first} to {last} of {n}.", first=first, last=last, n=text.count(len(rows))))


LABELS = {FIRST: mark("first"), TIE: mark("tie"), SECOND: mark("second")}


def _with_implied(detail: PairDetail, implied: pd.DataFrame) -> PairDetail:
    """Add the choices of judges and metrics that scored the two responses one by one."""
    first, second = detail.first.response, detail.second.response
    rows = implied[(implied["first"] == first) & (implied["second"] == second)]
    chosen = {FIRST: first, TIE: None, SECOND: second}
    from_scores = [
        GivenChoice(
            row["rater"],
            row["kind"],
            chosen[row["choice"]],
            None,
            _scores_text(row),
        )
        for row in rows.to_dict("records")
    ]
    return replace(detail, choices=(*detail.choices, *from_scores))


def _scores_text(row: Mapping[Hashable, Any]) -> str:
    first, second = (response_scores.score_text(row[f"score_{side}"]) for side in ("first", "second"))
    if row["choice"] == TIE and first != second:
        return _(
            "from its scores: {first} and {second}, so close that they count as a tie",
            first=first,
            second=second,
        )
    return _("from its scores: {first} and {second}", first=first, second=second)


def _draw_pair(detail: PairDetail, decision: PairDecisionInfo | None) -> None:
    response_view.draw_title(detail.first, blind=True)
    marked = pair_texts.ask_for_marks(detail.first.text, detail.second.text)
    sides = zip(
        (_("First response"), _("Second response")), (detail.first, detail.second), marked, strict=True
    )
    for place, (label, response, html) in zip(st.columns(2, gap="large"), sides, strict=True):
        with place:
            widgets.heading(label, text.plain(response.system))
            pair_texts.draw_text(response.text, html, response=response.response)
    names = {
        None: _("tie"),
        detail.first.response: _name(detail.first, _("first")),
        detail.second.response: _name(detail.second, _("second")),
    }
    _draw_choices(detail, names)
    if decision is not None:
        outcome = text.plain(names[decision.chosen]) if decision.choice else None
        response_scores.write_outcome(decision, outcome)
    response_view.draw_material(detail.first)


def _draw_choices(detail: PairDetail, names: Mapping[int | None, str]) -> None:
    rows = [
        {
            "Name": choice.name,
            "Kind": _(KINDS[choice.kind]),
            "Choice": text.MISSING if choice.missing else names[choice.chosen],
            "Shown first": text.MISSING if choice.shown_first is None else names[choice.shown_first],
            "Reason": _(choice.missing) if choice.missing else choice.reason or text.MISSING,
        }
        for choice in detail.choices
    ]
    if not rows:
        return
    columns = {
        "Name": st.column_config.TextColumn(_("Who")),
        "Kind": st.column_config.TextColumn(_("Kind")),
        "Choice": st.column_config.TextColumn(_("Choice")),
        "Shown first": st.column_config.TextColumn(_("Shown first")),
        "Reason": st.column_config.TextColumn(_("Rationale or comment")),
    }
    widgets.heading(_("Choices"))
    frame = pd.DataFrame(rows)
    known = [name for name in frame.columns if name == "Name" or (frame[name] != text.MISSING).any()]
    widgets.table(frame[known], key="pairs_choices", columns=columns, height="content")
    if _order_changed_a_choice(detail):
        st.caption(
            _(
                "Some judges see a pair twice, once with each response shown first. If the two choices "
                "differ, they count as a tie."
            )
        )


def _order_changed_a_choice(detail: PairDetail) -> bool:
    """Return whether a judge that saw both orders chose differently in them."""
    by_judge: dict[str, dict[int, set[int | None]]] = {}
    for choice in detail.choices:
        if choice.kind == "judge" and choice.shown_first is not None and not choice.missing:
            by_judge.setdefault(choice.name, {}).setdefault(choice.shown_first, set()).add(choice.chosen)
    return any(len(orders) > 1 and len(set().union(*orders.values())) > 1 for orders in by_judge.values())


def _name(response: ResponseDetail, place: str) -> str:
    return response.system or place
