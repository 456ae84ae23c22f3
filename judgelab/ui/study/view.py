"""Draw a paper's table with this project's numbers: as panels, and as the table itself."""

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
from judgelab.ui.kit import column_widths, text, viewport, widgets
from judgelab.ui.study.block_parts import (
    MISSING_NOTES,
    NO_DATA,
    missing_words,
    with_columns,
    with_short_mean,
)
from judgelab.wording import mark

MOST_PANELS = 3
NARROW_NAME_WIDTH = 168  # on a phone, in pixels
MOST_COLUMNS = 8  # of more, those without a number of this project are hidden at first
KINDS: dict[str, RaterKind] = {"human": "human", "metric": "metric"}
MEANS_COMPUTED_HERE = mark(
    "“Mean of …”: computed by JudgeLab, for the printed numbers too, from the rows that the paper and the "
    "project share."
)
NOT_CHARTED = mark("This project also has numbers for {list}; they are only in the table.")


def choose_block(table: ReplayedTable) -> Block:
    """Return the block of the chosen model, or the only one."""
    if len(table.blocks) == 1:
        return table.blocks[0]
    names = {_model_label(block): block for block in table.blocks}
    chosen = st.segmented_control(
        _("Model"), list(names), default=next(iter(names)), key=f"study_model_{table.study}_{table.number}"
    )
    return names[chosen or next(iter(names))]


def choose_measure(table: ReplayedTable, block: Block) -> str | None:
    """Return the chosen figure, if each method in the table has the same several figures; else None."""
    labels = list(dict.fromkeys(head.label for head in block.columns if head.group_heading))
    repeated = len(labels) > 1 and len(block.columns) >= 2 * len(labels)
    if not repeated or any(not head.group_heading for head in block.columns):
        return None
    label = _("Setting") if table.is_figure else _("Coefficient")
    key = f"study_measure_{table.study}_{table.number}"
    chosen = st.segmented_control(label, labels, default=labels[0], key=key)
    return chosen or labels[0]


def with_measure(block: Block, measure: str | None) -> Block:
    """Return the block with only the columns of one figure; as it is for None."""
    if measure is None:
        return block
    columns = [column for column, head in enumerate(block.columns) if head.label == measure]
    return with_columns(block, columns, drop_label=True)


def draw_panels(table: ReplayedTable, block: Block) -> None:
    """Draw up to three panels of methods with the printed numbers as ticks, if this project has a number."""
    block = with_short_mean(block) if viewport.is_narrow() else block
    panels = [panel for panel in _panels(block) if any(row.value is not None for _name, row in panel[1])]
    if not panels:
        return
    limits = value_range([row for _title, rows in panels[:MOST_PANELS] for _name, row in rows])
    columns = st.columns(min(MOST_PANELS, len(panels)), gap="medium")
    for column, (title, rows) in zip(columns, panels, strict=False):
        with column, st.container(gap=None):
            widgets.heading(text.plain(_(title)), _panel_n(block, title))
            shown = [row for _name, row in rows]
            figure = replication_forest(
                shown,
                title=_("❙ printed, ◆ judge, □ metric"),
                theme=widgets.theme(),
                limits=limits,
            )
            widgets.chart(figure, key=f"study_panel_{table.number}_{title}", alt=_alt_text(title, shown))
    if others := [_(title) for title, _rows in panels[MOST_PANELS:]]:
        st.caption(text.plain(_(NOT_CHARTED, list=text.listing(others))))


def draw_study_table(table: ReplayedTable, block: Block) -> None:
    """Draw the paper's table with printed numbers and this project's side by side."""
    columns = [k for k in range(len(block.columns)) if _has_number(block, k)]
    columns_with_values = [k for k in columns if any(line.cells[k].value is not None for line in block.lines)]
    # Without a column that has both, the printed ones would all be hidden beside empty ones.
    comparable = any(line.cells[k].published is not None for k in columns_with_values for line in block.lines)
    if comparable and len(columns) > MOST_COLUMNS and len(columns_with_values) < len(columns):
        label = _("Show all columns in the paper")
        if not st.checkbox(label, key=f"study_all_{table.number}"):
            columns = columns_with_values
    if not columns:
        st.caption(_("There are no numbers from the paper or this project here."))
        return
    narrow = viewport.is_narrow()
    visible = with_columns(with_short_mean(block) if narrow else block, columns)
    frame = _table_frame(table, visible)
    names = [str(frame.columns[0][1]), *map(str, frame.iloc[:, 0])]
    most = NARROW_NAME_WIDTH if narrow else column_widths.MOST
    name_width, row_height = column_widths.wrapped(names, most)
    layout: dict[str, Any] = {
        "hide_index": True,
        "row_height": row_height,
        "width": "stretch",
        "height": "content",
    }
    # The grid counts the hidden index as its first column.
    settings = {k + 1: _column_config(frame, k) for k in range(1, len(frame.columns))}
    settings[1] = st.column_config.TextColumn(width=name_width)
    project_columns = [name for k, name in enumerate(frame.columns) if k and k % 2 == 0]
    styled = frame.style.map(_cell_style, subset=project_columns)  # type: ignore[arg-type]
    st.dataframe(
        styled,
        key=f"study_table_{table.study}_{table.number}",
        column_config=settings,  # type: ignore[arg-type]
        placeholder=text.MISSING,
        alt=_n("{n} row of the table.", "{n} rows of the table.", len(frame)),
        **layout,
    )
    _write_notes(table, visible)


def _column_config(frame: pd.DataFrame, column: int) -> Any:
    """Return the configuration of a column as wide as its longest cell."""
    width = column_widths.fitting_width([frame.columns[column][1], *map(str, frame.iloc[:, column].dropna())])
    return st.column_config.TextColumn(alignment="right", width=width)


def _cell_style(cell: Any) -> str:
    """Return the CSS of a cell of this project: a number is bold, a missing one muted."""
    if cell in {_(words) for words in MISSING_NOTES}:
        return f"color: {widgets.theme().muted}"
    return "font-weight: bold"


def _table_frame(table: ReplayedTable, block: Block) -> pd.DataFrame:
    """Return the table as text under two rows of heads."""
    heads: list[tuple[str, str]] = [("", _(table.head))]
    for column, head in enumerate(block.columns):
        filled = any(line.cells[column].value is not None for line in block.lines)
        heads += [
            (_head_label(head), _("printed")),
            (_head_label(head), _("this project, 95 % interval") if filled else _("this project")),
        ]
    rows = []
    for line in block.lines:
        row = [_line_name(line)]
        for cell in line.cells:
            row += [text.number(cell.published, table.decimals), _project_cell(cell)]
        rows.append(row)
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(_unique_heads(heads)))


def _unique_heads(heads: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the heads made unique by invisible characters, as the grid identifies a column by its heads."""
    seen: dict[tuple[str, str], int] = {}
    unique = []
    for over, label in heads:
        occurrence = seen[over, label] = seen.get((over, label), 0) + 1
        unique.append((over + "\u200b" * (occurrence - 1), label))
    return unique


def _project_cell(cell: Cell) -> str:
    if cell.value is None:
        return _(missing_words(cell))
    cell_text = text.number(cell.value, cell.decimals)
    if cell.ci is not None:
        cell_text += f" {text.interval(cell.ci, cell.decimals - (cell.decimals > 2))}"
    of_draws = cell.estimate.params.get("draws") is not None
    n = cell.estimate.n
    cell_text += f" ({_n('{n} draw', '{n} draws', n)})" if of_draws else f" n {text.count(n)}"
    undefined = sum(cell.estimate.groups_undefined.values())
    if cell.estimate.groups_used is not None and undefined:
        used = text.count(cell.estimate.groups_used)
        cell_text += (
            f" ({_('{used} of {all}', used=used, all=text.count(cell.estimate.groups_used + undefined))})"
        )
    if cell.runs is not None:
        cell_text += f" ({_n('{n} run', '{n} runs', cell.runs)})"
    cell_text += " ≠" if cell.outside else ""
    return f"{cell_text} †" if cell.lead == "ahead" else cell_text


def _write_notes(table: ReplayedTable, block: Block) -> None:
    """Write what the marks mean, notes on the printed numbers, and why numbers are missing."""
    sentences = []
    if any(cell.outside for *_place, cell in block.cells()):
        sentences.append(_("≠: the printed number is outside the interval."))
    if any(cell.lead == "ahead" for *_place, cell in block.cells()):
        sentences.append(_("†: ahead of the next best on the same responses (permutation test, p < .05)."))
    partial = [c for *_place, c in block.cells() if c.value is not None and c.estimate.groups_undefined]
    if partial and all(cell.level == "item" for cell in partial):
        sentences.append(_("After n, in parentheses: items with a value."))
    elif partial:
        sentences.append(_("After n, in parentheses: groups with a value."))
    missing = {missing_words(cell) for *_place, cell in block.cells() if cell.value is None}
    sentences += [_(note) for words, note in MISSING_NOTES.items() if words in missing]
    if any(line.is_added and cell.published is not None for line, _head, cell in block.cells()):
        sentences.append(_(MEANS_COMPUTED_HERE))
    if table.note:
        sentences.append(_(table.note))
    sentences += [_(note) for note in export.common_words(block)]
    notes = dict.fromkeys(
        _("{row}, {column}: {note}.", row=_(line.label), column=_head_label(head), note=_(cell.note))
        for line, head, cell in block.cells()
        if cell.note
    )
    st.caption(text.plain(" ".join([*sentences, *notes])))
    reasons: dict[str, int] = {}
    for *_place, cell in block.cells():
        if cell.value is None and cell.estimate.reason and cell.estimate.reason != NO_DATA:
            words = _(cell.estimate.reason)
            reasons[words] = reasons.get(words, 0) + 1
    left_out = [_(note) for note in block.sentences_left_out(by_level=True)]
    if left_out or reasons:
        with st.expander(_("What is left out, and why")):
            for sentence in left_out:
                st.write(text.plain(sentence))
            for words, n in sorted(reasons.items(), key=lambda pair: -pair[1]):
                st.write(text.plain(_n("{why}: {n} number", "{why}: {n} numbers", n, why=words)))


def _panels(block: Block) -> list[tuple[str, list[tuple[str, ReplicatedNumber]]]]:
    """Return titles and rows of the panels: one per line if columns are methods, else one per column."""
    lines = [line for line in block.lines if any(cell.value is not None for cell in line.cells)]
    raters = {cell.rater for line in lines for cell in line.cells if cell.rater}
    methods_across = any(len({cell.rater for cell in line.cells if cell.rater}) > 1 for line in lines)
    if methods_across and len(raters) > 1:
        return [
            (
                line.label,
                [_panel_row(_head_label(h), c) for h, c in zip(block.columns, line.cells, strict=True)],
            )
            for line in sorted(
                lines, key=lambda drawn_line: not drawn_line.is_added or drawn_line.cells[0].published is None
            )
        ]
    return [
        (_head_label(head), [_panel_row(_line_name(line), line.cells[column]) for line in block.lines])
        for column, head in enumerate(block.columns)
    ]


def _panel_row(name: str, cell: Cell) -> tuple[str, ReplicatedNumber]:
    missing = "" if cell.value is not None else _(missing_words(cell))
    kind = KINDS.get(cell.kind, "judge")
    return name, ReplicatedNumber(name, cell.published, cell.value, cell.ci, kind, missing)


def _panel_n(block: Block, title: str) -> str:
    cells = [
        panel_cell
        for line, head, panel_cell in block.cells()
        if title in (line.label, _head_label(head)) and panel_cell.value is not None
    ]
    return text.n_range(cell.estimate.n for cell in cells)


def _alt_text(title: str, rows: Sequence[ReplicatedNumber]) -> str:
    parts = [f"{row.name} {text.number(row.value)}" for row in rows if row.value is not None]
    return f"{title}: {', '.join(parts)}"


def _model_label(block: Block) -> str:
    if block.model is None:
        return _("no judge yet")
    return block.model or _("imported judges")


def _head_label(head: Head) -> str:
    return f"{head.group_heading} {head.label}".strip()


def _line_name(line: Line) -> str:
    if not line.section or line.label.startswith(line.section):
        return _(line.label)
    return f"{_(line.section)}: {_(line.label)}"


def _has_number(block: Block, column: int) -> bool:
    return any(
        line.cells[column].published is not None or line.cells[column].value is not None
        for line in block.lines
    )
