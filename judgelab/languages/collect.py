"""Collects the texts of the interface for translators: `make messages`.

Every text stands once, in the order of the alphabet, with the files that say it; line numbers are left out,
so that a moved line changes no catalogue. A text that was reworded is untranslated again: a guess of what it
now means would be shown to people.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from judgelab.languages.spoken import DEFAULT, FOLDER, LANGUAGES

ROOT = FOLDER.parents[1]
TEMPLATE = FOLDER / "messages.pot"
KEYWORDS = {"_": None, "_n": (1, 2), "sentence": None, "counted": (1, 2), "mark": None}
HEADER = "# Texts of JudgeLab's interface."


def sources() -> list[Path]:
    """Return the files whose texts belong to the interface."""
    return [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted(FOLDER.parent.rglob("*.py"))]


def collected() -> Catalog:
    """Return all texts that the sources say."""
    catalogue = Catalog(project="JudgeLab", header_comment=HEADER, fuzzy=False)
    for path in sources():
        where = path.relative_to(ROOT).as_posix()
        for _line, message, _comments, _context in extract_from_file("python", path, KEYWORDS):
            catalogue.add(message, locations=[(where, 0)])
    return catalogue


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
