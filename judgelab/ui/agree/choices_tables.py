"""The tables of *Agree* for comparisons: systems by strength, and judges beside the raters."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.choice_agreement import (
    ACCURACY,
    KAPPA,
    BaselineOfPairs,
    ChoiceAgreement,
    JudgeOfPairs,
)
from judgelab.analysis.comparison.measured_strengths import PEOPLE, StrengthRow
from judgelab.languages import _
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.core.result import Estimate
from judgelab.ui.agree.agreement_table import kind_last_on_a_phone
from judgelab.ui.agree.view import CEILING
from judgelab.ui.kit import narrow_names, text, widgets
from judgelab.ui.shared.choice_rows import baseline_name
from judgelab.wording import mark

ALWAYS = ("Rater", "Kind", "Exact agreement")
LABELS = {
    "Rater": mark("Judge or metric"),
    "Kind": mark("Kind"),
    "Exact agreement": mark("Exact agreement"),
    "95 % interval": mark("95 % interval"),
    "n": mark("Pairs"),
    "The one": mark("Rater left out"),
    "Difference": mark("Difference, points"),
    "its interval": mark("95 % interval"),
    "All raters": mark("All raters"),
    "and its interval": mark("95 % interval"),
    "Pairs of all": mark("Pairs"),
    "Same in both orders": mark("Same in both orders"),
    "First response preferred": mark("First response preferred"),
    "Unread": mark("Without a choice"),
}
KINDS = {"judge": mark("judge"), "metric": mark("metric")}


def draw_strengths(found: ChoiceAgreement) -> None:
    """Draw the systems by strength: win rates and strengths by the raters, strengths by each judge."""
    rows = {row.rater: row for row in found.strengths}
    if not rows:
        return
    widgets.heading(_("Strength of the systems"), _("Bradley–Terry, 95 % interval; mean 0"))
    people = rows.get(PEOPLE)
    first = people or next(iter(rows.values()))
    order = sorted(first.strengths.strength, key=lambda name: -(first.strengths.strength[name].value or 0.0))
    frame = pd.DataFrame([_strength_cells(name, people, rows) for name in order])
    columns = {
        name: st.column_config.TextColumn(alignment=None if name == "System" else "right")
        for name in frame.columns
    }
    columns["System"] = st.column_config.TextColumn(_("System"))
    columns["Wins"] = st.column_config.TextColumn(_("Wins"), alignment="right")
    columns["Raters"] = st.column_config.TextColumn(_("Raters"), alignment="right")
    widgets.table(frame, key="choices_strengths", columns=columns, height="content")
    reasons = {row.strengths.reason for row in rows.values() if row.strengths.reason}
    for reason in sorted(reasons):
        st.caption(text.plain(_(reason)))


def _strength_cells(name: str, people: StrengthRow | None, rows: dict[str, StrengthRow]) -> dict[str, str]:
    cells = {"System": name}
    if people is not None:
        games, wins = people.strengths.games.get(name, 0), people.strengths.wins.get(name, 0.0)
        cells["Wins"] = text.per_cent(wins / games) if games else text.MISSING
        cells["Raters"] = _strength(people, name)
    for rater, row in rows.items():
        if rater != PEOPLE:
            cells[rater] = _strength(row, name)
    return cells


def _strength(row: StrengthRow, name: str) -> str:
    estimate = row.strengths.strength.get(name)
    if estimate is None or estimate.value is None:
        return text.MISSING
    return f"{text.signed(estimate.value, 2)} {text.interval(estimate.ci)}".strip()


def draw_table(found: ChoiceAgreement) -> pd.DataFrame:
    """Draw one row per judge, metric and baseline, the raters first; return the table as shown."""
    rows = [_row_cells(judge, found) for judge in found.judges]
    empty = dict.fromkeys(rows[0], text.MISSING)
    if found.comparable:
        own = {"Rater": _(CEILING), "Kind": _("rater"), **_accuracy_cells(found.ceiling[ACCURACY])}
        rows.insert(0, {**empty, **own})
    for each in found.baselines:
        if found.accuracy(each).value is not None:
            name = {"Rater": baseline_name(each), "Kind": _("baseline")}
            rows.append({**empty, **name, **_cells_beside_raters(each, found)})
    frame = pd.DataFrame(rows)
    frame = frame[[name for name in frame.columns if name in ALWAYS or (frame[name] != text.MISSING).any()]]
    columns = {
        name: st.column_config.TextColumn(
            _(LABELS.get(name, name)), alignment=None if name in ("Rater", "Kind") else "right"
        )
        for name in frame.columns
    }
    shown = kind_last_on_a_phone(frame)
    layout = narrow_names.layout(shown, columns)
    widgets.table(shown, key="choices_table", strong=["Exact agreement"], height="content", **layout)
    return frame.rename(columns={name: _(label) for name, label in LABELS.items()})


def _row_cells(judge: JudgeOfPairs, found: ChoiceAgreement) -> dict[str, str]:
    order, kind = judge.order, _(KINDS[judge.kind])
    if judge.implied:
        kind = _("{kind}, by its scores", kind=kind)
    return {
        "Rater": judge.name,
        "Kind": kind,
        **_cells_beside_raters(judge, found),
        "Same in both orders": text.MISSING if order is None else _percent(order.consistency),
        "First response preferred": text.MISSING if order is None else _percent(order.first_rate),
        "Unread": text.count(judge.without_choice) if judge.without_choice else text.MISSING,
    }


def _cells_beside_raters(judge: JudgeOfPairs | BaselineOfPairs, found: ChoiceAgreement) -> dict[str, str]:
    row, everyone = judge.vs_raters.get(ACCURACY), judge.with_majority[ACCURACY]
    compared = row is not None and row.difference.value is not None
    return {
        **_accuracy_cells(found.accuracy(judge)),
        "The one": _percent(row.raters) if row and compared else text.MISSING,
        "Difference": _points(row) if row and compared else text.MISSING,
        "its interval": _ends(row.difference, signed=True) if row and compared else text.MISSING,
        "All raters": _percent(everyone) if found.comparable else text.MISSING,
        "and its interval": _ends(everyone) if found.comparable else text.MISSING,
        "κ": text.number(judge.with_majority[KAPPA].value),
        "Pairs of all": text.count(everyone.n) if found.comparable else text.MISSING,
    }


def _accuracy_cells(estimate: Estimate) -> dict[str, str]:
    return {
        "Exact agreement": _percent(estimate),
        "95 % interval": _ends(estimate),
        "n": text.count(estimate.n),
    }


def _percent(estimate: Estimate) -> str:
    return text.MISSING if estimate.value is None else text.per_cent(estimate.value)


def _points(row: VsCeilingRow) -> str:
    """Return the difference in points of the percentages shown."""
    difference = row.minus_raters(2)
    return text.MISSING if difference is None else text.signed(100 * difference, 0)


def _ends(estimate: Estimate, *, signed: bool = False) -> str:
    if estimate.ci is None:
        return text.MISSING
    low, high = (100 * end for end in estimate.ci)
    return f"[{text.signed(low, 1)}, {text.signed(high, 1)}]" if signed else f"[{low:.0f}, {high:.0f}]"
