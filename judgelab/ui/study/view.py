"""A paper's table on the screen: panels with printed numbers as ticks, the table itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.charts.study import ReplicatedNumber, replication_forest, value_range
from judgelab.domain import RaterKind
from judgelab.languages import _, _n
from judgelab.replication import export
from judgelab.replication.cells import Block, Cell, Head, Line, ReplayedTable
from judgelab.ui.kit import column_widths, text, widgets

PANELS = 3
WIDE_CELL = 8  # columns beyond which those without a number of this project are hidden at first
KINDS: dict[str, RaterKind] = {"human": "human", "metric": "metric"}
NO_DATA = "no data"


def choose_block(table: ReplayedTable) -> Block:
    """Return the block of the model that the reader chooses; without a choice, the only one."""
    if len(table.blocks) == 1:
        return table.blocks[0]
    names = {_model(block): block for block in table.blocks}
    chosen = st.segmented_control(
        _("Model"), list(names), default=next(iter(names)), key=f"study_model_{table.study}_{table.number}"
    )
    return names[chosen or next(iter(names))]


def choose_measure(table: ReplayedTable, block: Block) -> str | None:
    """Return which figure of several the reader chooses, where each method has the same ones."""
    labels = list(dict.fromkeys(head.label for head in block.columns if head.over))
    repeated = len(labels) > 1 and len(block.columns) >= 2 * len(labels)
    if not repeated or any(not head.over for head in block.columns):
        return None
    chosen = st.segmented_control(
        _("Figure"), labels, default=labels[0], key=f"study_measure_{table.study}_{table.number}"
    )
    return chosen or labels[0]


def with_measure(block: Block, measure: str | None) -> Block:
    """Return the block with the columns of one figure only."""
    if measure is None:
        return block
    places = [k for k, head in enumerate(block.columns) if head.label == measure]
    return _with_columns(block, places, drop_label=True)


def draw_panels(table: ReplayedTable, block: Block) -> None:
    """Draw up to three panels of methods, the printed numbers as ticks; nothing without a number here."""
    drawn = [panel for panel in _panels(block) if any(row.value is not None for _name, row in panel[1])]
    if not drawn:
        return
    limits = value_range([row for _title, rows in drawn[:PANELS] for _name, row in rows])
    columns = st.columns(min(PANELS, len(drawn)), gap="medium")
    for column, (title, rows) in zip(columns, drawn, strict=False):
        with column, st.container(gap=None):
            widgets.heading(text.plain(title), _panel_n(block, title))
            shown = [row for _name, row in rows]
            figure = replication_forest(
                shown, title=_("printed ❙ and here ◆"), theme=widgets.theme(), limits=limits
            )
            widgets.chart(figure, key=f"study_panel_{table.number}_{title}", alt=_alt(title, shown))


def draw_study_table(table: ReplayedTable, block: Block) -> None:
    """Draw the table: a row as in the paper, printed and here side by side."""
    places = [k for k in range(len(block.columns)) if _any(block, k)]
    filled = [k for k in places if any(line.cells[k].value is not None for line in block.lines)]
    if len(places) > WIDE_CELL and filled and len(filled) < len(places):
        label = _("Show all columns in the paper")
        if not st.checkbox(label, key=f"study_all_{table.number}"):
            places = filled
    if not places:
        st.caption(_("Neither the paper nor this project has a number here."))
        return
    shown = _with_columns(block, places)
    frame = _frame(table, shown)
    rest: dict[str, Any] = {"hide_index": True, "row_height": 28, "width": "stretch", "height": "content"}
    # The grid counts the hidden index as its first column.
    settings = {k + 1: _column(frame, k) for k in range(1, len(frame.columns))}
    project_columns = [name for k, name in enumerate(frame.columns) if k and k % 2 == 0]
    styled = frame.style.map(_cell_style, subset=project_columns)  # type: ignore[arg-type]
    st.dataframe(
        styled,
        key=f"study_table_{table.study}_{table.number}",
        column_config=settings,  # type: ignore[arg-type]
        placeholder=text.MISSING,
        alt=_n("{n} row of the table.", "{n} rows of the table.", len(frame)),
        **rest,
    )
    _write_notes(table, shown)


def _column(frame: pd.DataFrame, place: int) -> Any:
    """Return how a column is set: as wide as its longest cell, of which nothing may be cut."""
    fitting = column_widths.fitting_width([frame.columns[place][1], *map(str, frame.iloc[:, place].dropna())])
    return st.column_config.TextColumn(alignment="right", width=fitting)


def _cell_style(cell: Any) -> str:
    """Return how a cell of this project is written: a number bold, what is not there muted."""
    if cell == _(NO_DATA):
        return f"color: {widgets.theme().muted}"
    return "font-weight: bold"


def _frame(table: ReplayedTable, block: Block) -> pd.DataFrame:
    """Return the cells as words under two rows of heads."""
    heads: list[tuple[str, str]] = [("", _(table.head))]
    for k, head in enumerate(block.columns):
        filled = any(line.cells[k].value is not None for line in block.lines)
        heads += [
            (_head(head), _("printed")),
            (_head(head), _("here, 95 % interval") if filled else _("here")),
        ]
    rows = []
    for line in block.lines:
        row = [_line_name(line)]
        for cell in line.cells:
            row += [text.number(cell.published, table.decimals), _project_cell(cell)]
        rows.append(row)
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(_unique(heads)))


def _unique(heads: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return heads of which no two are equal: the grid knows a column by its heads."""
    seen: dict[tuple[str, str], int] = {}
    unique = []
    for over, label in heads:
        count = seen[over, label] = seen.get((over, label), 0) + 1
        unique.append((over + "\u200b" * (count - 1), label))
    return unique


def _project_cell(cell: Cell) -> str:
    if cell.value is None:
        return _(NO_DATA)
    cell_text = text.number(cell.value, cell.decimals)
    if cell.ci is not None:
        cell_text += f" {text.interval(cell.ci, cell.decimals - (cell.decimals > 2))}"
    drawn = cell.estimate.params.get("draws") is not None
    n = cell.estimate.n
    cell_text += f" ({_n('{n} draw', '{n} draws', n)})" if drawn else f" n {text.count(n)}"
    lost = sum(cell.estimate.groups_undefined.values())
    if cell.estimate.groups_used is not None and lost:
        used = text.count(cell.estimate.groups_used)
        cell_text += f" ({_('{used} of {all}', used=used, all=text.count(cell.estimate.groups_used + lost))})"
    if cell.runs is not None:
        cell_text += f" ({_n('{n} run', '{n} runs', cell.runs)})"
    cell_text += " ≠" if cell.outside else ""
    return f"{cell_text} †" if cell.lead == "ahead" else cell_text


def _write_notes(table: ReplayedTable, block: Block) -> None:
    """Write what the marks mean, what is known about the print, and why numbers are missing."""
    sentences = [_("≠: the printed number is outside the interval.")]
    if any(cell.lead == "ahead" for *_place, cell in block.cells()):
        sentences.append(_("†: ahead of the next best on the same responses (permutation test, p < .05)."))
    if any(cell.estimate.groups_undefined for *_place, cell in block.cells()):
        sentences.append(_("In parentheses: how many of the groups have a number."))
    if table.note:
        sentences.append(_(table.note))
    sentences += [_(note) for note in (*export.common_words(block), *block.left_out)]
    notes = dict.fromkeys(
        _("{row}, {column}: {note}.", row=line.label, column=_head(head), note=cell.note)
        for line, head, cell in block.cells()
        if cell.note
    )
    st.caption(text.plain(" ".join([*sentences, *notes])))
    reasons: dict[str, int] = {}
    for *_place, cell in block.cells():
        if cell.value is None and cell.estimate.reason and cell.estimate.reason != NO_DATA:
            words = _(cell.estimate.reason)
            reasons[words] = reasons.get(words, 0) + 1
    if reasons:
        with st.expander(_("Why numbers are missing")):
            for words, n in sorted(reasons.items(), key=lambda pair: -pair[1]):
                st.write(text.plain(_n("{why}: {n} number", "{why}: {n} numbers", n, why=words)))


def _panels(block: Block) -> list[tuple[str, list[tuple[str, ReplicatedNumber]]]]:
    """Return panels of methods: by row where columns are methods, else by column."""
    lines = [line for line in block.lines if any(cell.value is not None for cell in line.cells)]
    raters = {cell.rater for line in lines for cell in line.cells if cell.rater}
    across = any(len({cell.rater for cell in line.cells if cell.rater}) > 1 for line in lines)
    if across and len(raters) > 1:
        return [
            (line.label, [_row(_head(h), c) for h, c in zip(block.columns, line.cells, strict=True)])
            for line in sorted(
                lines, key=lambda drawn_line: not drawn_line.own or drawn_line.cells[0].published is None
            )
        ]
    return [
        (_head(head), [_row(_line_name(line), line.cells[k]) for line in block.lines])
        for k, head in enumerate(block.columns)
    ]


def _row(name: str, cell: Cell) -> tuple[str, ReplicatedNumber]:
    return name, ReplicatedNumber(name, cell.published, cell.value, cell.ci, KINDS.get(cell.kind, "judge"))


def _panel_n(block: Block, title: str) -> str:
    cells = [
        c for line, head, c in block.cells() if title in (line.label, _head(head)) and c.value is not None
    ]
    return text.n_range(cell.estimate.n for cell in cells)


def _alt(title: str, rows: Sequence[ReplicatedNumber]) -> str:
    parts = [f"{row.name} {text.number(row.value)}" for row in rows if row.value is not None]
    return f"{title}: {', '.join(parts)}"


def _model(block: Block) -> str:
    if block.model is None:
        return _("no judge yet")
    return block.model or _("imported judges")


def _head(head: Head) -> str:
    return f"{head.over} {head.label}".strip()


def _line_name(line: Line) -> str:
    if not line.section or line.label.startswith(line.section):
        return _(line.label)
    return f"{_(line.section)}: {_(line.label)}"


def _any(block: Block, place: int) -> bool:
    return any(
        line.cells[place].published is not None or line.cells[place].value is not None for line in block.lines
    )


def _with_columns(block: Block, places: Sequence[int], *, drop_label: bool = False) -> Block:
    heads = [block.columns[k] for k in places]
    return Block(
        model=block.model,
        columns=tuple(Head("", head.over) if drop_label else head for head in heads),
        lines=tuple(
            Line(line.label, tuple(line.cells[k] for k in places), line.section, line.own)
            for line in block.lines
        ),
        common=block.common,
    )
