"""All raters: the answer in a sentence, one measure as a figure, everything as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd
import streamlit as st

from judgelab.analysis.raters import Beside, RaterLine, RaterTable
from judgelab.annotation.rater_flags import Flag
from judgelab.charts.raters import MeasureRow, measure_forest
from judgelab.store.projects import ProjectInfo
from judgelab.ui import place, rater_measures, text, widgets

BESIDE: dict[Beside, str] = {"kept": "those the rule keeps", "all": "all raters"}
MOST_ROWS = 20
MOST_DRAWN = 40
MOST_NAMES = 3
# Columns that are left out while no rater has a value, and what the note then says is missing.
CAN_LACK = {
    "Gold": "gold scores",
    "Attention": "attention checks",
    "Repeats": "repeats",
    "s": "times",
    "Too fast": "",
    "Run": "order",
    "by chance": "",
}


def _per_cent(value: float | None) -> str:
    return text.MISSING if value is None or value != value else f"{100 * value:.0f} %"


WRITTEN: dict[str, Callable[[float | None], str]] = {
    "n": lambda value: text.number(value, 0),
    "r": text.number,
    "Offset": lambda value: text.signed(value, 2),
    "Modal": _per_cent,
    "Run": lambda value: text.number(value, 0),
    "by chance": lambda value: text.number(value, 1),
    "s": lambda value: text.number(value, 0),
    "Too fast": _per_cent,
    "Gold": _per_cent,
    "Attention": _per_cent,
    "Repeats": text.number,
}
STATES = {
    "active": "active",
    "paused": "paused",
    "released": "released",
    "screened_out": "screened out",
    "returned": "place returned",
    "finished": "finished",
    "removed": "taken out",
    "": "from a file",
}


def sentence(table: RaterTable, criterion: str) -> str:
    """Return the answer: how many raters are worth a look and why, and how far the others agree."""
    looked = [(line, here(line.flags, criterion)) for line in table.lines]
    odd = [(line, flags) for line, flags in looked if flags]
    raters = text.counted(len(table.lines), "rater")
    agreeing = [
        report.leave_one_out.value
        for line, flags in looked
        if not flags and (report := line.report.criteria.get(criterion)) is not None
        if report.leave_one_out.value is not None
    ]
    rest = ""
    if len(agreeing) > 1:
        low, high = text.number(min(agreeing)), text.number(max(agreeing))
        rest = f" The other {len(agreeing)} stand at r {low} to {high} with the mean of the others."
    if not odd:
        return f"Nothing about the {raters} is worth a look.{rest.replace('The other', 'All')}"
    named = [f"**{text.plain(line.rater)}** ({', '.join(words(flags))})" for line, flags in odd]
    return f"{len(odd)} of {raters} {'is' if len(odd) == 1 else 'are'} worth a look: {_some(named)}.{rest}"


def compared_with(table_rule: str | None) -> Beside:
    """Draw the choice of whom raters are compared with; without a rule it is everybody."""
    if table_rule is None:
        return "all"
    choices: list[Beside] = ["kept", "all"]
    chosen = st.segmented_control(
        "Compared with",
        choices,
        default="kept",
        required=True,
        format_func=BESIDE.__getitem__,
        key="raters_beside",
        help="Careless raters make the careful ones look odd; leave them out of the others' mean.",
    )
    return chosen or "kept"


def forest(table: RaterTable, criterion: str, *, chosen: str | None) -> None:
    """Draw one measure of each rater with its interval."""
    reports = [line.report for line in table.lines]
    keys = rater_measures.known(reports, criterion)
    if not keys:
        st.caption("No measure has a value yet: raters must share responses, or be timed.")
        return
    place.among("raters_measure", keys)
    key = st.selectbox(
        "Measure",
        keys,
        format_func=lambda one: rater_measures.MEASURES[one].name,
        key="raters_measure",
        width=260,
    )
    measure = rater_measures.MEASURES[key]
    rows = [
        MeasureRow(
            line.rater,
            measure.of(line.report, criterion),
            ", ".join(words(f for f in here(line.flags, criterion) if f.key in measure.flags)),
            chosen=line.rater == chosen,
        )
        for line in table.lines
    ]
    rows.sort(key=lambda row: (row.estimate.value is None, -(row.estimate.value or 0.0), row.rater))
    mark = measure.mark or (None, "")
    figure = measure_forest(
        _drawn(rows),
        title=measure.title,
        theme=widgets.theme(),
        low=measure.low,
        high=measure.high,
        mark=mark[0],
        mark_name=mark[1],
    )
    shown = [
        f"{row.rater} {measure.write(row.estimate.value)}" for row in rows if row.estimate.value is not None
    ]
    widgets.chart(figure, key=f"raters_forest_{key}", alt=f"{measure.name}: {'; '.join(shown[:MOST_DRAWN])}.")
    if len(rows) > MOST_DRAWN:
        st.caption(f"The {MOST_DRAWN // 2} highest and lowest of {len(rows)}; all stand in the table.")


def table(found: RaterTable, criterion: str) -> int | None:
    """Draw one row a rater; returns the position of the one chosen."""
    frame = pd.DataFrame([_row(line, criterion) for line in found.lines])
    lacking = [name for name in CAN_LACK if frame[name].isna().all()]
    standing = set(frame["State"])
    plain = ["State"] if standing <= {STATES["active"]} or standing == {STATES[""]} else []
    shown = frame.drop(columns=[*lacking, *plain])
    chosen = widgets.table(
        shown,
        key="raters_table",
        select=True,
        columns={
            "95 % interval": st.column_config.Column(alignment="right"),
            "Worth a look": st.column_config.Column(width=150),
            "by chance": st.column_config.Column(width=76),
        },
        formats={name: write for name, write in WRITTEN.items() if name in shown},
        faint=[line.state in ("paused", "released", "screened_out", "removed") for line in found.lines],
        height="content" if len(frame) <= MOST_ROWS else 28 * MOST_ROWS,
    )
    st.caption(_note(found, [CAN_LACK[name] for name in lacking if CAN_LACK[name]]))
    return chosen


def here(flags: Iterable[Flag], criterion: str) -> list[Flag]:
    """Return the flags of all work and of this criterion."""
    return [flag for flag in flags if flag.criterion in (None, criterion)]


def words(flags: Iterable[Flag]) -> list[str]:
    """Return each flag's words once."""
    return list(dict.fromkeys(text.plain(flag.word) for flag in flags))


def criterion_shown(project: ProjectInfo, keys: Sequence[str]) -> str:
    """Return the criterion whose figures are shown; asks when there are several."""
    if len(keys) == 1:
        return keys[0]
    labels = {key: text.plain(project.criterion(key).label) for key in keys}
    place.among("raters_criterion", list(keys))
    chosen = st.segmented_control(
        "Criterion",
        list(keys),
        default=None if "raters_criterion" in st.session_state else keys[0],
        required=True,
        wrap=True,
        format_func=labels.__getitem__,
        key="raters_criterion",
    )
    return str(chosen or keys[0])


def _row(line: RaterLine, criterion: str) -> dict[str, object]:
    """Return the cells of one rater: numbers as numbers, so that sorting by a column is right."""
    report, straight = line.report, rater_measures.under(line.report, criterion, "straight")
    found = {key: measure.of(report, criterion) for key, measure in rater_measures.MEASURES.items()}
    return {
        "Rater": line.rater,
        "Worth a look": ", ".join(dict.fromkeys(flag.word for flag in here(line.flags, criterion))),
        "State": STATES.get(line.state, line.state),
        "n": report.criteria[criterion].ratings if criterion in report.criteria else 0,
        "r": found["loo"].value,
        "95 % interval": text.interval(found["loo"].ci),
        "Offset": found["offset"].value,
        "s": found["seconds"].value,
        "Too fast": report.pace.fast.value,
        "Modal": found["modal"].value,
        "Run": straight.value,
        "by chance": straight.params.get("usual"),
        "Gold": found["gold"].value,
        "Attention": report.attention.value,
        "Repeats": found["repeats"].value,
    }


def _note(found: RaterTable, lacking: list[str]) -> str:
    beside = "all raters" if found.rule is None else f"the raters kept by {text.plain(found.rule)}"
    said = [
        f"r and offset: beside the mean of the others, here {beside}.",
        "Run: longest run of equal scores in order, by chance: that of the same scores shuffled.",
    ]
    if any(line.report.pace.source == "between ratings" for line in found.lines):
        said.append("Seconds: between one rating and the next, where the page did not measure them.")
    if lacking:
        said.append(f"No {text.listing(lacking, 4).replace(' and ', ' or ')} yet.")
    if found.means:
        names = text.listing([text.plain(name) for name in found.means])
        said.append(f"Not listed: {names}, a mean of several raters.")
    said.append(f"Intervals: bootstrap over items, B = {found.resamples}, seed {found.seed}.")
    return " ".join(said)


def _some(named: list[str]) -> str:
    """Return the first names in a sentence, with how many there are besides."""
    return text.listing(named, MOST_NAMES)


def _drawn(rows: list[MeasureRow]) -> list[MeasureRow]:
    half = MOST_DRAWN // 2
    return rows if len(rows) <= MOST_DRAWN else [*rows[:half], *rows[-half:]]
