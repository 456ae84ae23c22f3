"""Replicated tables as files: one row per number (CSV), and as printed in a paper (LaTeX, Markdown)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from judgelab.escaping import escape_cell, escape_markdown
from judgelab.replication.cells import Block, Cell, Head, Line, ReplayedTable
from judgelab.wording import mark, sentence

FIELDS = (
    "study", "table", "model", "section", "row", "over", "column", "published", "value", "low", "high", "n",
    "groups_used", "groups_undefined", "n_missing", "unscored", "failed", "cannot_judge", "left_out", "runs",
    "outside", "lead", "stand_in", "rater", "project", "reason", "note", "ci_method", "seed",
)  # fmt: skip
SPECIAL = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "²": r"$^2$",
    "†": r"\dag{}",
}
WIDE = 8  # columns that a page can hold
COMMON = mark("In each data set, only responses that every setting has scored are compared.")
MARK = "*"
LEADS = {"ahead": " †"}
LEGEND = (
    "Left: printed numbers. Right: this project's, with the 95 % interval and n (and how many of the "
    "groups have a value, if not all do). A star marks a printed number outside the interval; a dagger "
    "marks a lead over the next best (permutation test, p < .05)."
)


def to_csv(tables: Sequence[ReplayedTable]) -> str:
    """Return one row per cell of every block, numbers unrounded, with their counts."""
    file = io.StringIO()
    writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
    writer.writeheader()
    for table in tables:
        for block, line, head, cell in table.cells():
            record = _record(table, block, line, head, cell)
            writer.writerow({name: escape_cell(value) for name, value in record.items()})
    return file.getvalue()


def to_markdown(table: ReplayedTable) -> str:
    """Return the table as Markdown, one after another for each model."""
    parts = [f"### {table.printed_name}: {_cellsafe(table.title)}"]
    for block in table.blocks:
        if block.model:
            parts.append(f"Model: {_cellsafe(block.model)}")
        for label, columns in _pages(block):
            parts += [f"**{_cellsafe(label)}**"] if label else []
            parts.append("\n".join(_markdown_rows(table, block, columns, bare=bool(label))))
    notes = [*([table.note] if table.note else []), *_under(table)]
    return "\n\n".join([*parts, *map(_cellsafe, notes), LEGEND]) + "\n"


def to_latex(table: ReplayedTable) -> str:
    """Return the table as LaTeX with the rules of `booktabs`, one after another for each model."""
    return "\n".join(_latex(table, block) for block in table.blocks)


def common_words(block: Block) -> list[str]:
    """Return how many responses of each data set all rows are based on, if they are the same for all."""
    if not block.common:
        return []
    return [
        COMMON,
        *(
            sentence(
                "{dataset}: {used} of the {scored} rated responses that at least one setting has scored.",
                dataset=common.dataset or sentence("All data"),
                used=common.used,
                scored=common.scored,
            )
            for common in block.common
        ),
    ]


def _under(table: ReplayedTable) -> list[str]:
    """Return the notes under a table: the common responses, and what each number leaves out."""
    several = len(table.blocks) > 1
    lines = []
    for block in table.blocks:
        notes = [*common_words(block), *block.left_out]
        lines += [f"{block.model}: {' '.join(notes)}"] if several and block.model and notes else notes
    return lines


def write(tables: Sequence[ReplayedTable], folder: Path) -> list[Path]:
    """Write all tables into a folder as `STUDY.csv`, `STUDY.md` and `STUDY.tex`; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    study = tables[0].study
    texts = {
        "csv": to_csv(tables),
        "md": "\n".join(to_markdown(table) for table in tables),
        "tex": "% \\usepackage{booktabs}\n" + "\n".join(to_latex(table) for table in tables),
    }
    paths = []
    for ending, text in texts.items():
        path = folder / f"{study}.{ending}"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def printed(value: float | None, decimals: int) -> str:
    """Return a number with the printed digits, "" if there is none."""
    return "" if value is None else f"{value:.{decimals}f}"


def format_result(cell: Cell) -> str:
    """Return the project's number, its interval, its n and the mark; "" without a number."""
    if cell.value is None:
        return ""
    text = printed(cell.value, cell.decimals)
    if cell.ci is not None:
        text += f" [{printed(cell.ci[0], cell.decimals)}, {printed(cell.ci[1], cell.decimals)}]"
    return f"{text} ({stands_on(cell)}){MARK if cell.outside else ''}{LEADS.get(cell.lead, '')}"


def stands_on(cell: Cell) -> str:
    """Return the sample size of a number: `164`, or `1,600; 32 of 100` if only 32 of 100 groups have one.

    For the mean of several runs' results it adds their number: `200; 5 runs`; for draws it is `3 draws`.
    """
    estimate = cell.estimate
    draws = estimate.params.get("draws")
    parts = [
        f"{estimate.n:,}" if draws is None else f"{estimate.n:,} {'draw' if estimate.n == 1 else 'draws'}"
    ]
    lost = sum(estimate.groups_undefined.values())
    if estimate.groups_used is not None and lost:
        parts.append(f"{estimate.groups_used:,} of {estimate.groups_used + lost:,}")
    if cell.runs is not None:
        parts.append(f"{cell.runs} {'run' if cell.runs == 1 else 'runs'}")
    return "; ".join(parts)


def _record(
    table: ReplayedTable, block: Block, line: Line, head: Head, cell: Cell
) -> dict[str, str | float | int | None]:
    low, high = cell.ci or (None, None)
    return {
        "study": table.study,
        "table": table.number,
        "model": block.model or "",
        "section": line.section,
        "row": line.label,
        "over": head.group_heading,
        "column": head.label,
        "published": cell.published,
        "value": cell.value,
        "low": low,
        "high": high,
        "n": cell.estimate.n,
        "groups_used": cell.estimate.groups_used,
        "groups_undefined": "; ".join(f"{why} {n}" for why, n in cell.estimate.groups_undefined.items()),
        "n_missing": cell.estimate.params.get("n_missing", 0),
        **cell.lost.to_json(),
        "left_out": "; ".join(cell.left_out),
        "runs": cell.runs,
        "outside": "" if cell.outside is None else str(cell.outside).lower(),
        "lead": cell.lead,
        "stand_in": cell.stand_in,
        "rater": cell.rater,
        "project": cell.project,
        "reason": cell.estimate.reason or "",
        "note": cell.note,
        "ci_method": cell.estimate.ci_method,
        "seed": cell.estimate.seed,
    }


def _shown(block: Block) -> list[int]:
    """Return the columns that contain at least one number, printed or not."""
    return [
        k
        for k in range(len(block.columns))
        if any(line.cells[k].published is not None or line.cells[k].value is not None for line in block.lines)
    ]


def _pages(block: Block) -> list[tuple[str, list[int]]]:
    """Return the columns as they are shown: a wide table by statistic (ρ, then κ), others whole."""
    shown = _shown(block)
    by_label: dict[str, list[int]] = {}
    for k in shown:
        by_label.setdefault(block.columns[k].label, []).append(k)
    if (
        len(shown) <= WIDE
        or len(by_label) > len(shown) / 2
        or any(not block.columns[k].group_heading for k in shown)
    ):
        return [("", shown)]
    return list(by_label.items())


def _markdown_rows(
    table: ReplayedTable, block: Block, columns: Sequence[int], *, bare: bool
) -> Iterator[str]:
    heads = [table.head]
    for k in columns:
        name = block.columns[k].group_heading if bare else _name(block.columns[k])
        heads += [f"{name}, printed", "here"]
    yield "| " + " | ".join(map(_cellsafe, heads)) + " |"
    yield "|" + "---|" + "---:|" * (2 * len(columns))
    for line in block.lines:
        cells = [_label(line)]
        for k in columns:
            cells += [
                printed(line.cells[k].published, table.decimals) or "–",
                format_result(line.cells[k]) or "–",
            ]
        yield "| " + " | ".join(map(_cellsafe, cells)) + " |"


def _latex(table: ReplayedTable, block: Block) -> str:
    columns = _shown(block)
    model = f", {block.model}" if block.model else ""
    notes = [*common_words(block), *block.left_out]
    rows = [
        r"\begin{table}",
        f"\\caption{{{escape(table.title + model)}. {escape(' '.join([*notes, LEGEND]))}}}",
        r"\begin{tabular}{l" + "rl" * len(columns) + "}",
        r"\toprule",
        " & ".join([escape(table.head), *(_over(block.columns[k]) for k in columns)]) + r" \\",
        r"\midrule",
    ]
    for line in block.lines:
        cells = [escape(_label(line))]
        for k in columns:
            cells += [
                printed(line.cells[k].published, table.decimals) or "--",
                escape(format_result(line.cells[k])) or "--",
            ]
        rows.append(" & ".join(cells) + r" \\")
    return "\n".join([*rows, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _over(head: Head) -> str:
    return f"\\multicolumn{{2}}{{c}}{{{escape(_name(head))}}}"


def escape(text: str) -> str:
    """Return the text escaped for LaTeX."""
    return "".join(SPECIAL.get(character, character) for character in text)


def _name(head: Head) -> str:
    return f"{head.group_heading} {head.label}".strip()


def _label(line: Line) -> str:
    return (
        line.label
        if not line.section or line.label.startswith(line.section)
        else f"{line.section}: {line.label}"
    )


def _cellsafe(text: str) -> str:
    return escape_markdown(re.sub(r"\s+", " ", text)).replace("|", "\\|").replace("<", "&lt;")
