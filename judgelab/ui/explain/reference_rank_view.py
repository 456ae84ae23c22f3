"""Draw how a judge ranked a response among references: its place in the list, or which it beat."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.languages import _, _n
from judgelab.preparation.lists.editing import list_of_judge
from judgelab.protocols import protocols
from judgelab.store.frames.details import JudgeResult, ResponseDetail
from judgelab.store.prepared.reference_lists import ItemList
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

OUTCOMES = {"win": mark("beaten"), "tie": mark("as good"), "loss": mark("better")}
HEADS = {"place": mark("Place"), "grade": mark("Grade"), "said": mark("Outcome"), "text": mark("Text")}
LONGEST_EXCERPT = 200  # letters of a text in the table


def draw_reference_rank(
    project: ProjectInfo, detail: ResponseDetail, *, criterion: str, chosen: str | None
) -> None:
    """Draw the chosen judge's list of references with the response in its place, if it compared with one."""
    judgments = [
        judgment
        for judgment in detail.judgments
        if judgment.judge == chosen
        and judgment.criterion in (criterion, "*")
        and compares_references(judgment)
    ]
    if not judgments:
        return
    judgment = judgments[-1]
    reference_list = _reference_list(project, detail, judgment)
    if reference_list is None:
        return
    widgets.heading(_("Rank among the references"), text.plain(judgment.judge))
    rows = (
        _ranked_references(reference_list, judgment, detail)
        if "ranks" in judgment.detail
        else _compared_references(reference_list, judgment)
    )
    columns: dict[str, Any] = {name: {"label": _(head)} for name, head in HEADS.items()}
    columns["text"] = {**columns["text"], "width": "large"}
    frame = pd.DataFrame(rows, columns=list(HEADS))
    widgets.table(
        frame.loc[:, [name for name in HEADS if frame[name].astype(str).ne("").any()]],
        key="explain_places",
        columns=columns,
        faint=[row["said"] == _(OUTCOMES["loss"]) for row in rows],
        height="content",
    )
    if notes := _notes(judgment):
        st.caption(notes)


def write_own_scale_note(detail: ResponseDetail, criterion: str) -> None:
    """Write which judges score on a scale of their own, if any, and how they are compared."""
    own_scale_judges = {
        judgment.judge: None
        for judgment in detail.judgments
        if judgment.criterion in (criterion, "*")
        and judgment.score is not None
        and judgment.protocol in protocols.names()
        and protocols.get(judgment.protocol).own_scale
    }
    if own_scale_judges:
        st.caption(
            _(
                "{judges}: scores on their own scale, not drawn here; for differences, their range is "
                "mapped to this scale.",
                judges=text.plain(text.quoted_names(list(own_scale_judges))),
            )
        )


def compares_references(judgment: JudgeResult) -> bool:
    """Return whether the judge compared the response with a list of references."""
    return bool(judgment.detail.get("ranks") or judgment.detail.get("comparisons"))


def _reference_list(project: ProjectInfo, detail: ResponseDetail, judgment: JudgeResult) -> ItemList | None:
    return list_of_judge(gate.store(), project.id, judgment.judge, detail.item)


def _ranked_references(
    reference_list: ItemList, judgment: JudgeResult, detail: ResponseDetail
) -> list[dict[str, str]]:
    """Return the references, with the response at its mean place among them."""
    place = statistics.mean(judgment.detail["ranks"])
    rows = [
        {
            "place": str(number),
            "grade": str(entry.grade),
            "said": _(OUTCOMES["loss" if number < place else "win"]),
            "text": _excerpt(entry.text),
        }
        for number, entry in enumerate(reference_list.entries, start=1)
    ]
    before = sum(number < place for number in range(1, len(rows) + 1))
    response_row = {"place": "→", "grade": "", "said": _("this response"), "text": _excerpt(detail.text)}
    return [*rows[:before], response_row, *rows[before:]]


def _compared_references(reference_list: ItemList, judgment: JudgeResult) -> list[dict[str, str]]:
    """Return the references, each with the outcome of its comparison with the response."""
    outcomes = {
        comparison["reference"]: comparison["outcome"] for comparison in judgment.detail["comparisons"]
    }
    return [
        {
            "place": str(number),
            "grade": str(entry.grade),
            "said": _(OUTCOMES[outcomes[number]]) if number in outcomes else text.MISSING,
            "text": _excerpt(entry.text),
        }
        for number, entry in enumerate(reference_list.entries, start=1)
    ]


def _notes(judgment: JudgeResult) -> str:
    ranks: Sequence[int] = judgment.detail.get("ranks", ())
    parts = []
    if len(ranks) > 1:
        parts.append(_("Places stated: {places}.", places=", ".join(map(str, ranks))))
    if changed := judgment.detail.get("inconsistent"):
        parts.append(
            _n(
                "{n} comparison changed when the two texts were swapped and counts as a tie.",
                "{n} comparisons changed when the two texts were swapped and count as ties.",
                changed,
            )
        )
    return " ".join(parts)


def _excerpt(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= LONGEST_EXCERPT else line[: LONGEST_EXCERPT - 1] + "…"
