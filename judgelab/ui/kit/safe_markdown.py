"""Researchers' Markdown as HTML for our own pages, without HTML or pictures, and with web links only."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

LINKS = ("https://", "http://", "mailto:")


def to_html(text: str) -> str:
    """Return the text as HTML; HTML inside it is shown literally.

    A picture would reveal the reader to its server, so it becomes a link. Headings start one level below the
    page's own.
    """
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
        for inner in token.children or ():
            _open_in_new_tab(inner)
    return str(parser.renderer.render(tokens, parser.options, {}))


def _open_in_new_tab(token: Token) -> None:
    """Make a link open in a new tab without a referrer."""
    if token.type == "link_open":
        token.attrSet("rel", "noopener noreferrer")
        token.attrSet("target", "_blank")


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_inline", "html_block"])
    parser.validateLink = _is_web_link  # type: ignore[method-assign]
    return parser


def _is_web_link(url: str) -> bool:
    return url.strip().lower().startswith(LINKS)
