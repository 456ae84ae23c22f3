"""Files that leave: no formula, no script, nothing loaded from elsewhere, no way out of their folder."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from judgelab.analysis.data.number_table import as_csv
from judgelab.crowd import participants
from judgelab.domain import Criterion
from judgelab.escaping import escape_formula, unescape_formula
from judgelab.imports.exports import export_project, import_export
from judgelab.imports.service import import_files
from judgelab.metaeval.core.result import Estimate
from judgelab.replication import export as replay_export
from judgelab.replication.cells import Block, Cell, Head, Line, ReplayedTable
from judgelab.reporting.pack import write_pack
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from tests.databases import new_sqlite

FORMULA = '=HYPERLINK("http://127.0.0.1:1/","x")'
FORMULAS = (
    FORMULA,
    "plain\r=1",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\uff1d1+1",
    "'=1",
)
MARKUP = "<script>hit()</script><img src=x onerror=hit()> ![x](http://127.0.0.1:1/x.png) [a](javascript:hit)"
OUTWARDS = "../../../outside"
SCALE = {"kind": "ordinal", "low": 0, "high": 3}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Path]]:
    """A project whose names are formulas, markup and paths, and its report."""
    folder = tmp_path_factory.mktemp("out") / "a" / "b" / "c"
    folder.mkdir(parents=True)
    store = open_store(new_sqlite(folder / "judgelab.db"))
    with store.writing() as session:
        criteria = [Criterion(OUTWARDS, MARKUP, SCALE), Criterion("plain", FORMULA, SCALE)]
        create_project(session, name=MARKUP, slug="hostile", criteria=criteria)
    scores = [
        {
            "item_id": f"q{n}",
            "system": FORMULAS[s],
            "criterion": key,
            "rater": rater,
            "score": (n * s + r) % 4,
        }
        for n in range(8)
        for s in range(2)
        for key in (OUTWARDS, "plain")
        for r, rater in enumerate((f"{FORMULA}{MARKUP}", f"@{MARKUP}"))
    ]
    texts = [
        {"item_id": f"q{n}", "question": MARKUP, "responses": [
            {"system": system, "response": FORMULAS[n]} for system in FORMULAS[:2]
        ]}
        for n in range(8)
    ]  # fmt: skip
    for kind, rows in (("items", texts), ("ratings", scores), ("judgments", scores)):
        path = folder / f"{kind}.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows))
        import_files(store, "hostile", [(path.name, path)], kind=kind)
    write_pack(store, "hostile", folder / "pack")
    yield store, folder
    store.close()


def runs(cell: str) -> bool:
    """Whether a spreadsheet would take the cell for a formula."""
    return cell[:1] in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20" and cell[:1] != "" and not _number(cell)


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def cells(path: Path) -> list[str]:
    csv.field_size_limit(10**7)
    with path.open(newline="", encoding="utf-8") as file:
        return [cell for row in csv.reader(file) for cell in row]


def test_no_csv_of_a_report_holds_a_formula(hostile: tuple[Store, Path]) -> None:
    pack = hostile[1] / "pack"
    tables = sorted(pack.rglob("*.csv"))
    assert {path.parent.name for path in tables} == {"tables", "data"}
    assert [(path.name, cell) for path in tables for cell in cells(path) if runs(cell)] == []
    assert any(cell.startswith("'=HYPERLINK") for path in tables for cell in cells(path))


def test_no_csv_of_an_export_holds_a_formula_and_an_import_brings_the_texts_back(
    hostile: tuple[Store, Path], tmp_path: Path
) -> None:
    store = hostile[0]
    export_project(store, "hostile", tmp_path / "csv")
    export_project(store, "hostile", tmp_path / "before", file_format="jsonl")
    tables = sorted((tmp_path / "csv").glob("*.csv"))
    assert [(path.name, cell) for path in tables for cell in cells(path) if runs(cell)] == []
    files = [(path.name, path) for path in sorted((tmp_path / "csv").iterdir())]
    restored = open_store(new_sqlite(tmp_path / "again.db"))
    import_export(restored, "hostile", files)
    export_project(restored, "hostile", tmp_path / "after", file_format="jsonl")
    restored.close()
    for name in ("items", "responses", "ratings"):
        before, after = ((tmp_path / folder / f"{name}.jsonl").read_text() for folder in ("before", "after"))
        assert before == after


@pytest.mark.parametrize("text", FORMULAS)
def test_every_table_that_a_page_offers_is_guarded(text: str) -> None:
    cell = Cell(None, Estimate(0.5, reason=text), rater=text, project=text, note=text)
    block = Block(text, (Head(text, text),), (Line(text, (cell,), section=text),))
    table = ReplayedTable(
        study="elect", number="1", title=text, head=text, decimals=3, note="", blocks=(block,)
    )
    for table_file in (
        as_csv(iter([{"criterion": text, "statistic": text, "value": -0.5}]), judge=text),
        participants.as_csv([{"person": text, f"parameter_{text}": text, text: 1}]),
        replay_export.to_csv([table]),
    ):
        assert not any(runs(cell) for row in csv.reader(io.StringIO(table_file, newline="")) for cell in row)
    assert unescape_formula(escape_formula(text)) == text


class Tags(HTMLParser):
    """What a page holds beside text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.outward: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attributes:
            leads_out = name in ("src", "href") and value and (":" in value or value.startswith(("//", "..")))
            if name.startswith("on") or leads_out:
                self.outward.append((name, value))


def test_the_pages_and_drawings_of_a_report_run_and_load_nothing(hostile: tuple[Store, Path]) -> None:
    pack = hostile[1] / "pack"
    for path in (*pack.rglob("*.html"), *pack.rglob("*.svg")):
        tags = Tags(path.read_text(encoding="utf-8"))
        assert tags.outward == [], path.name
        assert not tags.tags & {"img", "image", "iframe", "object", "embed", "form", "foreignobject"}, (
            path.name
        )
        if path.name == "index.html" or path.suffix == ".svg":
            assert "script" not in tags.tags, path.name
        if path.suffix == ".svg":
            ElementTree.parse(path)  # well formed: a browser shows no half of it


def test_markdown_of_a_report_has_no_html_no_pictures_and_no_links(hostile: tuple[Store, Path]) -> None:
    pack = hostile[1] / "pack"
    for path in pack.rglob("*.md"):
        rendered = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(
            path.read_text(encoding="utf-8")
        )
        assert Tags(rendered).tags <= {
            "h2",
            "p",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "strong",
            "em",
            "code",
        }
        assert "hit()" in rendered  # the name is there, letter by letter


def test_no_name_leads_out_of_the_folder_of_a_report(hostile: tuple[Store, Path]) -> None:
    folder = hostile[1]
    outer_folder = folder.parents[2]
    assert not list(outer_folder.glob("outside*")) and not list(folder.glob("outside*"))
    names = sorted(path.name for path in (folder / "pack" / "figures").glob("*.svg"))
    assert names[1] == "agreement-plain.svg" and names[0].startswith("agreement-outside-")
    latex = next((folder / "pack" / "tables").glob("agreement-outside-*.tex")).read_text()
    assert r"\label{tab:agreement-..-..-..-outside}" in latex
