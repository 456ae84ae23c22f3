"""A language in which every text of the catalogue is recognised: `[Save]` is written `⟦Save⟧`.

Only the words of the catalogue stand in brackets. What is filled in stays outside of them, so that an English
word among the values is seen as well.
"""

from __future__ import annotations

import string
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

OPENING, CLOSING = "⟦", "⟧"
LANGUAGE = "de"  # two plural forms and written from the left, as English is


def write(folder: Path, texts: Catalog) -> None:
    """Write the catalogue of this language for all texts."""
    catalogue = Catalog(locale=LANGUAGE)
    for message in texts:
        if isinstance(message.id, tuple):
            catalogue.add(message.id, tuple(bracketed(form) for form in message.id))
        elif message.id:
            catalogue.add(message.id, bracketed(str(message.id)))
    with (folder / f"{LANGUAGE}.po").open("wb") as file:
        write_po(file, catalogue)


def bracketed(text: str) -> str:
    """Return the text with its own words in brackets: `{n} raters` becomes `{n}⟦ raters⟧`."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:  # braces that are no values
        return f"{OPENING}{text}{CLOSING}"
    if all(name is None or name.isidentifier() for _before, name, _format, _how in parts):
        return "".join(_said(before) + _value(name) for before, name, _format, _how in parts)
    return f"{OPENING}{text}{CLOSING}"


def _said(words: str) -> str:
    return f"{OPENING}{words}{CLOSING}" if any(letter.isalpha() for letter in words) else words


def _value(name: str | None) -> str:
    return "" if name is None else f"{{{name}}}"
