"""Where a judge put a response among references: its place in the list, or whom of them it beat."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.languages import _
from judgelab.preparation.lists.editing import list_of_judge
from judgelab.protocols import protocols
from judgelab.store.frames.details import JudgeResult, ResponseDetail
from judgelab.store.prepared.reference_lists import ItemList
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

OUTCOMES = {"win": mark("beaten"), "tie": mark("as good"), "loss": mark("better")}
HEADS = {"place": mark("Place"), "grade": mark("Grade"), "said": mark("Outcome"), "text": mark("Text")}
SHOWN = 200  # letters of a text in the table


def draw_reference_rank(
    project: ProjectInfo, detail: ResponseDetail, *, criterion: str, chosen: str | None
) -> None:
    """Draw the list of the judge in hand, with the response in its place; nothing for other judges."""
    opinions = [
        judgment
        for judgment in detail.judgments
        if judgment.judge == chosen
        and judgment.criterion in (criterion, "*")
        and compares_references(judgment)
    ]
    if not opinions:
        return
    opinion = opinions[-1]
    found = _reference_list(project, detail, opinion)
    if found is None:
        return
    widgets.heading(_("Among the references"), text.plain(opinion.judge))
    rows = (
        _ranked_references(found, opinion, detail)
        if "ranks" in opinion.detail
        else _compared_references(found, opinion)
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
    if said := _notes(opinion):
        st.caption(said)


def scale_note(detail: ResponseDetail, criterion: str) -> None:
    """Say which judges' scores are not drawn on the criterion's scale, if any, and how they are compared."""
    own = {
        judgment.judge: None
        for judgment in detail.judgments
        if judgment.criterion in (criterion, "*")
        and judgment.score is not None
        and judgment.protocol in protocols.names()
        and protocols.get(judgment.protocol).own_scale
    }
    if own:
        st.caption(
            _(
                "{judges}: on a scale of their own, not drawn here; differences stretch their lowest and "
                "highest score to the ends of this one.",
                judges=text.plain(text.listing(list(own))),
            )
        )


def compares_references(opinion: JudgeResult) -> bool:
    """Whether the judge compared the response with a list of references."""
    return bool(opinion.detail.get("ranks") or opinion.detail.get("comparisons"))


def _reference_list(project: ProjectInfo, detail: ResponseDetail, opinion: JudgeResult) -> ItemList | None:
    return list_of_judge(gate.store(), project.id, opinion.judge, detail.item)


def _ranked_references(found: ItemList, opinion: JudgeResult, detail: ResponseDetail) -> list[dict[str, str]]:
    """Return the references with the response at its mean place among them."""
    place = statistics.mean(opinion.detail["ranks"])
    rows = [
        {
            "place": str(number),
            "grade": str(entry.grade),
            "said": _(OUTCOMES["loss" if number < place else "win"]),
            "text": _excerpt(entry.text),
        }
        for number, entry in enumerate(found.entries, start=1)
    ]
    before = sum(number < place for number in range(1, len(rows) + 1))
    own = {"place": "→", "grade": "", "said": _("this response"), "text": _excerpt(detail.text)}
    return [*rows[:before], own, *rows[before:]]


def _compared_references(found: ItemList, opinion: JudgeResult) -> list[dict[str, str]]:
    """Return the references with what came of comparing the response with each."""
    said = {one["reference"]: one["outcome"] for one in opinion.detail["comparisons"]}
    return [
        {
            "place": str(number),
            "grade": str(entry.grade),
            "said": _(OUTCOMES[said[number]]) if number in said else text.MISSING,
            "text": _excerpt(entry.text),
        }
        for number, entry in enumerate(found.entries, start=1)
    ]


def _notes(opinion: JudgeResult) -> str:
    ranks: Sequence[int] = opinion.detail.get("ranks", ())
    parts = []
    if len(ranks) > 1:
        parts.append(_("Places stated: {places}.", places=", ".join(map(str, ranks))))
    if changed := opinion.detail.get("inconsistent"):
        parts.append(_("{n} comparisons changed with the order of the two and count as ties.", n=changed))
    return " ".join(parts)


def _excerpt(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
