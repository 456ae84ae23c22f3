"""The documentation as pages of the app, from the same Markdown files as the documentation site.

A page needs no network. Links to other pages in the package work; of a link to anything else only the text
is kept.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from html import escape
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from judgelab.package_files import package_path

FOLDERS = ("", "explained", "tutorials", "how-to")  # the folders that hatch_build puts into the wheel
LOOK = """<style>
main { max-width: 46rem; } h2 { font-size: 1.3rem; margin-top: 2rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: .92rem; }
th, td { border-bottom: 1px solid var(--rule); padding: .35rem .8rem .35rem 0; text-align: start;
  vertical-align: top; overflow-wrap: normal; min-width: 5.5rem; }
pre { background: var(--surface); padding: .8rem 1rem; overflow-x: auto; border-radius: 4px;
  line-height: 1.45; }
pre code { padding: 0; background: none; font-size: .85rem; }
nav.contents { border-top: 1px solid var(--rule); margin-top: 3rem; font-size: .92rem; }
img { max-width: 100%; background: #FBFBF9; border-radius: 4px; }
</style>"""


class HandbookPage(NamedTuple):
    """A page: its title as text, and the rest of it as HTML."""

    title: str
    html: str


@cache
def files() -> frozenset[str]:
    """Return all files: pages without their extension (`explained/agreement`), drawings with it."""
    docs = package_path("docs")
    return frozenset(
        path.relative_to(docs).as_posix().removesuffix(".md")
        for folder in FOLDERS
        for path in (docs / folder).glob("*.*")
        if path.suffix in (".md", ".svg")
    )


def drawing(name: str) -> bytes:
    """Return an SVG drawing; `name` is one of `files`."""
    return package_path(f"docs/{name}").read_bytes()


@cache
def handbook_page(name: str) -> HandbookPage:
    """Return a rendered page; `name` is one of `files`."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(package_path(f"docs/{name}.md").read_text(encoding="utf-8"))
    title, start = name, 0
    for position, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        words = "".join(inner.content for inner in tokens[position + 1].children or ())
        if token.tag == "h1":
            title, start = words, position + 3
        token.attrSet("id", _anchor(words))
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")  # lets the keyboard scroll it, as code blocks
        if token.children is not None:
            token.children = _local_links(token.children, name)
    html = str(parser.renderer.render(tokens[start:], parser.options, {}))
    return HandbookPage(title, LOOK + html.replace("<pre>", '<pre tabindex="0">'))


def contents(name: str) -> str:
    """Return links to all pages by folder, as HTML below the page `name`."""
    parts = []
    for folder in FOLDERS:
        pages = sorted(
            page for page in files() if posixpath.dirname(page) == folder and not page.endswith(".svg")
        )
        parts.append(f"<p>{' · '.join(_page_link(page, name) for page in pages)}</p>")
    return f'<nav class="contents">{"".join(parts)}</nav>'


def _page_link(target: str, name: str) -> str:
    title = escape(handbook_page(target).title)
    if target == name:
        return f"<strong>{title}</strong>"
    return f'<a href="{posixpath.relpath(target, posixpath.dirname(name) or ".")}">{title}</a>'


def _local_links(tokens: list[Token], name: str) -> list[Token]:
    """Return a line's tokens with links adapted to the app, and without those that lead nowhere here."""
    result: list[Token] = []
    open_links: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            target = _local_target(str(token.attrGet("href") or ""), name)
            open_links.append(target is not None)
            if target is None:
                continue
            token.attrSet("href", target)
            if "://" in target:
                token.attrSet("target", "_blank")
                token.attrSet("rel", "noopener noreferrer")
        elif token.type == "link_close" and not open_links.pop():
            continue
        elif token.type == "image" and _local_target(str(token.attrGet("src") or ""), name) is None:
            continue
        result.append(token)
    return result


def _local_target(href: str, name: str) -> str | None:
    """Return the target of a link on the page `name` inside the app, or None if it is not in the package."""
    if href.startswith(("#", "https://", "http://")):
        return href
    path, mark, anchor = href.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)).removesuffix(".md")
    return path.removesuffix(".md") + mark + anchor if file in files() else None


def _anchor(words: str) -> str:
    """Return a heading's anchor, the same as on the documentation site."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", words).strip().lower())
