"""Cells that begin with "=": formulas, or texts that a program wrote as if they were formulas."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from judgelab.imports.core.cells import UncomputedFormula

ABSENT = "#N/A"  # the error by which spreadsheets say that there is nothing
_QUOTED = re.compile(r'="((?:[^"]|"")*)"')  # ="007" keeps the noughts of an id
_CELL = r"\$?[A-Z]{1,3}\$?[0-9]{1,7}"
_CELL_REFERENCE = re.compile(
    rf"(?:(?:'[^']+'|[\w.\[\]]+)!)?(?:{_CELL}(?::{_CELL})?|\$?[A-Z]{{1,3}}:\$?[A-Z]{{1,3}}|\$?\d+:\$?\d+|\w+\[.*\])",
    re.IGNORECASE,
)


def formula_value(formula: str, cached: Any, *, error: bool, empty: bool, names: Collection[str]) -> Any:
    """Return what a cell with a formula holds: its value, or the text as it was written.

    A text such as "== Summary ==" has been written as a formula by programs; no spreadsheet can compute it.

    Args:
        formula: what the cell says, with its "=".
        cached: the value that the file holds, None when it holds none.
        error: whether that value is an error.
        empty: whether the file says that the value is an empty text.
        names: the names that the workbook gives to cells.
    """
    kind = _kind(formula, names)
    if kind == "text":
        return formula
    if cached is not None and not error:
        return cached
    if error:
        return error_value(formula, str(cached))
    if empty:
        return ""
    if kind == "formula":
        return UncomputedFormula(formula)
    quoted = _QUOTED.fullmatch(formula)
    return quoted[1].replace('""', '"') if quoted else formula


def error_value(text: str, error: str) -> Any:
    """Return what stands for a cell that holds an error: nothing for "#N/A"."""
    if error == ABSENT:
        return None
    value = UncomputedFormula(text)
    value.error = error
    return value


def _kind(formula: str, names: Collection[str]) -> str:
    """Return whether a spreadsheet could compute it: "formula", "constant" without any cell, or "text".

    >>> [_kind(f, ()) for f in ("=A1+B1", "=SUM(A1:A3)", "=42", "== In short ==", "=Paris")]
    ['formula', 'formula', 'constant', 'text', 'text']
    """
    from openpyxl.formula import Tokenizer
    from openpyxl.formula.tokenizer import Token, TokenizerError

    try:
        tokens = [t for t in Tokenizer(formula).items if t.type != Token.WSPACE]
    except (TokenizerError, IndexError, ValueError):
        return "text"
    needs_operand, computed = (
        True,
        False,
    )  # whether an operand must come next; whether a cell or a function occurs
    for token in tokens:
        begins = (
            token.type in (Token.FUNC, Token.PAREN, Token.ARRAY, "ARRAYROW") and token.subtype == Token.OPEN
        )
        ends = token.subtype == Token.CLOSE
        operand = token.type == Token.OPERAND
        if (operand or begins or token.type == Token.OP_PRE) and not needs_operand:
            return "text"
        if token.type in (Token.OP_IN, Token.OP_POST) and needs_operand:
            return "text"
        if operand and token.subtype == Token.RANGE and not _is_cell_reference(token.value, names):
            return "text"
        computed = computed or token.type == Token.FUNC or (operand and token.subtype == Token.RANGE)
        needs_operand = not (operand or ends or token.type == Token.OP_POST)
    return "text" if needs_operand else "formula" if computed else "constant"


def _is_cell_reference(text: str, names: Collection[str]) -> bool:
    return bool(_CELL_REFERENCE.fullmatch(text)) or text.rpartition("!")[2].lower() in names
