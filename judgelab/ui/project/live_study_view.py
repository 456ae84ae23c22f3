"""Who is rating now, how far each is, the pace and the work list, drawn anew while the page is in view."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.raters.live_study import LiveRater, LiveStudy, live_study
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.kit.refresh import refresh_every
from judgelab.ui.rater import unit_words
from judgelab.ui.rater.unit_words import Kind
from judgelab.ui.session import gate

EVERY_SECONDS = 20
HEIGHT, MOST_NAMES = 260, 5


def draw_live_study(project: ProjectInfo) -> None:
    """Draw the study while people rate in it; nothing if nobody has rated for a week."""
    st.fragment(_draw)(project.id)


def _draw(project_id: int) -> None:
    """Draw the study now; checks the permissions again, because the fragment goes on by itself."""
    project = gate.current_project()
    if project is None or project.id != project_id or gate.allowed("researcher", project_id) is None:
        return
    study = live_study(gate.store(), project.slug)
    if study is None:
        return
    widgets.heading(_("Rating now"))
    sentences = [now_sentence(study), pace_sentence(study, unit_words.kind_of(project)), left_sentence(study)]
    st.markdown(text.plain(" ".join(sentences)))
    _draw_table(study.raters)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.page_link(
            "pages/researcher/work_list.py",
            label=work_list_label(study),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug},
        )
        st.page_link(
            "pages/researcher/raters.py",
            label=_("Agreement and flags of raters"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug},
        )
    drawn = study.at.astimezone().strftime("%H:%M:%S")
    st.caption(
        text.plain(
            _(
                "As of {clock}; refreshed every {n} seconds while you look at this page.",
                clock=drawn,
                n=EVERY_SECONDS,
            )
        )
    )
    refresh_every(EVERY_SECONDS, key=f"live_study_{project_id}", drawn=study.at.isoformat())


def now_sentence(study: LiveStudy) -> str:
    """Return who rates now, in a sentence."""
    raters, now = len(study.raters), len(study.rating_now)
    if not now:
        return _n("Nobody is rating; there is {n} rater.", "Nobody is rating; there are {n} raters.", raters)
    return _n(
        "{now} of {n} rater is at work: {names}.",
        "{now} of {n} raters are at work: {names}.",
        raters,
        now=now,
        names=text.listing(list(study.rating_now), limit=MOST_NAMES),
    )


def pace_sentence(study: LiveStudy, kind: Kind) -> str:
    """Return how many units were rated in the last hour."""
    return _("In the last hour: {units} rated.", units=_counted(study.last_hour, kind))


def left_sentence(study: LiveStudy) -> str:
    """Return how many ratings are there of those wanted, and when the rest will be at this pace."""
    done = _(
        "With {raters} each, {done} of {wanted} are done ({share}).",
        raters=_n("{n} rater", "{n} raters", study.raters_wanted),
        done=text.count(study.done),
        wanted=text.count(study.wanted),
        share=text.per_cent(study.done / study.wanted if study.wanted else 0.0),
    )
    if study.done >= study.wanted or study.hours_left is None:
        return done
    rest = _(
        "At the pace of the last {minutes} minutes, the rest takes about {time}.",
        minutes=study.pace_minutes,
        time=_about(study.hours_left),
    )
    return f"{done} {rest}"


def work_list_label(study: LiveStudy) -> str:
    """Return what is open on the work list, for the link to it."""
    counts = [
        words
        for words, n in (
            (_n("{n} message", "{n} messages", study.work_list.get("message", 0)), "message"),
            (_n("{n} flag", "{n} flags", study.work_list.get("flag", 0)), "flag"),
            (_n("{n} skip", "{n} skips", study.work_list.get("skip", 0)), "skip"),
        )
        if study.work_list.get(n, 0)
    ]
    if not counts:  # other kinds are not counted here, so not everything is done
        return _("Work list: no messages, flags or skips open")
    return _("Work list: {list} open", list=", ".join(counts))


def _counted(n: int, kind: Kind) -> str:
    return _n("{n} response", "{n} responses", n) if kind == "answer" else unit_words.counted_units(n, kind)


def _about(hours: float) -> str:
    if hours < 1:
        return _n("{n} minute", "{n} minutes", max(1, round(60 * hours)))
    if hours < 48:
        return _n("{n} hour", "{n} hours", round(hours))
    return _n("{n} day", "{n} days", round(hours / 24))


def _draw_table(raters: tuple[LiveRater, ...]) -> None:
    """Draw the raters by name, so that rows stay where they are."""
    frame = pd.DataFrame(
        {
            "Rater": [rater.name for rater in raters],
            "Rated": [_of(rater.done, rater.limit) for rater in raters],
            "Last hour": [rater.last_hour for rater in raters],
            "Last seen": [text.when(rater.seen) for rater in raters],
            "Checks": [_of(rater.passed, rater.checked) if rater.checked else "" for rater in raters],
            "Flags": [rater.flagged for rater in raters],
            "Skips": [rater.skipped for rater in raters],
        }
    )
    unused = [name for name in ("Checks", "Flags", "Skips") if not frame[name].astype(bool).any()]
    widgets.table(
        frame.drop(columns=unused),
        key="live_study_table",
        columns={
            "Rater": {"label": _("Rater")},
            "Last seen": {"label": _("Last seen")},
            "Rated": {"label": _("Rated")},
            "Last hour": {
                "label": _("Last hour"),
                "help": _("Rated in the last hour, checks and repeats included"),
            },
            "Checks": {"label": _("Checks passed"), "help": _("Scores of gold items and attention checks")},
            "Flags": {"label": _("Flags")},
            "Skips": {"label": _("Skips")},
        },
        formats={"Last hour": text.count, "Flags": text.count, "Skips": text.count},
        faint=[not rater.now for rater in raters],
        height=min(HEIGHT, 38 + 28 * len(raters)),
    )


def _of(n: int, most: int | None) -> str:
    if most is None:
        return text.count(n)
    return _("{n} of {total}", n=text.count(n), total=text.count(most))
