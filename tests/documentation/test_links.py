"""Every link and picture within the documentation leads somewhere, in the repository and in the site."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import markdown
import pytest
import yaml
from markdown.extensions.toc import slugify

from docs.site_pages.pages import PAGES as GENERATED
from docs.site_pages.pages import carried, moved, with_bars
from tests.documentation.pages import DOCS, PAGES, ROOT, name_of

CODE = re.compile(r"^```.*?^```|^ {4}[^\n]*|`[^`\n]*`", flags=re.DOTALL | re.MULTILINE)
FILE = re.compile(r"`((?:judgelab|tests|benchmarks|pages|deploy|migrations)/[\w/-]+\.\w+)(?:::(\w+))?`")
WRITTEN_BY_THE_READER = (
    "judgelab/protocols/NAME.py",
    "judgelab/metrics/questions.py",
    "judgelab/imports/results/tally.py",
    "judgelab/scales/halves.py",
    "judgelab/protocols/two_sides.py",
)
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


def _links(text: str) -> list[tuple[bool, str]]:
    return [(bool(picture), target) for picture, target in LINK.findall(CODE.sub("", text))]


def _anchors(text: str) -> set[str]:
    heads = re.findall(r"^#+ +(.*?)(?: *\{ *#([\w-]+) *\})?$", text, flags=re.MULTILINE)
    return {own or slugify(head.replace("`", ""), "-") for head, own in heads}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken_links = []
    for picture, target in _links(page.read_text(encoding="utf-8")):
        if "://" in target:
            assert not picture, f"{target} is loaded from elsewhere"
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        name = file.relative_to(DOCS).as_posix() if file.is_relative_to(DOCS) else ""
        if name in GENERATED:
            text = GENERATED[name]() if anchor else ""
        elif file.exists():
            text = file.read_text(encoding="utf-8") if anchor else ""
        else:
            broken_links.append(target)
            continue
        if anchor and anchor not in _anchors(text):
            broken_links.append(target)
    assert broken_links == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_and_test_that_is_named_exists(page: Path) -> None:
    missing = [
        f"{file}::{test}" if test else file
        for file, test in FILE.findall(page.read_text(encoding="utf-8"))
        if file not in WRITTEN_BY_THE_READER
        and not ((ROOT / file).is_file() and (not test or f"def {test}(" in (ROOT / file).read_text("utf-8")))
    ]
    # What a release says of its files stays as it was.
    assert missing == [] or page.name == "CHANGELOG.md"


def _listed(nav: object) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    inner = nav.values() if isinstance(nav, dict) else nav
    assert isinstance(inner, list | type({}.values()))
    return [name for entry in inner for name in _listed(entry)]


def test_the_site_lists_every_page_once() -> None:
    configuration = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    own = [page.relative_to(DOCS).as_posix() for page in PAGES if page.is_relative_to(DOCS)]
    nav_pages, pages = _listed(configuration["nav"]), {*own, *GENERATED, *carried(ROOT)}
    assert sorted(pages - set(nav_pages)) == [], "name them under `nav` in mkdocs.yml"
    assert sorted(set(nav_pages) - pages) == [], "they are named under `nav` in mkdocs.yml and are not there"
    assert len(nav_pages) == len(set(nav_pages)), "a page is named twice under `nav` in mkdocs.yml"


def test_links_to_files_beside_the_docs_become_links_within_the_site() -> None:
    assert moved("[a](../CONTRIBUTING.md)", "guide.md", ROOT) == "[a](project/contributing.md)"
    assert moved("[a](docs/guide.md#2-data)", "project/contributing.md", ROOT) == "[a](../guide.md#2-data)"
    assert moved("[a](rooms.md)", "project/design/engine.md", ROOT) == "[a](rooms.md)"
    assert moved("[a](metrics.md)", "guide.md", ROOT) == "[a](metrics.md)"


def test_bars_in_the_code_of_a_table_show_without_a_backslash() -> None:
    page = "| type | text |\n|---|---|\n| `str \\| None` | a \\| b |\n"
    shown = markdown.markdown(with_bars(page), extensions=["tables"])
    assert "<td><code>str | None</code></td>" in shown and "<td>a | b</td>" in shown


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_link_to_pages_that_exist(name: str) -> None:
    text = GENERATED[name]()
    pages = {page.relative_to(DOCS).as_posix() for page in PAGES if page.is_relative_to(DOCS)} | set(
        GENERATED
    )
    for _, target in _links(text):
        path, _, anchor = target.partition("#")
        if path:
            place = posixpath.normpath(f"{posixpath.dirname(name)}/{path}")
            assert place in pages or (place.endswith(".ipynb") and (DOCS / place).is_file()), target
        else:
            assert anchor in _anchors(text), target
