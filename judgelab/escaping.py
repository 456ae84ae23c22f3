"""Text from users, made harmless in the files JudgeLab writes: spreadsheet formulas, HTML in Markdown."""

from __future__ import annotations

import re

# Spreadsheets read these as the start of a formula or command, full-width forms included.
_FORMULA_START = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_ESCAPED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?")


def escape_formula(text: str) -> str:
    """Return the text, with an apostrophe in front if a spreadsheet would run it; numbers are unchanged.

    >>> escape_formula("=1+1"), escape_formula("-5"), escape_formula("plain"), escape_formula("'=x")
    ("'=1+1", '-5', 'plain', "''=x")
    """
    return f"'{text}" if _FORMULA_START.match(text) and not _NUMBER.fullmatch(text) else text


def escape_cell(cell: object) -> object:
    """Return a cell for a file that is not read back: text escaped and on one line, other values unchanged.

    Python writes a lone carriage return without quotation marks, and a spreadsheet starts a new row there.

    >>> escape_cell("@x"), escape_cell(-5), escape_cell(None)
    ("'@x", -5, None)
    """
    return escape_formula(cell.replace("\r", " ")) if isinstance(cell, str) else cell


def unescape_formula(text: str) -> str:
    """Return the text that was passed to `escape_formula`.

    >>> [unescape_formula(text) for text in ("'=1+1", "-5", "'plain'", "''=x")]
    ['=1+1', '-5', "'plain'", "'=x"]
    """
    return text[1:] if _ESCAPED.match(text) else text


def escape_markdown(text: str) -> str:
    """Return the text with HTML tags, links and images disabled for Markdown.

    >>> escape_markdown("p < 0.05 ![x](y) <b>")
    'p < 0.05 ![x]&#40;y) &lt;b>'
    """
    return _HTML.sub("&lt;", text).replace("](", "]&#40;")
