"""Collects the texts of the interface for translators: `make messages`.

Every text stands once, in the order of the alphabet, with the files that say it; line numbers are left out,
so that a moved line changes no catalogue. A text that was reworded is untranslated again: a guess of what it
now means would be shown to people.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from judgelab.languages.locales import DEFAULT, FOLDER, LANGUAGES

ROOT = FOLDER.parents[1]
TEMPLATE = FOLDER / "messages.pot"
ONE, COUNTED = ("_", "sentence", "mark"), ("_n", "counted")
HEADER = "# Texts of JudgeLab's interface."


def sources() -> list[Path]:
    """Return the files whose texts belong to the interface."""
    return [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted(FOLDER.parent.rglob("*.py"))]


def collected() -> Catalog:
    """Return all texts that the sources say."""
    catalogue = Catalog(project="JudgeLab", header_comment=HEADER, fuzzy=False)
    for path in sources():
        where = path.relative_to(ROOT).as_posix()
        for message in said(path.read_text(encoding="utf-8")):
            catalogue.add(message, locations=[(where, 0)])
    for path in sorted((FOLDER.parent / "studies" / "published").glob("*.toml")):
        where = path.relative_to(ROOT).as_posix()
        for message in printed(path.read_text(encoding="utf-8")):
            catalogue.add(message, locations=[(where, 0)])
    return catalogue


def printed(tables: str) -> Iterator[str]:
    """Yield what is said about printed tables: titles, heads and notes; names of rows are the papers' own."""
    for table in tomllib.loads(tables)["table"]:
        yield from (table[key] for key in ("title", "head", "note") if table.get(key))
        for row in table["rows"]:
            yield from row.get("notes", {}).values()


def said(source: str) -> Iterator[str | tuple[str, str]]:
    """Yield what a source says: texts, and the pairs of those that are counted.

    The tree is read, not the tokens, so that a text within an f-string is found as well.
    """
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [
            one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        if name in ONE and len(node.args) == 1 and texts and texts[0]:
            yield texts[0]
        elif name in COUNTED and len(texts) == 2:
            yield texts[0], texts[1]


def written(catalogue: Catalog) -> bytes:
    """Return a catalogue as a file, without what changes from day to day."""
    file = BytesIO()
    write_po(file, catalogue, width=110, omit_header=False, sort_output=True, include_lineno=False)
    lines = file.getvalue().splitlines(keepends=True)
    dated = (
        b'"POT-Creation-Date',
        b'"PO-Revision-Date',
        b'"Generated-By',
        b'"Last-Translator',
        b'"Language-Team',
    )
    return b"".join(line for line in lines if not line.startswith(dated))


def merged(language: str, template: Catalog) -> Catalog:
    """Return a language's translations of the texts there are now."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    catalogue.update(template, no_fuzzy_matching=True, update_header_comment=False)
    catalogue.obsolete.clear()
    return catalogue


def main() -> None:
    """Write the template and bring every language up to it."""
    template = collected()
    TEMPLATE.write_bytes(written(template))
    for language in LANGUAGES:
        if language != DEFAULT:
            (FOLDER / f"{language}.po").write_bytes(written(merged(language, template)))
    print(f"{len(template)} texts in {', '.join(LANGUAGES)}")


if __name__ == "__main__":
    main()
