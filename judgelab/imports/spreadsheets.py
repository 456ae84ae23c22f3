"""Texts that a spreadsheet would run as formulas, made harmless and brought back."""

from __future__ import annotations

import re

# What spreadsheets take for the start of a formula or command, the full-width forms included.
_RUNS = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_GUARDED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?")


def guard(text: str) -> str:
    """Return the text with an apostrophe in front where a spreadsheet would run it; numbers stay.

    >>> guard("=1+1"), guard("-5"), guard("plain"), guard("'=x")
    ("'=1+1", '-5', 'plain', "''=x")
    """
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def unguard(text: str) -> str:
    """Return the text that `guard` was given.

    >>> unguard("'=1+1"), unguard("-5"), unguard("'plain'"), unguard("''=x")
    ('=1+1', '-5', "'plain'", "'=x")
    """
    return text[1:] if _GUARDED.match(text) else text
