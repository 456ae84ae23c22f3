"""Cells that begin with "=": formulas, or texts that a program wrote as formulas."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from judgelab.imports.core.cells import UncomputedFormula

ABSENT = "#N/A"  # the error that means "no value" in spreadsheets
_QUOTED = re.compile(r'="((?:[^"]|"")*)"')  # ="007" keeps the zeros of an id
_CELL = r"\$?[A-Z]{1,3}\$?[0-9]{1,7}"
_CELL_REFERENCE = re.compile(
    rf"(?:(?:'[^']+'|[\w.\[\]]+)!)?(?:{_CELL}(?::{_CELL})?|\$?[A-Z]{{1,3}}:\$?[A-Z]{{1,3}}|\$?\d+:\$?\d+|\w+\[.*\])",
    re.IGNORECASE,
)


def formula_value(formula: str, cached: Any, *, error: bool, empty: bool, names: Collection[str]) -> Any:
    """Return the value of a cell with a formula, or the text as it was written.

    Some programs write texts such as "== Summary ==" as formulas, which no spreadsheet can compute.

    Args:
        formula: the cell's formula, with its "=".
        cached: the value stored in the file; None if there is none.
        error: whether that value is an error.
        empty: whether the file marks the value as an empty text.
        names: the names defined in the workbook.
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
    """Return the value for a cell with an error; None for "#N/A"."""
    if error == ABSENT:
        return None
    value = UncomputedFormula(text)
    value.error = error
    return value


def _kind(formula: str, names: Collection[str]) -> str:
    """Return "formula" if a spreadsheet can compute it, "constant" if it refers to no cell, else "text".

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
    )  # computed: whether a cell or a function occurs
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
