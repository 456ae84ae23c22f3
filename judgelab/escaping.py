"""Texts of others in files of ours: no formula in a spreadsheet, no HTML, link or picture in Markdown."""

from __future__ import annotations

import re

# What spreadsheets take for the start of a formula or command, the full-width forms included.
_RUNS = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_GUARDED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?")


def guard(text: str) -> str:
    """Return the text with an apostrophe in front where a spreadsheet would run it; numbers stay.

    >>> guard("=1+1"), guard("-5"), guard("plain"), guard("'=x")
    ("'=1+1", '-5', 'plain', "''=x")
    """
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def guarded(cell: object) -> object:
    """Return a cell of a table that is not read back: a text guarded and in one line, all else as it is.

    Python writes a lone carriage return without quotation marks, and a spreadsheet begins a row there.

    >>> guarded("@x"), guarded(-5), guarded(None)
    ("'@x", -5, None)
    """
    return guard(cell.replace("\r", " ")) if isinstance(cell, str) else cell


def unguard(text: str) -> str:
    """Return the text that `guard` was given.

    >>> unguard("'=1+1"), unguard("-5"), unguard("'plain'"), unguard("''=x")
    ('=1+1', '-5', "'plain'", "'=x")
    """
    return text[1:] if _GUARDED.match(text) else text


def in_markdown(text: str) -> str:
    """Return the text so that Markdown makes no HTML, link or picture of it; all else stays as it was.

    >>> in_markdown("p < 0.05 ![x](y) <b>")
    'p < 0.05 ![x]&#40;y) &lt;b>'
    """
    return _HTML.sub("&lt;", text).replace("](", "]&#40;")
