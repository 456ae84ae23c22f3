"""A data frame as a LaTeX table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_NOT_IN_LABELS = re.compile(r"[^\w:.-]+")  # characters that LaTeX labels cannot have
_TEX = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "<": "$<$",
    ">": "$>$",
    "–": "--",
    "−": "$-$",
}


def latex_table(
    table: pd.DataFrame, *, caption: str, label: str, notes: Sequence[str] = (), align: str = ""
) -> str:
    """Return a LaTeX table (package booktabs) with notes below; all text is escaped.

    `align` has an l or r for each column; the first one is aligned left and all others right without.
    """
    columns = align or "l" + "r" * (len(table.columns) - 1)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_tex(caption)}}}",
        rf"\label{{{_NOT_IN_LABELS.sub('-', label)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _tex_row(list(table.columns)),
        r"\midrule",
        *(_tex_row(row) for row in table.itertuples(index=False, name=None)),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {_tex(note)}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tex_row(cells: Sequence[object]) -> str:
    return " & ".join(_tex(str(cell)) for cell in cells) + r" \\"


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in text)
