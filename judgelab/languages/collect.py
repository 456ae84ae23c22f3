"""Collect the texts of the interface for translators: `make messages`.

Each text is listed once, in alphabetical order, with the files that use it. Line numbers are left out, so
moving a line doesn't change the catalogue. A reworded text counts as untranslated, because an automatic guess
would be shown to people.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from judgelab.languages.locales import DEFAULT, FOLDER, LANGUAGES

ROOT = FOLDER.parents[1]
TEMPLATE = FOLDER / "messages.pot"
ONE, COUNTED = ("_", "sentence", "mark"), ("_n", "counted")
LISTED = 20  # more than a new file brings; Arabic has the raters' pages only
HEADER = "# Texts of JudgeLab's interface."


def sources() -> list[Path]:
    """Return the source files that contain interface texts; messages of the Python API stay English."""
    package = [path for path in FOLDER.parent.rglob("*.py") if path.parent.name != "api"]
    return [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted(package)]


def collect_texts() -> Catalog:
    """Return a catalogue of all texts in the source files and in the studies' tables."""
    catalogue = Catalog(project="JudgeLab", header_comment=HEADER, fuzzy=False)
    for path in sources():
        where = path.relative_to(ROOT).as_posix()
        for message in texts_in(path.read_text(encoding="utf-8")):
            catalogue.add(message, locations=[(where, 0)])
    for path in sorted((FOLDER.parent / "studies" / "published").glob("*.toml")):
        where = path.relative_to(ROOT).as_posix()
        for message in study_texts(path.read_text(encoding="utf-8")):
            catalogue.add(message, locations=[(where, 0)])
    return catalogue


def study_texts(tables: str) -> Iterator[str]:
    """Yield the translatable texts of a study's tables: titles, heads and notes, but not the row names."""
    for table in tomllib.loads(tables)["table"]:
        yield from (table[key] for key in ("title", "head", "note") if table.get(key))
        for row in table["rows"]:
            yield from row.get("notes", {}).values()


def texts_in(source: str) -> Iterator[str | tuple[str, str]]:
    """Yield the interface texts in source code; a counted text is a pair of its two forms.

    It reads the syntax tree rather than the tokens, so texts inside f-strings are found too.
    """
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [
            arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        ]
        if name in ONE and len(node.args) == 1 and texts and texts[0]:
            yield texts[0]
        elif name in COUNTED and len(texts) == 2:
            yield texts[0], texts[1]


def catalogue_bytes(catalogue: Catalog) -> bytes:
    """Return a catalogue in `.po` format, without the header lines that change from day to day."""
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


def updated_catalogue(language: str, template: Catalog) -> Catalog:
    """Return a language's catalogue with exactly the texts of the template."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    catalogue.update(template, no_fuzzy_matching=True, update_header_comment=False)
    catalogue.obsolete.clear()
    return catalogue


def untranslated(messages: Iterable[Message]) -> list[str]:
    """Return the texts that have no translation, a counted one by its form for one."""
    return [
        message.id if isinstance(message.id, str) else message.id[0]
        for message in messages
        if message.id and not all(message.string if isinstance(message.string, tuple) else [message.string])
    ]


def report_untranslated(language: str, catalogue: Catalog) -> None:
    """Print the texts of a language that are shown in English."""
    texts = untranslated(catalogue)
    print(f"{language}: {len(texts)} of {len(catalogue)} texts not translated")
    for text in texts[:LISTED]:
        print(f"  {text}")
    if len(texts) > LISTED:
        print(f"  and {len(texts) - LISTED} more, in {language}.po")


def main() -> None:
    """Write the template, update every language's catalogue to match it, and list what is not translated."""
    template = collect_texts()
    others = [language for language in LANGUAGES if language != DEFAULT]
    catalogues = {language: updated_catalogue(language, template) for language in others}
    TEMPLATE.write_bytes(catalogue_bytes(template))
    for language, catalogue in catalogues.items():
        (FOLDER / f"{language}.po").write_bytes(catalogue_bytes(catalogue))
    print(f"{len(template)} texts")
    for language, catalogue in catalogues.items():
        report_untranslated(language, catalogue)


if __name__ == "__main__":
    main()
